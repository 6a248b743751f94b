#include <cstdio>

#include "spindrift/app/simulation.hpp"
#include "spindrift/core/memory.hpp"

int main(int argc, char** argv) {
#if defined(__x86_64__) && defined(__AVX2__)
  // Said here, or the first wide instruction would say "illegal instruction".
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) {
    std::fputs("spindrift: this build needs a processor with AVX2; build with -DSPINDRIFT_ARCH=\n",
               stderr);
    return 4;
  }
#endif
  spindrift::keep_freed_memory();
  return spindrift::app::run(argc, argv, spindrift::app::make_liquid);
}
