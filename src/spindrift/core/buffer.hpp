// A vector whose new numbers hold anything until they are written.
//
// A std::vector writes zeros in resize(), on one thread; large arrays that parallel loops fill in
// anyway then cost twice. Elements that are given a value are given it, as in any vector. Large
// ones lie in large pages where the system has them: loops that jump about in them, or touch them
// for the first time, are faster.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "spindrift/core/memory.hpp"

namespace spindrift {
namespace detail {

// Arrays from this size on are spread over large pages.
inline constexpr std::size_t kHugeBytes = std::size_t{4} << 20;

template <class T>
struct UninitializedAllocator : std::allocator<T> {
  UninitializedAllocator() = default;
  template <class U>
  explicit UninitializedAllocator(const UninitializedAllocator<U>&) {}

  T* allocate(std::size_t count) {
    T* const place = std::allocator<T>::allocate(count);
    if (count * sizeof(T) >= kHugeBytes) ask_for_huge_pages(place, count * sizeof(T));
    return place;
  }
  template <class U>
  void construct(U* place) {
    static_assert(std::is_trivially_destructible_v<U>);
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

}  // namespace detail

template <class T>
using Buffer = std::vector<T, detail::UninitializedAllocator<T>>;

}  // namespace spindrift
