#include "spindrift/core/memory.hpp"

#include <fstream>
#include <limits>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace spindrift {

namespace {

// Freed, but not given back to the system.
std::uint64_t kept_bytes() {
#ifdef __GLIBC__
  return mallinfo2().fordblks;
#else
  return 0;
#endif
}

}  // namespace

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kGrowth = 64 << 20;  // bytes at a time
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);  // never
  mallopt(M_TOP_PAD, kGrowth);
#endif
}

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kilobytes = 0;
  while (file >> name >> kilobytes) {
    if (name == "MemAvailable:") return (kilobytes << 10) + kept_bytes();
    std::getline(file, unit);
  }
  return std::numeric_limits<std::uint64_t>::max();  // not known: do not stand in the way
}

void ask_for_huge_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  constexpr std::uintptr_t kPage = 2 << 20;
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t whole = (first + kPage - 1) / kPage * kPage;
  const std::uintptr_t end = (first + bytes) / kPage * kPage;
  if (end > whole)
    ::madvise(static_cast<char*>(begin) + (whole - first), end - whole, MADV_HUGEPAGE);
#endif
}

}  // namespace spindrift
