#include "spindrift/geometry/mesh_repair.hpp"

#include <fmt/format.h>

#include "spindrift/core/text.hpp"
#include "spindrift/geometry/mesh_weld.hpp"

namespace spindrift {

bool RepairReport::changed_anything() const {
  return welded_vertices + removed_collapsed + removed_duplicates + removed_unused +
             orientation.flipped_triangles + orientation.turned_components + holes.filled >
         0;
}

std::vector<std::string> RepairReport::sentences() const {
  std::vector<std::string> lines;
  const auto say = [&](std::int64_t count, const char* singular, const char* plural,
                       const char* rest) {
    if (count > 0) lines.push_back(fmt::format("{} {}", count_of(count, singular, plural), rest));
  };
  say(welded_vertices, "vertex", "vertices", "welded along open edges");
  say(removed_collapsed, "collapsed triangle", "collapsed triangles", "removed");
  say(removed_duplicates, "repeated triangle", "repeated triangles", "removed");
  say(removed_unused, "unused vertex", "unused vertices", "removed");
  say(orientation.flipped_triangles, "triangle", "triangles", "flipped to face like the others");
  say(orientation.turned_components, "closed part", "closed parts", "turned to face outwards");
  say(holes.filled, "small hole", "small holes",
      fmt::format("filled with {}", count_of(holes.added_triangles, "triangle", "triangles"))
          .c_str());
  return lines;
}

RepairReport repair_mesh(TriangleMesh& mesh, const RepairParams& params) {
  RepairReport report;
  report.removed_collapsed = remove_collapsed_triangles(mesh);
  report.welded_vertices = weld_open_edges(mesh, 0);
  const double tolerance = params.weld_tolerance * bounds(mesh).diagonal().norm();
  if (tolerance > 0) report.welded_vertices += weld_open_edges(mesh, tolerance);
  report.removed_collapsed += remove_collapsed_triangles(mesh);
  report.removed_duplicates = remove_duplicate_triangles(mesh);
  report.orientation = orient_mesh(mesh);
  report.holes = fill_small_holes(mesh, params.holes);
  if (report.holes.filled > 0) {
    // A part that was open may be closed now, and only then does it have an outside.
    const OrientationReport again = orient_mesh(mesh);
    report.orientation.flipped_triangles += again.flipped_triangles;
    report.orientation.turned_components += again.turned_components;
  }
  report.removed_unused = remove_unused_vertices(mesh);
  return report;
}

}  // namespace spindrift
