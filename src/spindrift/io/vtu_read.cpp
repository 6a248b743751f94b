#include "spindrift/io/vtu_read.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/io/byte_order.hpp"

namespace spindrift {

namespace {

constexpr std::uint8_t kVtkTetra = 10;
constexpr std::string_view kDataTag = "<AppendedData";

enum class NumberType { int8, uint8, int32, uint32, int64, uint64, float32, float64 };

struct TypeName {
  std::string_view name;
  NumberType type;
  std::int64_t bytes;
};
constexpr std::array<TypeName, 8> kTypes = {{{"Int8", NumberType::int8, 1},
                                             {"UInt8", NumberType::uint8, 1},
                                             {"Int32", NumberType::int32, 4},
                                             {"UInt32", NumberType::uint32, 4},
                                             {"Int64", NumberType::int64, 8},
                                             {"UInt64", NumberType::uint64, 8},
                                             {"Float32", NumberType::float32, 4},
                                             {"Float64", NumberType::float64, 8}}};

// A start tag of the header: `<Name key="value" ...>`.
struct Tag {
  std::string_view name, attributes;
  std::int64_t byte = 0;

  [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const {
    for (std::size_t at = attributes.find(key); at != std::string_view::npos;
         at = attributes.find(key, at + 1)) {
      const std::string_view rest = attributes.substr(at + key.size());
      const bool is_whole = at > 0 && attributes[at - 1] == ' ' && rest.starts_with("=\"");
      if (!is_whole) continue;
      const std::size_t end = rest.find('"', 2);
      if (end == std::string_view::npos) return std::nullopt;
      return rest.substr(2, end - 2);
    }
    return std::nullopt;
  }
};

// As write_vtu() escapes.
std::string unescaped(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 3> kEscapes = {
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&quot;", '"'}}};
  std::string result;
  while (!text.empty()) {
    std::size_t length = 1;
    char c = text.front();
    for (const auto& [escape, meant] : kEscapes) {
      if (!text.starts_with(escape)) continue;
      length = escape.size();
      c = meant;
    }
    result += c;
    text.remove_prefix(length);
  }
  return result;
}

// Numbers of one array, somewhere in the file.
struct Numbers {
  std::string name;
  const TypeName* type = nullptr;
  int components = 1;
  std::int64_t offset = 0;  // after the underscore
  std::int64_t byte = 0;    // of its tag
};

class VtuReader {
 public:
  VtuReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  TetFile read() {
    read_header();
    read_points();
    read_cells();
    for (const Numbers& numbers : cell_data_) read_cell_data(numbers);
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(std::int64_t byte, std::string problem) const {
    throw InputError({.file = name_, .byte = byte}, std::move(problem),
                     "the file is damaged, or not one that spindrift writes");
  }

  std::string_view attribute(const Tag& tag, std::string_view key) const {
    const auto value = tag.find(key);
    if (!value) fail(tag.byte, fmt::format("<{}> has no {}", tag.name, key));
    return *value;
  }

  std::int64_t count_attribute(const Tag& tag, std::string_view key, std::int64_t most) const {
    const std::string_view text = attribute(tag, key);
    std::int64_t value = -1;
    const auto end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end || value < 0 || value > most) {
      fail(tag.byte, fmt::format("{} of <{}> is no number from 0 to {}", key, tag.name, most));
    }
    return value;
  }

  void read_header() {
    const std::size_t appended = bytes_.find(kDataTag);
    if (appended == std::string_view::npos) fail(0, "has no appended data");
    header_ = bytes_.substr(0, appended);
    std::string_view section;
    for (std::size_t at = header_.find('<'); at != std::string_view::npos;
         at = header_.find('<', at + 1)) {
      const Tag tag = tag_at(at);
      if (tag.name == "VTKFile") check_kind(tag);
      if (tag.name == "Piece") read_piece(tag);
      if (tag.name == "Points" || tag.name == "Cells" || tag.name == "CellData" ||
          tag.name == "PointData") {
        section = tag.name;
      }
      if (tag.name == "DataArray") add_array(section, numbers_of(tag));
    }
    if (points_ < 0) fail(0, "has no <Piece>");
    find_data(appended);
  }

  Tag tag_at(std::size_t at) const {
    std::size_t end = at;  // of the tag: the first > outside of quotes
    for (bool is_quoted = false; end < header_.size(); ++end) {
      if (header_[end] == '"') is_quoted = !is_quoted;
      if (header_[end] == '>' && !is_quoted) break;
    }
    if (end == header_.size()) {
      fail(static_cast<std::int64_t>(at), "this tag does not end");
    }
    const std::string_view inside = header_.substr(at + 1, end - at - 1);
    const std::size_t name_end = std::min(inside.find_first_of(" \n/"), inside.size());
    return {inside.substr(0, name_end), inside.substr(name_end), static_cast<std::int64_t>(at)};
  }

  void check_kind(const Tag& tag) const {
    if (attribute(tag, "type") != "UnstructuredGrid") fail(tag.byte, "is no unstructured grid");
    if (attribute(tag, "byte_order") != "LittleEndian") fail(tag.byte, "is not little endian");
    if (attribute(tag, "header_type") != "UInt64") fail(tag.byte, "has another header_type");
    if (tag.find("compressor")) fail(tag.byte, "is compressed");
  }

  void read_piece(const Tag& tag) {
    if (points_ >= 0) fail(tag.byte, "has several pieces");
    points_ = count_attribute(tag, "NumberOfPoints", std::numeric_limits<std::int32_t>::max());
    cells_ = count_attribute(tag, "NumberOfCells", std::numeric_limits<std::int32_t>::max());
  }

  Numbers numbers_of(const Tag& tag) const {
    if (attribute(tag, "format") != "appended") fail(tag.byte, "its data is not appended");
    Numbers numbers;
    numbers.byte = tag.byte;
    numbers.name = unescaped(attribute(tag, "Name"));
    const std::string_view type = attribute(tag, "type");
    for (const TypeName& known : kTypes) {
      if (known.name == type) numbers.type = &known;
    }
    if (numbers.type == nullptr) fail(tag.byte, fmt::format("'{}' is no type of numbers", type));
    if (tag.find("NumberOfComponents")) {
      numbers.components = static_cast<int>(count_attribute(tag, "NumberOfComponents", 9));
    }
    if (numbers.components == 0) fail(tag.byte, "has no components");
    numbers.offset = count_attribute(tag, "offset", std::ssize(bytes_));
    return numbers;
  }

  void add_array(std::string_view section, Numbers numbers) {
    if (section == "Points")
      positions_ = std::move(numbers);
    else if (section == "CellData")
      cell_data_.push_back(std::move(numbers));
    else if (section == "Cells" && numbers.name == "connectivity")
      corners_ = std::move(numbers);
    else if (section == "Cells" && numbers.name == "offsets")
      ends_ = std::move(numbers);
    else if (section == "Cells" && numbers.name == "types")
      types_ = std::move(numbers);
  }

  void find_data(std::size_t appended) {
    const std::size_t end = bytes_.find('>', appended);
    const std::size_t underscore = bytes_.find('_', std::min(end, bytes_.size()));
    if (underscore == std::string_view::npos) {
      fail(static_cast<std::int64_t>(appended), "the appended data does not begin");
    }
    if (bytes_.substr(appended, end - appended).find("encoding=\"raw\"") ==
        std::string_view::npos) {
      fail(static_cast<std::int64_t>(appended), "the appended data is not raw");
    }
    data_begin_ = static_cast<std::int64_t>(underscore) + 1;
  }

  // Its first byte, after it was made sure that all are there: `count` numbers, or any number of
  // them if that is -1.
  const char* data_of(const Numbers& numbers, std::int64_t& count) const {
    const std::int64_t begin = data_begin_ + numbers.offset;
    const std::int64_t header = sizeof(std::uint64_t);
    if (begin > std::ssize(bytes_) - header) fail(std::ssize(bytes_), "ends too early");
    const auto size = load<std::uint64_t>(bytes_.data() + begin, ByteOrder::little);
    const auto room = static_cast<std::uint64_t>(std::ssize(bytes_) - begin - header);
    if (size > room) {
      fail(begin, fmt::format("{} promises {} bytes, but the file ends after {}", numbers.name,
                              with_commas(static_cast<std::int64_t>(size)), room));
    }
    const std::int64_t found = static_cast<std::int64_t>(size) / numbers.type->bytes;
    if (count >= 0 && found != count) {
      fail(begin, fmt::format("{} has {} numbers; {} are announced", numbers.name,
                              with_commas(found), with_commas(count)));
    }
    count = found;
    return bytes_.data() + begin + header;
  }

  // Calls use(number(i) as T, whatever its type in the file).
  template <class T, class Use>
  static void with_numbers(const TypeName& type, const char* data, const Use& use) {
    const auto as = [&]<class Stored>(Stored) {
      use([data](std::int64_t i) {
        return static_cast<T>(
            load<Stored>(data + i * std::int64_t{sizeof(Stored)}, ByteOrder::little));
      });
    };
    switch (type.type) {
      case NumberType::int8:
        return as(std::int8_t{});
      case NumberType::uint8:
        return as(std::uint8_t{});
      case NumberType::int32:
        return as(std::int32_t{});
      case NumberType::uint32:
        return as(std::uint32_t{});
      case NumberType::int64:
        return as(std::int64_t{});
      case NumberType::uint64:
        return as(std::uint64_t{});
      case NumberType::float32:
        return as(float{});
      case NumberType::float64:
        return as(double{});
    }
  }

  void require(const Numbers& numbers, std::string_view what, bool is_float) const {
    if (numbers.type == nullptr) fail(0, fmt::format("has no {}", what));
    const bool has_floats = numbers.type->name.starts_with("Float");
    if (has_floats != is_float) fail(numbers.byte, fmt::format("{} are of another type", what));
  }

  void read_points() {
    require(positions_, "points", true);
    if (positions_.components != 3) fail(positions_.byte, "points have three components");
    std::int64_t count = 3 * points_;
    const char* data = data_of(positions_, count);
    file_.mesh.vertices.resize(static_cast<std::size_t>(points_));
    with_numbers<double>(*positions_.type, data, [&](const auto& number) {
      parallel_for_each(points_, [&](std::int64_t i) {
        file_.mesh.vertices[i] = Vec3(number(3 * i), number(3 * i + 1), number(3 * i + 2));
      });
    });
    for (const Vec3& vertex : file_.mesh.vertices) {
      if (!vertex.allFinite()) fail(positions_.byte, "a point is not finite");
    }
  }

  void read_cells() {
    require(corners_, "connectivity", false);
    require(ends_, "offsets", false);
    require(types_, "types", false);
    std::int64_t type_count = cells_, end_count = cells_, corner_count = -1;
    const char* types = data_of(types_, type_count);
    const char* ends = data_of(ends_, end_count);
    const char* corners = data_of(corners_, corner_count);
    with_numbers<std::int64_t>(*types_.type, types, [&](const auto& type) {
      for (std::int64_t cell = 0; cell < cells_; ++cell) {
        if (type(cell) == kVtkTetra) tet_cells_.push_back(static_cast<std::int32_t>(cell));
      }
    });
    file_.mesh.tets.resize(tet_cells_.size());
    with_numbers<std::int64_t>(*ends_.type, ends, [&](const auto& end) {
      with_numbers<std::int64_t>(*corners_.type, corners, [&](const auto& corner) {
        for (std::size_t i = 0; i < tet_cells_.size(); ++i) {
          const std::int64_t last = end(tet_cells_[i]);
          if (last < 4 || last > corner_count) fail(ends_.byte, "an offset leads astray");
          for (std::int64_t k = 0; k < 4; ++k) {
            const std::int64_t vertex = corner(last - 4 + k);
            if (vertex < 0 || vertex >= points_) {
              fail(corners_.byte, fmt::format("there is no point {}", vertex));
            }
            file_.mesh.tets[i][static_cast<std::size_t>(k)] = static_cast<std::int32_t>(vertex);
          }
        }
      });
    });
  }

  void read_cell_data(const Numbers& numbers) {
    std::int64_t count = numbers.components * cells_;
    const char* data = data_of(numbers, count);
    TetArray array{numbers.name, numbers.components, {}};
    array.values.resize(tet_cells_.size() * static_cast<std::size_t>(numbers.components));
    with_numbers<double>(*numbers.type, data, [&](const auto& number) {
      parallel_for_each(std::ssize(tet_cells_), [&](std::int64_t i) {
        for (int k = 0; k < numbers.components; ++k) {
          array.values[static_cast<std::size_t>(i * numbers.components + k)] = number(
              std::int64_t{tet_cells_[static_cast<std::size_t>(i)]} * numbers.components + k);
        }
      });
    });
    file_.arrays.push_back(std::move(array));
  }

  std::string_view bytes_, header_;
  const std::string& name_;
  std::int64_t points_ = -1, cells_ = -1, data_begin_ = 0;
  Numbers positions_, corners_, ends_, types_;
  std::vector<Numbers> cell_data_;
  std::vector<std::int32_t> tet_cells_;
  TetFile file_;
};

}  // namespace

const TetArray* TetFile::find(std::string_view name, int components) const {
  for (const TetArray& array : arrays) {
    if (array.name == name && array.components == components) return &array;
  }
  return nullptr;
}

TetFile parse_vtu(std::string_view bytes, const std::string& name) {
  return VtuReader(bytes, name).read();
}

}  // namespace spindrift
