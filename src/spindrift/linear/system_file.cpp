#include "spindrift/linear/system_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

namespace spindrift {
namespace {

constexpr std::string_view kMagic = "spndsys1";

struct Header {
  std::array<char, 8> magic{};
  std::int64_t rows = 0, nonzeros = 0;

  // Where the arrays begin.
  [[nodiscard]] std::int64_t starts_at() const { return sizeof(Header); }
  [[nodiscard]] std::int64_t columns_at() const { return starts_at() + 8 * (rows + 1); }
  [[nodiscard]] std::int64_t values_at() const { return columns_at() + 4 * nonzeros; }
  [[nodiscard]] std::int64_t right_hand_side_at() const { return values_at() + 8 * nonzeros; }
  [[nodiscard]] std::int64_t end() const { return right_hand_side_at() + 8 * rows; }
};
static_assert(sizeof(Header) == 24);

template <class Numbers>
std::string_view bytes_of(const Numbers& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()),
          numbers.size() * sizeof(typename Numbers::value_type)};
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : path_(path), file_(path, std::ios::binary | std::ios::ate) {
    if (!file_) throw InputError({.file = path_.string()}, "cannot be opened", "check the name");
    size_ = static_cast<std::int64_t>(file_.tellg());
  }
  [[nodiscard]] Header header() {
    Header header;
    if (size_ < std::int64_t{sizeof header}) fail(0, "is no linear system");
    read(0, &header, sizeof header);
    if (std::string_view(header.magic.data(), header.magic.size()) != kMagic) {
      fail(0, "is no linear system");
    }
    // Also so few that no sum of sizes overflows.
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (header.rows < 0 || header.rows > kMost) fail(8, "the number of rows is out of range");
    if (header.nonzeros < 0 || header.nonzeros > size_) {
      fail(16, "the number of non-zeros is out of range");
    }
    if (header.end() != size_) {
      fail(size_, fmt::format("the file should have {} bytes", header.end()));
    }
    return header;
  }
  template <class T>
  [[nodiscard]] Buffer<T> numbers(std::int64_t at, std::int64_t first, std::int64_t count) {
    Buffer<T> result(static_cast<std::size_t>(count));
    constexpr auto kSize = std::int64_t{sizeof(T)};
    read(at + kSize * first, result.data(), kSize * count);
    return result;
  }
  [[noreturn]] void fail(std::int64_t byte, std::string problem) const {
    throw InputError({.file = path_.string(), .byte = byte}, std::move(problem),
                     "write it again with write_system");
  }

 private:
  void read(std::int64_t at, void* to, std::int64_t count) {
    file_.seekg(at);
    file_.read(static_cast<char*>(to), count);
    if (!file_) throw SystemError({.file = path_.string(), .byte = at}, "cannot be read");
  }

  std::filesystem::path path_;
  std::ifstream file_;
  std::int64_t size_ = 0;
};

}  // namespace

void write_system(const std::filesystem::path& path, const CsrMatrix& a,
                  std::span<const double> b) {
  SPINDRIFT_ASSERT(std::ssize(b) == a.rows());
  Header header{.rows = a.rows(), .nonzeros = a.nonzeros()};
  std::copy(kMagic.begin(), kMagic.end(), header.magic.begin());
  AtomicFile file(path);
  file.write({reinterpret_cast<const char*>(&header), sizeof header});
  file.write(bytes_of(a.starts));
  file.write(bytes_of(a.columns));
  file.write(bytes_of(a.values));
  file.write(bytes_of(b));
  file.commit();
}

SystemRows read_system(const std::filesystem::path& path, int part, int parts) {
  Reader reader(path);
  const Header header = reader.header();
  SystemRows result;
  result.all_rows = header.rows;
  result.first_row = header.rows * part / parts;
  const std::int64_t count = header.rows * (part + 1) / parts - result.first_row;
  CsrMatrix& a = result.matrix;
  a.starts = reader.numbers<std::int64_t>(header.starts_at(), result.first_row, count + 1);
  const std::int64_t first = a.starts.front();
  const bool is_sorted = std::is_sorted(a.starts.begin(), a.starts.end());
  const bool is_whole =
      (part > 0 || first == 0) && (part + 1 < parts || a.starts.back() == header.nonzeros);
  if (!is_sorted || !is_whole || first < 0 || a.starts.back() > header.nonzeros) {
    reader.fail(header.starts_at(), "the starts of the rows are out of order");
  }
  const std::int64_t nonzeros = a.starts.back() - first;
  for (std::int64_t& start : a.starts) start -= first;
  a.columns = reader.numbers<std::int32_t>(header.columns_at(), first, nonzeros);
  for (const std::int32_t column : a.columns) {
    if (column < 0 || column >= header.rows) {
      reader.fail(header.columns_at(), fmt::format("there is no column {}", column));
    }
  }
  a.values = reader.numbers<double>(header.values_at(), first, nonzeros);
  result.right_hand_side =
      reader.numbers<double>(header.right_hand_side_at(), result.first_row, count);
  return result;
}

}  // namespace spindrift
