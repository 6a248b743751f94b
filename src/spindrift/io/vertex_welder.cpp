#include "spindrift/io/vertex_welder.hpp"

#include <bit>
#include <random>

namespace spindrift {

namespace {

constexpr std::size_t kFirstSlots = 1024;

// Both halves of the 128-bit product, folded: every bit of the result depends on all bits of both.
std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t process_seed() {
  static const std::uint64_t kSeed = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }();
  return kSeed;
}

// The bits of a number, the same for both zeros.
std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value + 0.0); }

}  // namespace

VertexWelder::VertexWelder(std::vector<Vec3>& vertices)
    : vertices_(vertices), slots_(kFirstSlots), seed_(process_seed()) {}

std::uint64_t VertexWelder::hash(const Vec3& point) const {
  // Odd constants without structure: digits of the golden ratio and of the square root of 2.
  const std::uint64_t xy =
      fold_product(bits(point.x()) ^ seed_, bits(point.y()) ^ 0x9e3779b97f4a7c15u ^ (seed_ >> 1));
  return fold_product(xy ^ bits(point.z()), 0x6a09e667f3bcc909u ^ (seed_ << 1));
}

std::int32_t VertexWelder::number_of(const Vec3& point) {
  const std::uint64_t h = hash(point);
  const auto tag = static_cast<std::uint32_t>(h >> 32);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = h & mask;
  for (; slots_[at].vertex >= 0; at = (at + 1) & mask) {
    if (slots_[at].tag == tag && vertices_[slots_[at].vertex] == point) return slots_[at].vertex;
  }
  const auto number = static_cast<std::int32_t>(vertices_.size());
  slots_[at] = {number, tag};
  vertices_.push_back(point);
  if (vertices_.size() * 2 > slots_.size()) grow();
  return number;
}

void VertexWelder::grow() {
  slots_.assign(slots_.size() * 2, Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    const std::uint64_t h = hash(vertices_[i]);
    std::size_t at = h & mask;
    while (slots_[at].vertex >= 0) at = (at + 1) & mask;
    slots_[at] = {static_cast<std::int32_t>(i), static_cast<std::uint32_t>(h >> 32)};
  }
}

}  // namespace spindrift
