#include "spindrift/io/mesh_builder.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/io/polygon.hpp"

namespace spindrift {

namespace {

constexpr std::int64_t kChunk = 4096;

bool is_degenerate(const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

}  // namespace

std::string corner_range(std::int64_t vertex_count, std::int64_t first) {
  if (vertex_count == 0) return "the file has no vertices";
  return fmt::format("the file has {}, numbered {} to {}",
                     count_of(vertex_count, "vertex", "vertices"), first, vertex_count - 1 + first);
}

void check_vertex_count(std::int64_t count, const Location& where) {
  if (count <= kMostVertices) return;
  throw InputError(where,
                   fmt::format("more than {}", count_of(kMostVertices, "vertex", "vertices")),
                   "simplify the mesh or split it into several files");
}

void MeshBuilder::add_face(std::span<const std::int32_t> corners) {
  if (corners.size() == 3) {
    file_.mesh.triangles.push_back({corners[0], corners[1], corners[2]});
    return;
  }
  distinct_.clear();
  for (const std::int32_t corner : corners) {
    if (distinct_.empty() || distinct_.back() != corner) distinct_.push_back(corner);
  }
  while (distinct_.size() > 1 && distinct_.back() == distinct_.front()) distinct_.pop_back();
  if (distinct_.size() > 3) {
    add_polygon(distinct_);
  } else if (distinct_.size() == 3) {
    file_.mesh.triangles.push_back({distinct_[0], distinct_[1], distinct_[2]});
  } else {
    ++left_out_;
  }
}

void MeshBuilder::add_polygon(std::span<const std::int32_t> corners) {
  std::vector<Triangle>& triangles = file_.mesh.triangles;
  polygons_.push_back({std::ssize(corners_), std::ssize(triangles), std::ssize(corners)});
  corners_.insert(corners_.end(), corners.begin(), corners.end());
  triangles.resize(triangles.size() + corners.size() - 2);
}

void MeshBuilder::note(std::int64_t count, std::string_view singular, std::string_view plural,
                       std::string_view done) {
  if (count > 0) note(fmt::format("{} {}", count_of(count, singular, plural), done));
}

// Returns how many could not be cut cleanly.
std::int64_t MeshBuilder::cut_polygons() {
  TriangleMesh& mesh = file_.mesh;
  const auto cut_some = [&](std::int64_t begin, std::int64_t end) {
    PolygonCutter cutter;
    std::vector<Vec3> points;
    std::int64_t unclean = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const Polygon& polygon = polygons_[i];
      const std::span corners(corners_.data() + polygon.first_corner,
                              static_cast<std::size_t>(polygon.corner_count));
      const std::span triangles(mesh.triangles.data() + polygon.first_triangle, corners.size() - 2);
      points.clear();
      for (const std::int32_t corner : corners) points.push_back(mesh.vertices[corner]);
      unclean += cutter.cut(points, triangles) ? 0 : 1;
      for (Triangle& triangle : triangles) {
        for (std::int32_t& k : triangle) k = corners[k];
      }
    }
    return unclean;
  };
  return parallel_reduce_chunks(std::ssize(polygons_), 256, std::int64_t{0}, cut_some,
                                std::plus<>());
}

void MeshBuilder::drop_degenerate() {
  std::vector<Triangle>& triangles = file_.mesh.triangles;
  const auto count_some = [&](std::int64_t begin, std::int64_t end) {
    return static_cast<std::int64_t>(
        std::count_if(triangles.begin() + begin, triangles.begin() + end, is_degenerate));
  };
  const std::int64_t count = parallel_reduce_chunks(std::ssize(triangles), kChunk, std::int64_t{0},
                                                    count_some, std::plus<>());
  if (count > 0) std::erase_if(triangles, is_degenerate);
  left_out_ += count;
}

MeshFile MeshBuilder::finish() {
  const std::int64_t unclean = cut_polygons();
  drop_degenerate();
  const Location where{.file = name_};
  if (file_.mesh.triangles.empty()) {
    const std::string points = count_of(file_.mesh.vertex_count(), "point", "points");
    if (left_out_ > 0) {
      throw InputError(where, fmt::format("none of its {} has three different corners",
                                          count_of(left_out_, "face", "faces")));
    }
    throw InputError(where, fmt::format("has {} and no faces", points),
                     "give a surface: a mesh of triangles or polygons");
  }
  note(std::ssize(polygons_), "polygon", "polygons", "with more than 3 corners cut into triangles");
  note(unclean, "polygon", "polygons",
       "without area, crossing itself or too intricate cut as well as possible");
  note(left_out_, "face", "faces", "with fewer than 3 different corners left out");
  return std::move(file_);
}

}  // namespace spindrift
