// The grammar of scenes, and the few turns of phrase that it is written in.
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "spindrift/scene/visitor.hpp"

namespace spindrift {

void describe(Visitor& visitor, Scene& scene);
void describe(Visitor& visitor, ShapeSpec& shape);
void describe(Visitor& visitor, RotationSpec& rotation);
void describe(Visitor& visitor, MotionSpec& motion);

// Lengths below this are taken for zero, m.
inline constexpr double kSmallestLength = 1e-9;

inline void vec3(Visitor& v, const Key& key, Vec3& value, const VectorRule& rule) {
  v.vector(key, std::span(value.data(), 3), rule);
}

template <class T>
void table(Visitor& v, const Key& key, T& value) {
  v.table(key, [&] { describe(v, value); });
}

template <class T>
void list(Visitor& v, const Key& key, std::vector<T>& items, std::size_t least = 0) {
  v.list(key, least, items.size(), [&](std::size_t i) {
    if (i == items.size()) items.emplace_back();
    describe(v, items[i]);
  });
}

template <class T>
void optional(Visitor& v, const Key& key, std::optional<T>& value,
              const std::invocable<T&> auto& visit) {
  if (!v.has(key.name, value.has_value())) return;
  if (!value) value.emplace();
  visit(*value);
}

// The enumerators of E are those of `words`, in the same order from 0.
template <class E>
void choice(Visitor& v, const Key& key, E& value, std::span<const std::string> words) {
  int index = static_cast<int>(value);
  v.choice(key, index, words);
  value = static_cast<E>(index);
}

inline void shape(Visitor& v, const char* meaning, ShapeSpec& value) {
  table(v, {.name = "shape", .meaning = meaning, .required = true, .type = "shape"}, value);
}

// Keys `min` and `max` of a box.
void require_order(Visitor& v, const Vec3& min, const Vec3& max);

}  // namespace spindrift
