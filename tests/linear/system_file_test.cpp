#include "spindrift/linear/system_file.hpp"

#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

#include "linear/matrices.hpp"
#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

TEST(SystemFile, GivesBackWhatWasWritten) {
  const test::TemporaryFolder folder;
  test::Random random(1);
  const CsrMatrix a = test::random_matrix(101, true, random);
  const std::vector<double> b = test::random_vector(101, random);
  write_system(folder / "a.system", a, b);
  for (const int parts : {1, 2, 3, 101, 150}) {
    SCOPED_TRACE(parts);
    std::int64_t next = 0;
    std::vector<std::pair<std::int32_t, double>> found, expected;
    std::vector<double> found_b;
    for (int part = 0; part < parts; ++part) {
      const SystemRows rows = read_system(folder / "a.system", part, parts);
      EXPECT_EQ(rows.all_rows, 101);
      EXPECT_EQ(rows.first_row, next);
      EXPECT_EQ(rows.matrix.starts.front(), 0);
      next += rows.matrix.rows();
      for (std::int64_t row = 0; row < rows.matrix.rows(); ++row) {
        rows.matrix.for_row(row, [&](auto... entry) { found.emplace_back(entry...); });
      }
      found_b.insert(found_b.end(), rows.right_hand_side.begin(), rows.right_hand_side.end());
    }
    for (std::int64_t row = 0; row < a.rows(); ++row) {
      a.for_row(row, [&](auto... entry) { expected.emplace_back(entry...); });
    }
    EXPECT_EQ(next, 101);
    EXPECT_EQ(found, expected);
    EXPECT_EQ(found_b, b);
  }
}

TEST(SystemFile, MayBeEmpty) {
  const test::TemporaryFolder folder;
  write_system(folder / "a.system", {}, {});
  const SystemRows rows = read_system(folder / "a.system");
  EXPECT_EQ(rows.all_rows, 0);
  EXPECT_EQ(rows.matrix.rows(), 0);
}

TEST(SystemFile, SaysWhatIsWrong) {
  const test::TemporaryFolder folder;
  const auto problem = [&](const std::string& bytes) -> std::string {
    folder.write("bad", bytes);
    try {
      static_cast<void>(read_system(folder / "bad"));
    } catch (const InputError& error) {
      return error.problem();
    }
    return "none";
  };
  test::MatrixBuilder builder(2);
  builder.connect(0, 1, 1);
  write_system(folder / "good", builder.matrix(), std::vector<double>{1, 2});
  const std::string good(read_file(folder / "good").view());
  ASSERT_EQ(good.size(), 24U + 3 * 8 + 4 * 4 + 4 * 8 + 2 * 8);
  const auto with_number = [&](std::size_t at, auto number) {
    std::string bytes = good;
    std::memcpy(bytes.data() + at, &number, sizeof number);
    return bytes;
  };
  EXPECT_EQ(problem(good), "none");
  EXPECT_EQ(problem(""), "is no linear system");
  EXPECT_EQ(problem("OFF\n"), "is no linear system");
  EXPECT_EQ(problem("X" + good.substr(1)), "is no linear system");
  EXPECT_EQ(problem(good.substr(0, 90)), "the file should have 112 bytes");
  EXPECT_EQ(problem(good + " "), "the file should have 112 bytes");
  EXPECT_EQ(problem(with_number(8, std::int64_t{-1})), "the number of rows is out of range");
  EXPECT_EQ(problem(with_number(16, std::int64_t{1} << 62)),
            "the number of non-zeros is out of range");
  EXPECT_EQ(problem(with_number(32, std::int64_t{5})), "the starts of the rows are out of order");
  EXPECT_EQ(problem(with_number(24, std::int64_t{-9})), "the starts of the rows are out of order");
  EXPECT_EQ(problem(with_number(40, std::int64_t{9})), "the starts of the rows are out of order");
  EXPECT_EQ(problem(with_number(52, std::int32_t{2})), "there is no column 2");
  EXPECT_THROW(static_cast<void>(read_system(folder / "missing")), InputError);
}

}  // namespace
}  // namespace spindrift
