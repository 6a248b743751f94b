#include "spindrift/levelset/contour.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/contour_table.hpp"

#include "support/random.hpp"

namespace spindrift {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

// Blocks `low` to `high` with f(node) at their nodes, unknown where f is NaN.
template <class Function>
SampledField sample(const Vec3i& low, const Vec3i& high, const Function& f) {
  std::vector<std::uint64_t> keys;
  for (int z = low.z(); z <= high.z(); ++z) {
    for (int y = low.y(); y <= high.y(); ++y) {
      for (int x = low.x(); x <= high.x(); ++x) keys.push_back(block_key({x, y, z}));
    }
  }
  SampledField field;
  field.blocks = BlockSet(keys);
  field.values.resize(static_cast<std::size_t>(field.blocks.size()) * kBlockNodes);
  field.known.resize(static_cast<std::size_t>(field.blocks.size()));
  parallel_for_each(
      field.blocks.size(),
      [&](std::int64_t b) {
        for (int node = 0; node < kBlockNodes; ++node) {
          const float value = f(Vec3i(field.blocks.first_node(b) + node_offset(node)));
          field.block_values(b)[node] = value;
          if (std::isnan(value)) continue;
          field.known[static_cast<std::size_t>(b)][static_cast<std::size_t>(node >> 6)] |=
              std::uint64_t{1} << (node & 63);
        }
      },
      8);
  return field;
}

auto sphere_distance(const Vec3& center, double radius) {
  return [=](const Vec3i& node) {
    return static_cast<float>((node.cast<double>() - center).norm() - radius);
  };
}

// Triangles around each vertex, as (next, previous) corner.
struct Links {
  std::vector<std::int64_t> first;
  std::vector<std::array<std::int32_t, 2>> pairs;

  explicit Links(const TriangleMesh& mesh)
      : first(static_cast<std::size_t>(mesh.vertex_count()) + 1), pairs(3 * mesh.triangles.size()) {
    for (const Triangle& t : mesh.triangles) {
      for (const std::int32_t v : t) ++first[static_cast<std::size_t>(v) + 1];
    }
    for (std::size_t v = 1; v < first.size(); ++v) first[v] += first[v - 1];
    std::vector<std::int64_t> at(first.begin(), first.end() - 1);
    for (const Triangle& t : mesh.triangles) {
      for (int k = 0; k < 3; ++k) pairs[at[t[k]]++] = {t[(k + 1) % 3], t[(k + 2) % 3]};
    }
  }
};

// Vertices whose triangles are not one closed fan. Zero of them: each directed edge occurs once and
// its reverse once, so the mesh is closed, oriented and manifold, and all vertices are used.
std::int64_t count_bad_vertices(const TriangleMesh& mesh) {
  const Links links(mesh);
  std::atomic<std::int64_t> bad = 0;
  parallel_for_each(mesh.vertex_count(), [&](std::int64_t v) {
    const auto begin = links.pairs.begin() + links.first[v],
               end = links.pairs.begin() + links.first[v + 1];
    const auto degree = end - begin;
    bool is_fan = degree >= 3;
    std::int32_t at = is_fan ? (*begin)[0] : -1;
    for (std::int64_t step = 1; is_fan && step <= degree; ++step) {
      const auto leaves = [&](const auto& pair) { return pair[0] == at; };
      const auto found = std::find_if(begin, end, leaves);
      is_fan = found != end && std::find_if(found + 1, end, leaves) == end && at != v;
      if (!is_fan) break;
      at = (*found)[1];
      is_fan = (at == (*begin)[0]) == (step == degree);
    }
    if (!is_fan) ++bad;
  });
  return bad;
}

std::int64_t count_bad_normals(const Contour& result) {
  std::int64_t bad = result.mesh.vertex_count() - std::ssize(result.normals);
  for (const Vec3f& n : result.normals) bad += std::abs(n.norm() - 1) < 1e-5f ? 0 : 1;
  return bad;
}

TEST(Contour, CheckSeesWhatIsWrong) {
  const SampledField field = sample({0, 0, 0}, {0, 0, 0}, sphere_distance({3.5, 3.5, 3.5}, 2));
  const TriangleMesh good = contour(field).mesh;
  EXPECT_EQ(count_bad_vertices(good), 0);
  TriangleMesh open = good;
  open.triangles.pop_back();
  EXPECT_EQ(count_bad_vertices(open), 3);
  TriangleMesh flipped = good;
  std::swap(flipped.triangles[0][0], flipped.triangles[0][1]);
  EXPECT_EQ(count_bad_vertices(flipped), 3);
  TriangleMesh unused = good;
  unused.vertices.emplace_back(0, 0, 0);
  EXPECT_EQ(count_bad_vertices(unused), 1);
}

TEST(Contour, EveryPatternIsClosedWhereverItLies) {
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    for (int place = 0; place < 8; ++place) {
      // Inside one block, and with its lower or upper nodes in the next one.
      const Vec3i first(place & 1 ? 7 : 3, place & 2 ? 7 : 3, place & 4 ? 7 : 3);
      const SampledField field = sample({0, 0, 0}, {1, 1, 1}, [&](const Vec3i& node) {
        const Vec3i k = node - first;
        const bool is_corner = k.minCoeff() >= 0 && k.maxCoeff() <= 1;
        return is_corner && (pattern >> (k.x() + 2 * k.y() + 4 * k.z()) & 1) != 0 ? -1.0f : 1.0f;
      });
      const Contour result = contour(field);
      EXPECT_EQ(result.open_cells, 0);
      EXPECT_EQ(count_bad_vertices(result.mesh), 0) << "pattern " << pattern << " at " << place;
      EXPECT_EQ(count_bad_normals(result), 0);
      EXPECT_TRUE(missing_nodes(field).empty());
      EXPECT_EQ(result.mesh.triangles.empty(), pattern == 0);
      EXPECT_TRUE(pattern == 0 || enclosed_volume(result.mesh) > 0);
    }
  }
}

TEST(Contour, ALoneNodeIsAnOctahedron) {
  SampledField field = sample({0, 0, 0}, {0, 0, 0}, [](const Vec3i& node) {
    return node == Vec3i(3, 4, 5) ? -1.0f : 1.0f;
  });
  field.lattice = {.origin = {10, 20, 30}, .spacing = 0.5};
  const Contour result = contour(field);
  EXPECT_EQ(result.mesh.vertex_count(), 6);
  EXPECT_EQ(result.mesh.triangle_count(), 8);
  const Box3 box = bounds(result.mesh);
  EXPECT_TRUE(box.center().isApprox(Vec3(11.5, 22, 32.5), 1e-7));
  EXPECT_TRUE((box.sizes().array() > 0.3 && box.sizes().array() < 0.7).all());
  EXPECT_NEAR(enclosed_volume(result.mesh), box.volume() / 6, 1e-12);

  for (float& value : field.values) value = -value;
  EXPECT_NEAR(enclosed_volume(contour(field).mesh), -enclosed_volume(result.mesh), 1e-12);
}

// Blocks of 4^3 random signs with a layer of outside nodes between them: all ambiguous situations,
// at all places relative to the field's blocks.
TEST(Contour, RandomSignsGiveClosedManifolds) {
#ifdef SPINDRIFT_SANITIZED
  constexpr int kBatches = 1, kBlocks = 16;
#else
  constexpr int kBatches = 8, kBlocks = 24;  // 110,592 of them
#endif
  constexpr int kPitch = 5, kSpan = kPitch * kBlocks;
  for (int batch = 0; batch < kBatches; ++batch) {
    const double density = 0.2 + 0.08 * batch;
    const std::uint64_t seed = 1000 + static_cast<std::uint64_t>(batch);
    const auto value = [&](const Vec3i& node) {
      test::Random random(seed * 0x100000001b3u + block_key(node));
      const float size = random.below(20) == 0 ? 0 : static_cast<float>(2 * random.unit());
      const bool is_gap =
          node.x() % kPitch == 0 || node.y() % kPitch == 0 || node.z() % kPitch == 0;
      const bool is_within = node.minCoeff() > 0 && node.maxCoeff() < kSpan;
      return is_within && !is_gap && random.unit() < density ? -size : size;
    };
    SampledField field = sample({0, 0, 0}, Vec3i::Constant(kSpan / 8), value);
    const Contour result = contour(field);
    EXPECT_EQ(result.open_cells, 0);
    EXPECT_GT(result.mesh.triangle_count(), 90 * kBlocks * kBlocks * kBlocks);
    EXPECT_EQ(count_bad_vertices(result.mesh), 0) << "seed " << seed;
    EXPECT_EQ(count_bad_normals(result), 0);
    const double volume = enclosed_volume(result.mesh);
    EXPECT_GT(volume, 0);

    // The negated field has the same vertices, but joins what this one separates.
    if (batch > 0) continue;
    for (float& v : field.values) v = v == 0 ? -1e-30f : -v;
    const Contour negated = contour(field);
    EXPECT_EQ(count_bad_vertices(negated.mesh), 0) << "seed " << seed;
    EXPECT_EQ(negated.mesh.vertex_count(), result.mesh.vertex_count());
    EXPECT_GT(-enclosed_volume(negated.mesh), volume);
  }
}

TEST(Contour, PlanesAreExact) {
  test::Random random(31);
  for (int i = 0; i < 20; ++i) {
    const Vec3 normal = random.direction();
    const double offset = random.between(-2, 2);
    const auto height = [&](const Vec3& p) { return normal.dot(p - Vec3(4, 4, 4)) - offset; };
    SampledField field = sample({-1, -1, -1}, {1, 1, 1}, [&](const Vec3i& node) {
      return static_cast<float>(height(node.cast<double>()));
    });
    field.lattice = {.origin = {1, -2, 3}, .spacing = 0.25};
    const Contour result = contour(field);
    ASSERT_GT(result.mesh.vertex_count(), 200);
    for (std::int64_t v = 0; v < result.mesh.vertex_count(); ++v) {
      const Vec3 p = field.lattice.to_lattice(result.mesh.vertices[v]);
      const Vec3 beside = (p - p.array().round().matrix()).cwiseAbs();
      const bool is_clamped = beside.maxCoeff() < 0.0010001;
      EXPECT_NEAR(height(p), 0, is_clamped ? 1.1e-3 : 1e-6);
      EXPECT_NEAR(result.normals[v].cast<double>().dot(normal), 1, 1e-6);
    }
  }
}

TEST(Contour, SpheresConverge) {
  double last_error = 0, last_angle = 0;
  for (const double radius : {5.0, 10.0, 20.0, 40.0}) {
    const Vec3 center(0.137, -0.291, 0.43);
    const int reach = static_cast<int>(radius) / 8 + 1;
    const Contour result = contour(
        sample(Vec3i::Constant(-reach), Vec3i::Constant(reach), sphere_distance(center, radius)));
    EXPECT_EQ(count_bad_vertices(result.mesh), 0);
    double error = 0, angle = 0;
    for (std::int64_t v = 0; v < result.mesh.vertex_count(); ++v) {
      const Vec3 arm = result.mesh.vertices[v] - center;
      const Vec3 beside =
          (result.mesh.vertices[v] - result.mesh.vertices[v].array().round().matrix()).cwiseAbs();
      angle = std::max(angle, arm.normalized().cross(result.normals[v].cast<double>()).norm());
      if (beside.maxCoeff() < 0.0010001) continue;  // moved away from its node on purpose
      error = std::max(error, std::abs(arm.norm() - radius) / radius);
    }
    std::printf(
        "radius %2.0f: distance %.2e of the radius (order %.2f), normals %.2e (order %.2f)\n",
        radius, error, std::log2(last_error / error), angle, std::log2(last_angle / angle));
    if (last_error > 0) {
      EXPECT_GE(std::log2(last_error / error), 3.5);
      EXPECT_GE(std::log2(last_angle / angle), 1.8);
    }
    last_error = error;
    last_angle = angle;
  }
  EXPECT_LT(last_error, 1e-7);
}

// The distance to a thin slab has a kink in its middle: at an end of the crossed edges, or on the
// next edge.
TEST(Contour, KinksHardlyMoveVertices) {
  for (const double middle : {0.0, 0.3, 0.49}) {
    const Contour result = contour(sample({-1, 0, 0}, {0, 0, 0}, [&](const Vec3i& node) {
      return static_cast<float>(std::abs(node.x() - middle) - 0.75);
    }));
    EXPECT_EQ(result.mesh.vertex_count(), 2 * 8 * 8);
    for (std::int64_t v = 0; v < result.mesh.vertex_count(); ++v) {
      const double x = result.mesh.vertices[v].x();
      EXPECT_NEAR(std::abs(x - middle), 0.75, 0.0033);
      EXPECT_FLOAT_EQ(result.normals[v].x(), x > middle ? 1 : -1);
    }
  }
}

TEST(Contour, SameBitsForAnyThreadCount) {
  const SampledField field = sample({-3, -3, -3}, {2, 2, 2}, [](const Vec3i& node) {
    const Vec3 p = 0.3 * node.cast<double>();
    return static_cast<float>(std::sin(p.x()) + std::sin(p.y()) + std::sin(p.z()));
  });
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return contour(field);
  };
  const Contour one = run(1), two = run(2);
  EXPECT_GT(one.mesh.triangle_count(), 5000);
  EXPECT_EQ(one.mesh.triangles, two.mesh.triangles);
  EXPECT_EQ(one.mesh.vertices, two.mesh.vertices);
  EXPECT_EQ(one.normals, two.normals);
  EXPECT_EQ(one.open_cells, two.open_cells);
}

// What a field with unknown parts must give, cell by cell.
struct BruteForce {
  std::int64_t open = 0, triangles = 0, vertices = 0;
  std::vector<Vec3i> missing;

  BruteForce(const SampledField& field, int reach) {
    const auto value = [&](const Vec3i& node) -> std::optional<float> {
      const std::int32_t b = field.blocks.find(block_of_node(node));
      const int n = node_in_block(node);
      if (b < 0 || !has_node(field.known[static_cast<std::size_t>(b)], n)) return {};
      return field.block_values(b)[n];
    };
    std::map<std::pair<std::uint64_t, int>, Vec3i> unknown;
    std::set<std::pair<std::uint64_t, int>> edges;
    for (int z = -reach; z < reach; ++z) {
      for (int y = -reach; y < reach; ++y) {
        for (int x = -reach; x < reach; ++x) {
          unsigned inside = 0, outside = 0;
          for (int k = 0; k < 8; ++k) {
            const auto v = value({x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)});
            if (v) (*v < 0 ? inside : outside) |= 1u << k;
          }
          if (inside == 0 || outside == 0) continue;
          for (int k = 0; k < 8; ++k) {
            const Vec3i node(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
            if (((inside | outside) >> k & 1) != 0) continue;
            unknown[{block_key(block_of_node(node)), node_in_block(node)}] = node;
          }
          if ((inside | outside) != 255) {
            ++open;
            continue;
          }
          triangles += ContourTable::get().triangle_count(inside);
          for (int e = 0; e < kCellEdges; ++e) {
            const CellEdge edge = cell_edge(e);
            if ((inside >> edge.low & 1) == (inside >> edge.high() & 1)) continue;
            edges.insert(
                {block_key({x + (edge.low & 1), y + (edge.low >> 1 & 1), z + (edge.low >> 2)}),
                 edge.axis});
          }
        }
      }
    }
    vertices = std::ssize(edges);
    for (const auto& [key, node] : unknown) missing.push_back(node);
  }
};

TEST(Contour, UnknownPartsAreLeftOutCountedAndNamed) {
  test::Random random(41);
  const auto distance = sphere_distance({0.3, 0.2, 0.1}, 9.3);
  for (int i = 0; i < 12; ++i) {
    const double share = i < 4 ? 0.001 : i < 8 ? 0.05 : 0.7;
    SampledField field = sample({-2, -2, -2}, {1, 1, 1}, distance);
    std::vector<std::uint64_t> keys;
    std::vector<std::int64_t> kept;
    for (std::int64_t b = 0; b < field.blocks.size(); ++b) {
      if (random.unit() < 0.15) continue;
      keys.push_back(field.blocks.keys()[static_cast<std::size_t>(b)]);
      kept.push_back(b);
    }
    SampledField part;
    part.blocks = BlockSet(keys);
    for (const std::int64_t b : kept) {
      part.values.insert(part.values.end(), field.block_values(b),
                         field.block_values(b) + kBlockNodes);
      part.known.push_back(field.known[static_cast<std::size_t>(b)]);
      for (int node = 0; node < kBlockNodes; ++node) {
        if (random.unit() >= share) continue;
        part.known.back()[static_cast<std::size_t>(node >> 6)] &=
            ~(std::uint64_t{1} << (node & 63));
        part.values[part.values.size() - kBlockNodes + static_cast<std::size_t>(node)] = kUnknown;
      }
    }
    const BruteForce expected(part, 20);
    const Contour result = contour(part);
    EXPECT_GT(result.open_cells, 0);
    EXPECT_EQ(result.open_cells, expected.open);
    EXPECT_EQ(result.mesh.triangle_count(), expected.triangles);
    EXPECT_EQ(result.mesh.vertex_count(), expected.vertices);
    EXPECT_EQ(count_bad_normals(result), 0);
    EXPECT_EQ(missing_nodes(part), expected.missing);
    std::vector<bool> is_used(result.mesh.vertices.size());
    for (const Triangle& t : result.mesh.triangles) {
      for (const std::int32_t v : t) is_used[static_cast<std::size_t>(v)] = true;
    }
    EXPECT_EQ(std::count(is_used.begin(), is_used.end(), false), 0);
    // A quadratic or a straight line in place of the cubic.
    for (const Vec3& p : result.mesh.vertices) {
      EXPECT_NEAR((p - Vec3(0.3, 0.2, 0.1)).norm(), 9.3, 0.02);
    }
  }
}

// What the tracker does: sample what is missing until nothing is.
TEST(Contour, SamplingMissingNodesClosesTheSurface) {
  const auto distance = sphere_distance({0.3, 0.2, 0.1}, 9.3);
  // One pair of nodes across the surface is all that is known at first.
  std::map<std::uint64_t, std::set<int>> known;
  const auto add = [&](const Vec3i& node) {
    known[block_key(block_of_node(node))].insert(node_in_block(node));
  };
  add({9, 0, 0});
  add({10, 0, 0});
  for (int round = 0; round < 100; ++round) {
    std::vector<std::uint64_t> keys;
    for (const auto& [key, nodes] : known) keys.push_back(key);
    SampledField field;
    field.blocks = BlockSet(keys);
    field.values.assign(keys.size() * kBlockNodes, kUnknown);
    field.known.resize(keys.size());
    for (std::size_t b = 0; b < keys.size(); ++b) {
      for (const int n : known[keys[b]]) {
        field.values[b * kBlockNodes + static_cast<std::size_t>(n)] =
            distance(8 * block_of_key(keys[b]) + node_offset(n));
        field.known[b][static_cast<std::size_t>(n >> 6)] |= std::uint64_t{1} << (n & 63);
      }
    }
    const std::vector<Vec3i> missing = missing_nodes(field);
    const Contour result = contour(field);
    EXPECT_EQ(missing.empty(), result.open_cells == 0);
    for (const Vec3i& node : missing) add(node);
    if (!missing.empty()) continue;
    EXPECT_EQ(count_bad_vertices(result.mesh), 0);
    EXPECT_NEAR(enclosed_volume(result.mesh), 4.0 / 3 * std::numbers::pi * std::pow(9.3, 3), 40);
    return;
  }
  FAIL() << "the surface did not close in 100 rounds";
}

TEST(Contour, NothingGivesNothing) {
  const auto expect_empty = [](const SampledField& field) {
    const Contour result = contour(field);
    EXPECT_EQ(result.mesh.vertex_count(), 0);
    EXPECT_EQ(result.mesh.triangle_count(), 0);
    EXPECT_EQ(result.open_cells, 0);
    EXPECT_TRUE(missing_nodes(field).empty());
  };
  expect_empty({});
  for (const float value : {-1.0f, 0.0f, 1.0f, kUnknown}) {
    expect_empty(sample({-1, 0, 0}, {1, 1, 1}, [&](const Vec3i&) { return value; }));
  }
}

}  // namespace
}  // namespace spindrift
