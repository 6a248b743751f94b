#include "spindrift/io/text_cursor.hpp"

#include "io/io_testing.hpp"

namespace spindrift {
namespace {

TEST(TextCursor, SplitsLinesHoweverTheyEnd) {
  TextCursor cursor(
      "\xef\xbb\xbf"
      "a b\r\n\r\n  c\rd\n",
      "t", {});
  EXPECT_EQ(cursor.word(), "a");
  EXPECT_EQ(cursor.word(), "b");
  EXPECT_EQ(cursor.word(), "");
  EXPECT_FALSE(cursor.text_ended());
  EXPECT_EQ(cursor.location(cursor.position()).text(), "t:3:3");
  EXPECT_EQ(cursor.word(), "c");
  EXPECT_FALSE(cursor.text_ended());
  EXPECT_EQ(cursor.location(cursor.position()).text(), "t:4:1");
  EXPECT_EQ(cursor.word(), "d");
  EXPECT_TRUE(cursor.text_ended());
  EXPECT_EQ(cursor.location(cursor.position()).text(), "t:5:1");
}

TEST(TextCursor, CommentsAndContinuationOnlyWhereAsked) {
  TextCursor joined("a \\\n b\\\r\nc # d \\\ne", "t", {.comments = true, .continuation = true});
  for (const char* word : {"a", "b", "c", ""}) EXPECT_EQ(joined.word(), word);
  EXPECT_FALSE(joined.text_ended());
  EXPECT_EQ(joined.word(), "e");  // the backslash belonged to the comment

  TextCursor skipped("a \\\n b \\\n\n c", "t", {.continuation = true});
  skipped.skip_line();
  EXPECT_EQ(skipped.word(), "c");

  TextCursor plain("a # \\\nb", "t", {});
  for (const char* word : {"a", "#", "\\", ""}) EXPECT_EQ(plain.word(), word);
}

TEST(TextCursor, ReadsNumbersInAllSpellings) {
  TextCursor cursor("1 -2.5 +.5 3. 1e3 +1E-2 -0 1e-999 0.0000001e-320 4e-324", "t", {});
  for (const double value :
       {1.0, -2.5, 0.5, 3.0, 1000.0, 0.01, -0.0, 0.0, 0.0, 4.9406564584124654e-324}) {
    const double read = cursor.number("it");
    EXPECT_EQ(read, value);
    EXPECT_EQ(std::signbit(read), std::signbit(value));
  }
  TextCursor integers("7 -12 +3 99999999999999999999999 5/6", "t", {});
  EXPECT_EQ(integers.integer("it"), 7);
  EXPECT_EQ(integers.integer("it"), -12);
  EXPECT_EQ(integers.integer("it"), 3);
  EXPECT_GT(integers.integer("it"), std::int64_t{1} << 56);
  EXPECT_EQ(integers.integer("it", '/'), 5);
  EXPECT_TRUE(integers.accept('/'));
  EXPECT_FALSE(integers.accept('/'));
}

TEST(TextCursor, SaysWhatIsNotANumber) {
  const auto coordinate = [](const char* text) {
    return test::input_error([&] { return TextCursor(text, "t", {}).coordinate("the height"); });
  };
  const std::string advice = "; write it like 0.25 or -1.5e3";
  EXPECT_EQ(coordinate(" abc"), "t:1:2: the height is 'abc', not a number" + advice);
  EXPECT_EQ(coordinate("1.5x"), "t:1:1: the height is '1.5x', not a number" + advice);
  EXPECT_EQ(coordinate("1,5"), "t:1:1: the height is '1,5', not a number" + advice);
  EXPECT_EQ(coordinate("+-1"), "t:1:1: the height is '+-1', not a number" + advice);
  EXPECT_EQ(coordinate("0x10"), "t:1:1: the height is '0x10', not a number" + advice);
  EXPECT_EQ(coordinate("\x01"), "t:1:1: the height is '\\x01', not a number" + advice);
  EXPECT_EQ(coordinate(" nan"), "t:1:2: the height is nan, not a finite number");
  EXPECT_EQ(coordinate("-inf"), "t:1:1: the height is -inf, not a finite number");
  EXPECT_EQ(coordinate("2e100"), "t:1:1: the height is 2e+100, which is beyond 1e15");
  EXPECT_EQ(coordinate("1e999"), "t:1:1: the height is '1e999', which is beyond 1e15");
  EXPECT_EQ(coordinate("1e99999999999999999999"),
            "t:1:1: the height is '1e99999999999999999999', which is beyond 1e15");
  EXPECT_EQ(coordinate("11e9223372036854775807"),
            "t:1:1: the height is '11e9223372036854775807', which is beyond 1e15");
  EXPECT_EQ(coordinate("1e-99999999999999999999"), "");
  EXPECT_EQ(coordinate("0.001e-9223372036854775808"), "");
  EXPECT_EQ(coordinate(" \n1"), "t:1:2: the line ends before the height");
  EXPECT_EQ(coordinate(""), "t:1:1: the file ends before the height");
  EXPECT_EQ(test::input_error([] { return TextCursor("1.5", "t", {}).integer("the number"); }),
            "t:1:1: the number is '1.5', not a whole number");
}

}  // namespace
}  // namespace spindrift
