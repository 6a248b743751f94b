#include "spindrift/app/output.hpp"

#include <cstdio>

namespace spindrift::app {

void print_text(std::string line) {
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

void print_json(const Json& object) {
  // Bytes of file names need not be UTF-8; they must not stop the line.
  print_line("{}", object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void write_to_terminal(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

Json to_json(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

Json to_json(const Box3& box) {
  if (box.isEmpty()) return nullptr;
  return {{"min", to_json(Vec3(box.min()))}, {"max", to_json(Vec3(box.max()))}};
}

Json to_json(const Location& location) {
  Json json = {{"file", location.file}};
  if (location.line > 0) json["line"] = location.line;
  if (location.column > 0) json["column"] = location.column;
  if (location.byte >= 0) json["byte"] = location.byte;
  return json;
}

Json to_json(const Error& error) {
  Json json = to_json(error.location());
  json["problem"] = error.problem();
  if (!error.advice().empty()) json["advice"] = error.advice();
  return json;
}

std::string size_text(const Vec3& size) {
  return fmt::format("{:.4g} x {:.4g} x {:.4g} m", size.x(), size.y(), size.z());
}

}  // namespace spindrift::app
