#include "spindrift/io/vtu.hpp"

#include <limits>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/io/bulk_write.hpp"
#include "spindrift/io/byte_order.hpp"

namespace spindrift {

namespace {

constexpr std::uint8_t kVtkTetra = 10;

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, double>) return "Float64";
  if constexpr (std::is_same_v<T, std::int32_t>) return "Int32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "Int64";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "UInt8";
}

std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '"':
        text += "&quot;";
        break;
      default:
        text += c;
    }
  }
  return text;
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
        type_name<T>(), escaped(name), components, offset_);
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

std::string header_of(const TetMesh& mesh, std::span<const CellData> cell_data) {
  const std::int64_t tets = mesh.tet_count();
  Header header;
  header.line(R"(<?xml version="1.0"?>)");
  header.line(R"(<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" )"
              R"(header_type="UInt64">)");
  header.line("<UnstructuredGrid>");
  header.line(
      fmt::format(R"(<Piece NumberOfPoints="{}" NumberOfCells="{}">)", mesh.vertex_count(), tets));
  header.line("<Points>");
  header.array<double>("Points", 3, 3 * mesh.vertex_count());
  header.line("</Points>\n<Cells>");
  header.array<std::int32_t>("connectivity", 1, 4 * tets);
  header.array<std::int64_t>("offsets", 1, tets);
  header.array<std::uint8_t>("types", 1, tets);
  header.line("</Cells>\n<CellData>");
  for (const CellData& data : cell_data) {
    SPINDRIFT_ASSERT(data.components == 1 || data.components == 3);
    SPINDRIFT_ASSERT(number_count(data) == data.components * tets);
    std::visit(
        [&]<class T>(std::span<const T> values) {
          header.array<T>(data.name, data.components, std::ssize(values));
        },
        data.values);
  }
  header.line("</CellData>\n</Piece>\n</UnstructuredGrid>");
  return header.text() + "<AppendedData encoding=\"raw\">\n_";
}

// Writes count x kWidth numbers, in the order that the header announced; number(row, k) makes one.
template <class T, int kWidth, class Number>
void write_array(AtomicFile& file, std::int64_t count, const Number& number) {
  constexpr std::int64_t kRowBytes = kWidth * std::int64_t{sizeof(T)};
  std::array<char, sizeof(std::uint64_t)> size;
  store(size.data(), static_cast<std::uint64_t>(count * kRowBytes), ByteOrder::little);
  file.write({size.data(), size.size()});
  write_rows(file, count, kRowBytes, [&](std::int64_t row, char* to) {
    for (int k = 0; k < kWidth; ++k) {
      store(to + k * std::int64_t{sizeof(T)}, T{number(row, k)}, ByteOrder::little);
    }
  });
}

}  // namespace

void write_vtu(const std::filesystem::path& path, const TetMesh& mesh,
               std::span<const CellData> cell_data) {
  require_at_most(path, mesh.vertices, std::numeric_limits<double>::max(), "position",
                  "is no place");
  const std::string header = header_of(mesh, cell_data);
  AtomicFile file(path);
  file.write(header);
  write_array<double, 3>(file, mesh.vertex_count(),
                         [&](std::int64_t v, int axis) { return mesh.vertices[v][axis]; });
  write_array<std::int32_t, 4>(file, mesh.tet_count(),
                               [&](std::int64_t t, int k) { return mesh.tets[t][k]; });
  write_array<std::int64_t, 1>(file, mesh.tet_count(),
                               [](std::int64_t t, int) { return 4 * (t + 1); });
  write_array<std::uint8_t, 1>(file, mesh.tet_count(), [](std::int64_t, int) { return kVtkTetra; });
  for (const CellData& data : cell_data) {
    std::visit(
        [&]<class T>(std::span<const T> values) {
          write_array<T, 1>(file, std::ssize(values),
                            [&](std::int64_t i, int) { return values[i]; });
        },
        data.values);
  }
  file.write("\n</AppendedData>\n</VTKFile>\n");
  file.commit();
}

}  // namespace spindrift
