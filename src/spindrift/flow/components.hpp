// The connected bodies of a mesh, and what bounds them.
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/mesh/cell_mesh.hpp"

namespace spindrift {

struct FlowComponent {
  double volume = 0;          // m^3
  bool has_pressure = false;  // a face where pressure acts; without one it is enclosed
  bool touches_solid = false;
};

struct FlowComponents {
  Buffer<std::int32_t> of_cell;
  std::vector<FlowComponent> components;  // in the order of their first cells
};

[[nodiscard]] FlowComponents find_components(const CellMesh& mesh);

// The sum of value(cell) over the cells of every body. In parallel, the same for any number of
// threads: cells of one body mostly follow each other.
template <class Value>
[[nodiscard]] std::vector<double> sum_by_body(const FlowComponents& bodies, const Value& value) {
  struct Run {
    std::int32_t body;
    double sum;
  };
  using Runs = std::vector<Run>;
  const Runs runs = parallel_reduce_chunks(
      std::ssize(bodies.of_cell), 1 << 14, Runs(),
      [&](std::int64_t begin, std::int64_t end) {
        Runs part;
        for (auto c = static_cast<std::size_t>(begin); c < static_cast<std::size_t>(end); ++c) {
          const std::int32_t body = bodies.of_cell[c];
          if (part.empty() || part.back().body != body) part.push_back({body, 0});
          part.back().sum += value(c);
        }
        return part;
      },
      [](Runs all, const Runs& more) {
        all.insert(all.end(), more.begin(), more.end());
        return all;
      });
  std::vector<double> sums(bodies.components.size(), 0.0);
  for (const Run& run : runs) sums[static_cast<std::size_t>(run.body)] += run.sum;
  return sums;
}

}  // namespace spindrift
