#include "spindrift/flow/vertex_pressures.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/flow/aggregate_keys.hpp"
#include "spindrift/flow/vertex_rings.hpp"

namespace spindrift {
namespace {

// Cells in a cube of the multigrid's first level of vertices, about twenty vertices.
constexpr double kCellsTogether = 106;

// The number of every vertex; -1: it is on a face with a given pressure, or on no cell.
Buffer<std::int32_t> number_vertices(const CellMesh& mesh, std::span<const std::int32_t> unknown,
                                     std::int32_t& count) {
  constexpr unsigned char kUnused = 0, kFree = 1, kGiven = 2;
  Buffer<unsigned char> states(mesh.vertices.size(), kUnused);
  const auto set = [&](std::int32_t vertex, unsigned char state) {
    std::atomic_ref(states[static_cast<std::size_t>(vertex)])
        .store(state, std::memory_order_relaxed);
  };
  parallel_for_each(std::ssize(mesh.corners), [&](std::int64_t cell) {
    for (const std::int32_t vertex : mesh.corners[static_cast<std::size_t>(cell)]) {
      set(vertex, kFree);
    }
  });
  parallel_for_each(std::ssize(mesh.corners), [&](std::int64_t cell) {
    const std::span<const std::int32_t> faces = mesh.faces_of(cell);
    for (std::size_t k = 0; k < faces.size(); ++k) {
      if (unknown[static_cast<std::size_t>(faces[k])] >= 0) continue;
      for (std::size_t j = 0; j < 4; ++j) {
        if (j != k) set(mesh.corners[static_cast<std::size_t>(cell)][j], kGiven);
      }
    }
  });
  Buffer<std::int32_t> numbers(states.size());
  count = 0;
  for (std::size_t v = 0; v < states.size(); ++v) numbers[v] = states[v] == kFree ? count++ : -1;
  return numbers;
}

// Stiffnesses of linear functions, row by row.
class VertexMatrix {
 public:
  VertexMatrix(const CellMesh& mesh, const Buffer<std::int32_t>& numbers,
               const Buffer<std::int32_t>& vertices)
      : mesh_(mesh),
        numbers_(numbers),
        vertices_(vertices),
        rings_(vertex_rings(mesh.corners, std::ssize(mesh.vertices))) {}

  CsrMatrix make() {
    const std::int64_t rows = std::ssize(vertices_);
    // Few large parts: each clears a number for every row.
    constexpr std::int64_t kParts = 16;
    constexpr std::int64_t kLeast = 512;
    const std::int64_t chunk = std::max(kLeast, chunk_count(rows, kParts));
    std::vector<Part> parts(static_cast<std::size_t>(chunk_count(rows, chunk)));
    CsrMatrix matrix;
    matrix.starts.resize(static_cast<std::size_t>(rows) + 1);
    matrix.starts[0] = 0;
    parallel_for_chunks(rows, chunk, [&](std::int64_t begin, std::int64_t end) {
      Part& part = parts[static_cast<std::size_t>(begin / chunk)];
      part.places.assign(static_cast<std::size_t>(rows), -1);
      for (std::int64_t row = begin; row < end; ++row) {
        const std::size_t before = part.entries.size();
        add_row(static_cast<std::int32_t>(row), part);
        matrix.starts[static_cast<std::size_t>(row) + 1] =
            static_cast<std::int64_t>(part.entries.size() - before);
      }
    });
    std::partial_sum(matrix.starts.begin(), matrix.starts.end(), matrix.starts.begin());
    matrix.columns.resize(static_cast<std::size_t>(matrix.starts.back()));
    matrix.values.resize(matrix.columns.size());
    parallel_for_each(
        std::ssize(parts),
        [&](std::int64_t p) {
          auto at = static_cast<std::size_t>(matrix.starts[static_cast<std::size_t>(p * chunk)]);
          for (const Entry& entry : parts[static_cast<std::size_t>(p)].entries) {
            matrix.columns[at] = entry.column;
            matrix.values[at++] = entry.value;
          }
        },
        1);
    return matrix;
  }

 private:
  struct Entry {
    std::int32_t column;
    double value;
  };
  struct Part {
    Buffer<Entry> entries;
    Buffer<std::int64_t> places;  // in `entries`, of the columns; those before the row are old
  };

  // The gradient of a vertex's function is its opposite face's area vector, inwards, over 3 V.
  void add_row(std::int32_t row, Part& part) const {
    const std::int64_t first = std::ssize(part.entries);
    for (const std::int32_t corner : rings_.of(vertices_[static_cast<std::size_t>(row)])) {
      const std::int32_t cell = corner >> 2;
      const auto c = static_cast<std::size_t>(cell);
      const std::span<const std::int32_t> faces = mesh_.faces_of(cell);
      const auto area = [&](std::size_t k) {
        return Vec3(mesh_.sign(faces[k], cell) *
                    mesh_.area_vectors[static_cast<std::size_t>(faces[k])]);
      };
      const Vec3 own = area(static_cast<std::size_t>(corner & 3)) / (9 * mesh_.volumes[c]);
      for (std::size_t k = 0; k < 4; ++k) {
        const std::int32_t column = numbers_[static_cast<std::size_t>(mesh_.corners[c][k])];
        if (column < 0) continue;
        std::int64_t& place = part.places[static_cast<std::size_t>(column)];
        if (place < first) {
          place = std::ssize(part.entries);
          part.entries.push_back({column, 0});
        }
        part.entries[static_cast<std::size_t>(place)].value += own.dot(area(k));
      }
    }
    std::sort(part.entries.begin() + first, part.entries.end(),
              [](const Entry& one, const Entry& other) { return one.column < other.column; });
  }

  const CellMesh& mesh_;
  const Buffer<std::int32_t>& numbers_;
  const Buffer<std::int32_t>& vertices_;
  VertexRings rings_;
};

}  // namespace

Interpolation vertex_pressures(const CellMesh& mesh, std::span<const std::int32_t> unknown,
                               std::int64_t unknowns) {
  Interpolation result;
  if (mesh.corners.empty() || std::ssize(mesh.corners) != mesh.cell_count()) return result;
  const Stopwatch watch;
  std::int32_t count = 0;
  const Buffer<std::int32_t> numbers = number_vertices(mesh, unknown, count);
  if (count == 0) return result;
  Buffer<std::int32_t> vertices(static_cast<std::size_t>(count));
  std::vector<Vec3> places(vertices.size());
  parallel_for_each(std::ssize(numbers), [&](std::int64_t vertex) {
    const auto v = static_cast<std::size_t>(vertex);
    if (numbers[v] < 0) return;
    vertices[static_cast<std::size_t>(numbers[v])] = static_cast<std::int32_t>(vertex);
    places[static_cast<std::size_t>(numbers[v])] = mesh.vertices[v];
  });
  result.weight = 1.0 / 3;
  result.sources.resize(static_cast<std::size_t>(unknowns));
  parallel_for_each(mesh.face_count(), [&](std::int64_t face) {
    const auto f = static_cast<std::size_t>(face);
    if (unknown[f] < 0) return;
    const std::int32_t cell = mesh.face_cells[f][0];
    const std::span<const std::int32_t> faces = mesh.faces_of(cell);
    auto& sources = result.sources[static_cast<std::size_t>(unknown[f])];
    sources.fill(-1);
    std::size_t next = 0;
    for (std::size_t k = 0; k < faces.size(); ++k) {
      const std::int32_t vertex = mesh.corners[static_cast<std::size_t>(cell)][k];
      if (faces[k] != face) sources[next++] = numbers[static_cast<std::size_t>(vertex)];
    }
  });
  result.matrix = VertexMatrix(mesh, numbers, vertices).make();
  result.keys = aggregate_keys(places, aggregate_side(mesh.volumes, kCellsTogether));
  result.seconds = watch.seconds();
  return result;
}

}  // namespace spindrift
