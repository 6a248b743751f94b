#include "spindrift/core/memory.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace spindrift {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kGrowth = 64 << 20;  // bytes at a time
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);  // never
  mallopt(M_TOP_PAD, kGrowth);
#endif
}

}  // namespace spindrift
