// A vector whose new numbers hold anything until they are written.
//
// A std::vector writes zeros in resize(), on one thread; large arrays that parallel loops fill in
// anyway then cost twice. Elements that are given a value are given it, as in any vector.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace spindrift {
namespace detail {

template <class T>
struct UninitializedAllocator : std::allocator<T> {
  UninitializedAllocator() = default;
  template <class U>
  explicit UninitializedAllocator(const UninitializedAllocator<U>&) {}

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
