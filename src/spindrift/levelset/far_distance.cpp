#include "spindrift/levelset/far_distance.hpp"

#include <algorithm>
#include <cmath>

namespace spindrift {
namespace {

// Entries of a line of blocks: the least over all others of the greater of the way there and the
// entry there.
void spread(std::uint8_t* first, std::ptrdiff_t stride, int count, int most,
            std::vector<std::uint8_t>& line) {
  line.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) line[static_cast<std::size_t>(i)] = first[i * stride];
  for (int i = 0; i < count; ++i) {
    int least = line[static_cast<std::size_t>(i)];
    for (int way = 1; way < least; ++way) {
      if (i >= way)
        least = std::min(least, std::max<int>(way, line[static_cast<std::size_t>(i - way)]));
      if (i + way < count) {
        least = std::min(least, std::max<int>(way, line[static_cast<std::size_t>(i + way)]));
      }
    }
    first[i * stride] = static_cast<std::uint8_t>(std::min(least, most));
  }
}

}  // namespace

FarDistance::FarDistance(const BandDistance& distance, double reach)
    : distance_(distance), sampler_(distance) {
  constexpr double kMost = 250;
  const double block = kBlockSide * distance.field.lattice.spacing;
  most_ = static_cast<int>(std::clamp(std::ceil(reach / block) + 1, 1.0, kMost));
  const BlockSet& blocks = distance.field.blocks;
  if (blocks.size() == 0) return;
  low_ = blocks.coordinate(0);
  Vec3i high = low_;
  for (std::int64_t b = 1; b < blocks.size(); ++b) {
    low_ = low_.cwiseMin(blocks.coordinate(b));
    high = high.cwiseMax(blocks.coordinate(b));
  }
  low_.array() -= most_;
  count_ = (high - low_).array() + most_ + 1;
  const auto x = static_cast<std::ptrdiff_t>(count_.x());
  const auto y = static_cast<std::ptrdiff_t>(count_.y());
  const auto z = static_cast<std::ptrdiff_t>(count_.z());
  away_.assign(static_cast<std::size_t>(x * y * z), static_cast<std::uint8_t>(most_));
  for (std::int64_t b = 0; b < blocks.size(); ++b) {
    const Vec3i at = blocks.coordinate(b) - low_;
    away_[static_cast<std::size_t>(at.x() + x * (at.y() + y * at.z()))] = 0;
  }
  std::vector<std::uint8_t> line;
  for (std::ptrdiff_t row = 0; row < y * z; ++row) {
    spread(&away_[static_cast<std::size_t>(x * row)], 1, count_.x(), most_, line);
  }
  for (std::ptrdiff_t k = 0; k < z; ++k) {
    for (std::ptrdiff_t i = 0; i < x; ++i) {
      spread(&away_[static_cast<std::size_t>(x * y * k + i)], x, count_.y(), most_, line);
    }
  }
  for (std::ptrdiff_t i = 0; i < x * y; ++i) {
    spread(&away_[static_cast<std::size_t>(i)], x * y, count_.z(), most_, line);
  }
}

int FarDistance::blocks_away(const Vec3i& block) const {
  const Vec3i at = block - low_;
  if ((at.array() < 0).any() || (at.array() >= count_.array()).any()) return most_;
  return away_[static_cast<std::size_t>(at.x() + std::int64_t{count_.x()} *
                                                     (at.y() + std::int64_t{count_.y()} * at.z()))];
}

void FarDistance::evaluate(std::span<const Vec3> points, std::span<double> values) const {
  sampler_.evaluate(points, values);
  const Lattice& lattice = distance_.field.lattice;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 p = lattice.to_lattice(points[i]);
    constexpr double kFarthest = 8.0 * (kBlockLimit - 4);
    if (!(p.array().abs() < kFarthest).all()) continue;
    const int away = blocks_away(block_of_node(p.array().floor().cast<int>()));
    // The band ends within its blocks; the nodes of a block end a cell before the next one.
    const double bound = (away - 1) * kBlockSide * lattice.spacing;
    if (bound > std::abs(values[i])) values[i] = std::copysign(bound, values[i]);
  }
}

}  // namespace spindrift
