#include "spindrift/io/vtu.hpp"

#include <limits>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/io/bulk_write.hpp"
#include "spindrift/io/byte_order.hpp"
#include "spindrift/io/xml.hpp"
#include "spindrift/mesh/tet_faces.hpp"

namespace spindrift {

namespace {

constexpr std::uint8_t kVtkTriangle = 5;
constexpr std::uint8_t kVtkTetra = 10;

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, double>) return "Float64";
  if constexpr (std::is_same_v<T, std::int32_t>) return "Int32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "Int64";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "UInt8";
}

// The XML that describes the arrays, and where each lies after it: its size in bytes as UInt64,
// then its numbers.
class Header {
 public:
  template <class T>
  void array(std::string_view name, int components, std::int64_t numbers) {
    text_ += fmt::format(
        R"(<DataArray type="{}" Name="{}" NumberOfComponents="{}" format="appended" offset="{}"/>)"
        "\n",
        type_name<T>(), xml_escaped(name), components, offset_);
    offset_ += std::int64_t{sizeof(std::uint64_t)} + numbers * std::int64_t{sizeof(T)};
  }
  void line(std::string_view text) { text_.append(text).append("\n"); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::int64_t offset_ = 0;
};

std::int64_t number_count(const CellData& data) {
  return std::visit([](const auto& values) { return std::ssize(values); }, data.values);
}

// Up to the arrays of numbers of cells.
Header grid_header(std::int64_t points, std::int64_t cells, std::int64_t corners) {
  Header header;
  header.line(R"(<?xml version="1.0"?>)");
  header.line(R"(<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" )"
              R"(header_type="UInt64">)");
  header.line("<UnstructuredGrid>");
  header.line(fmt::format(R"(<Piece NumberOfPoints="{}" NumberOfCells="{}">)", points, cells));
  header.line("<Points>");
  header.array<double>("Points", 3, 3 * points);
  header.line("</Points>\n<Cells>");
  header.array<std::int32_t>("connectivity", 1, corners);
  header.array<std::int64_t>("offsets", 1, cells);
  header.array<std::uint8_t>("types", 1, cells);
  header.line("</Cells>\n<CellData>");
  return header;
}

std::string finished(const Header& header) {
  return header.text() +
         "</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
}

std::string header_of(const TetMesh& mesh, std::span<const CellData> cell_data,
                      std::int64_t triangles) {
  const std::int64_t tets = mesh.tet_count();
  const std::int64_t cells = tets + triangles;
  Header header = grid_header(mesh.vertex_count(), cells, 4 * tets + 3 * triangles);
  if (triangles > 0) header.array<std::uint8_t>("boundary", 1, cells);
  for (const CellData& data : cell_data) {
    SPINDRIFT_ASSERT(data.components == 1 || data.components == 3);
    SPINDRIFT_ASSERT(number_count(data) == data.components * tets);
    std::visit(
        [&]<class T>(std::span<const T>) {
          header.array<T>(data.name, data.components, data.components * cells);
        },
        data.values);
  }
  return finished(header);
}

// Writes numbers in the order that the header announced; number(i) makes one.
template <class T, class Number>
void write_array(AtomicFile& file, std::int64_t count, const Number& number) {
  constexpr std::int64_t kBytes = sizeof(T);
  std::array<char, sizeof(std::uint64_t)> size;
  store(size.data(), static_cast<std::uint64_t>(count * kBytes), ByteOrder::little);
  file.write({size.data(), size.size()});
  write_rows(file, count, kBytes,
             [&](std::int64_t i, char* to) { store(to, T{number(i)}, ByteOrder::little); });
}

template <class Points>
void write_points(AtomicFile& file, const Points& points) {
  write_array<double>(file, 3 * std::ssize(points),
                      [&](std::int64_t i) { return points[i / 3][i % 3]; });
}

FileStamp finish(AtomicFile& file) {
  file.write("\n</AppendedData>\n</VTKFile>\n");
  return file.commit();
}

std::uint8_t vtk_type(CellKind kind) {
  switch (kind) {
    case CellKind::point:
      return 1;
    case CellKind::line:
      return 3;
    case CellKind::tetrahedron:
      return kVtkTetra;
    case CellKind::hexahedron:
      break;
  }
  return 12;
}

}  // namespace

FileStamp write_vtu(const std::filesystem::path& path, const TetMesh& mesh,
                    std::span<const CellData> cell_data, std::span<const TaggedFace> boundary) {
  require_at_most(path, mesh.vertices, std::numeric_limits<double>::max(), "position",
                  "is no place");
  const std::int64_t tets = mesh.tet_count(), corners = 4 * tets;
  const std::int64_t triangles = std::ssize(boundary), cells = tets + triangles;
  const std::string header = header_of(mesh, cell_data, triangles);
  AtomicFile file(path);
  file.write(header);
  write_points(file, mesh.vertices);
  write_array<std::int32_t>(file, corners + 3 * triangles, [&](std::int64_t i) {
    if (i < corners) return mesh.tets[i / 4][i % 4];
    return face_corners(mesh, boundary[(i - corners) / 3].side)[(i - corners) % 3];
  });
  write_array<std::int64_t>(file, cells, [&](std::int64_t cell) {
    return cell < tets ? 4 * (cell + 1) : corners + 3 * (cell - tets + 1);
  });
  write_array<std::uint8_t>(
      file, cells, [&](std::int64_t cell) { return cell < tets ? kVtkTetra : kVtkTriangle; });
  if (triangles > 0) {
    write_array<std::uint8_t>(file, cells, [&](std::int64_t cell) {
      const FaceTag tag = cell < tets ? FaceTag::inside : boundary[cell - tets].tag;
      return static_cast<std::uint8_t>(tag);
    });
  }
  for (const CellData& data : cell_data) {
    std::visit(
        [&]<class T>(std::span<const T> values) {
          write_array<T>(file, data.components * cells,
                         [&](std::int64_t i) { return i < std::ssize(values) ? values[i] : T{0}; });
        },
        data.values);
  }
  return finish(file);
}

FileStamp write_vtu(const std::filesystem::path& path, const LabelledCells& cells) {
  SPINDRIFT_ASSERT(std::ssize(cells.corners) == corner_count(cells.kind) * cells.count());
  require_at_most(path, cells.points, std::numeric_limits<double>::max(), "position",
                  "is no place");
  Header header = grid_header(std::ssize(cells.points), cells.count(), std::ssize(cells.corners));
  header.array<std::int32_t>(cells.label, 1, cells.count());
  AtomicFile file(path);
  file.write(finished(header));
  write_points(file, cells.points);
  write_array<std::int32_t>(file, std::ssize(cells.corners),
                            [&](std::int64_t i) { return cells.corners[i]; });
  write_array<std::int64_t>(file, cells.count(), [&](std::int64_t cell) {
    return corner_count(cells.kind) * (cell + 1);
  });
  write_array<std::uint8_t>(file, cells.count(),
                            [&](std::int64_t) { return vtk_type(cells.kind); });
  write_array<std::int32_t>(file, cells.count(),
                            [&](std::int64_t cell) { return cells.labels[cell]; });
  return finish(file);
}

}  // namespace spindrift
