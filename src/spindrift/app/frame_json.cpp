#include "spindrift/app/frame_json.hpp"

#include <algorithm>

namespace spindrift::app {

namespace {

Json seconds_json(const Stats& stats, double total) {
  Json json = Json::object();
  double other = total;
  for (const char* phase : {"surface", "mesh", "advect", "project"}) {
    json[phase] = stats.seconds(phase);
    other -= stats.seconds(phase);
  }
  json["other"] = std::max(0.0, other);
  json["total"] = total;
  return json;
}

Json ledger_json(const Ledger& ledger) {
  const VolumeBook& book = ledger.book;
  Json bodies = Json::array();
  for (const BodyBook& body : ledger.bodies) {
    bodies.push_back({{"id", body.id}, {"volume", body.volume}, {"target", body.target}});
  }
  return {{"start", book.start},
          {"sources", book.sources},
          {"sinks", book.sinks},
          {"open_sides", book.open_sides},
          {"thickening", book.thickening},
          {"in_flight", book.in_flight},
          {"specks", book.specks},
          {"obstacles", book.obstacles},
          {"correction", book.correction},
          {"expected", book.expected()},
          {"volume", ledger.volume},
          {"kinetic", ledger.kinetic},
          {"potential", ledger.potential},
          {"momentum", {ledger.momentum[0], ledger.momentum[1], ledger.momentum[2]}},
          {"bodies", bodies}};
}

}  // namespace

Json frame_json(int frame, const FrameReport& report, double seconds) {
  return {{"frame", frame},
          {"time", report.time},
          {"steps", report.steps},
          {"tets", report.tets},
          {"triangles", report.triangles},
          {"volume", report.volume},
          {"volume_drift", report.volume_drift},
          {"energy", report.energy},
          {"max_speed", report.max_speed},
          {"residual", report.residual},
          {"iterations", report.iterations},
          {"seconds", seconds_json(report.stats, seconds)},
          {"peak_bytes", peak_bytes()},
          {"ledger", ledger_json(report.ledger)},
          {"greatest_divergence", report.greatest_divergence},
          {"hanging", report.hanging}};
}

}  // namespace spindrift::app
