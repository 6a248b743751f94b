#include "spindrift/app/view_particles.hpp"

#include <array>
#include <cmath>

#include "spindrift/app/view_pack.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/io/ply_header.hpp"
#include "spindrift/io/ply_rows.hpp"

namespace spindrift::app {

std::string points_pack(std::string_view bytes, const std::string& name) {
  const PlyHeader header = parse_ply_header(bytes, name);
  const auto fail = [&](std::int64_t byte, std::string problem) {
    throw InputError({.file = name, .byte = byte}, std::move(problem), "the file is damaged");
  };
  if (header.format == PlyFormat::text || header.elements.empty() ||
      header.elements[0].name != "vertex" || header.elements[0].has_lists()) {
    fail(0, "holds no binary particles");
  }
  const PlyElement& vertices = header.elements[0];
  const std::int64_t row_bytes = vertices.least_row_bytes(header.format);
  const std::array<int, 3> axes = {vertices.find("x"), vertices.find("y"), vertices.find("z")};
  for (const int axis : axes) {
    if (axis < 0) fail(0, "particles have no x, y and z");
  }
  if (vertices.count > (std::ssize(bytes) - header.data_begin) / row_bytes) {
    fail(std::ssize(bytes), "ends before the last particle");
  }
  Pack pack;
  const std::size_t positions = pack.declare<float>("position", 3, vertices.count);
  pack.lay_out(Json::object());
  const std::span<float> to = pack.array<float>(positions);
  const auto order = header.format == PlyFormat::big_endian ? ByteOrder::big : ByteOrder::little;
  for (std::int64_t i = 0; i < vertices.count; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const PlyType type = vertices.properties[static_cast<std::size_t>(axes[k])].type;
      const char* from =
          bytes.data() + header.data_begin + i * row_bytes + vertices.offset_of(axes[k]);
      const auto value =
          with_type(type, [&]<class T>(T) { return static_cast<float>(load<T>(from, order)); });
      if (!std::isfinite(value)) fail(from - bytes.data(), "a particle is nowhere");
      to[static_cast<std::size_t>(3 * i) + k] = value;
    }
  }
  return std::move(pack).take();
}

}  // namespace spindrift::app
