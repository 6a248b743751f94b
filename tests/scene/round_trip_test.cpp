// What is written reads back as the same scene.
#include <filesystem>

#include <gtest/gtest.h>

#include "spindrift/scene/grammar.hpp"
#include "spindrift/scene/read.hpp"
#include "spindrift/scene/write.hpp"

#include "scene/minimal.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

void expect_round_trip(const Scene& scene) {
  const std::string text = write_scene(scene);
  const Scene again = parse_scene(text, "again.toml");
  EXPECT_EQ(again, scene) << text;
  EXPECT_EQ(write_scene(again), text);
}

TEST(RoundTrip, EverySceneOfTheProject) {
  int count = 0;
  const std::filesystem::path folder = SPINDRIFT_SOURCE_DIR "/scenes";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path());
    const Scene scene = load_scene(entry.path());
    EXPECT_EQ(scene.name, entry.path().stem());
    expect_round_trip(scene);
    ++count;
  }
  EXPECT_GE(count, 10);
}

TEST(RoundTrip, DefaultsAreSpelledOut) {
  const std::string text = write_scene(Scene{});
  for (const char* line :
       {"\nformat = 1\n", "\nfps = 24\n", "\nmax_step = 0.041666666666666664\n",
        "\nsides = { x_min = \"wall\", x_max = \"wall\"", "\ncells = 64\n",
        "\nprojection = \"consistent\"\n", "\ngravity = [0, 0, -9.81]\n", "\nlevelset = false\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(RoundTrip, TextWithQuotesAndControls) {
  Scene scene;
  scene.sinks.emplace_back();
  scene.sinks[0].shape.kind = MeshSpec{.file = {.path = "a \"b\" \\c é.off", .folder = "x/y"},
                                       .fill = MeshFill::winding,
                                       .location = {}};
  expect_round_trip(scene);
  const Scene again = parse_scene(write_scene(scene), "again.toml");
  EXPECT_EQ(std::get<MeshSpec>(again.sinks[0].shape.kind).file.path, "x/y/a \"b\" \\c é.off");
}

// Fills a scene with random values that the grammar allows. Conditions between keys are met by
// choosing keys of these names suitably.
class RandomVisitor final : public Visitor {
 public:
  explicit RandomVisitor(std::uint64_t seed) : random_(seed) {}

  void number(const Key& key, double& value, const Range& range) override {
    const std::string name = key.name;
    if (name == "t") value = clock_ += random_.between(0.01, 1);
    if (name == "start") value = random_.unit();
    if (name == "stop") value = 1 + random_.unit();
    if (name == "size") value = random_.between(0.01, 0.02);
    if (name == "t" || name == "start" || name == "stop" || name == "size") return;
    value = in(range);
  }
  void integer(const Key& key, int& value, const Range& range) override {
    if (std::string(key.name) != "format") value = static_cast<int>(in(range));
  }
  void flag(const Key&, bool& value) override { value = random_.below(2) == 0; }
  void name(const Key&, std::string& value) override {
    value = "n" + std::to_string(++names_) + "_-.x";
  }
  void file(const Key&, FileSpec& value) override {
    value = {.path = "../m" + std::to_string(++names_) + " \\\".obj",
             .folder = random_.below(2) ? "folder/other" : ""};
  }
  void choice(const Key&, int& value, std::span<const std::string> words) override {
    value = static_cast<int>(random_.below(std::ssize(words)));
  }
  void vector(const Key& key, std::span<double> values, const VectorRule& rule) override {
    const std::string name = key.name;
    const bool is_uniform = rule.takes_number && random_.below(2) == 0;
    for (double& value : values) {
      value = in(rule.range);
      if (name == "min") value = random_.between(-1, 0);
      if (name == "max") value = random_.between(0.5, 1);
      if (name == "at") value = random_.between(0, 0.5);
      if (is_uniform) value = values[0];
    }
  }
  void table(const Key&, const std::function<void()>& body) override {
    ++depth_;
    body();
    --depth_;
  }
  void list(const Key&, std::size_t least, std::size_t,
            const std::function<void(std::size_t)>& item) override {
    const auto count = static_cast<std::size_t>(random_.below(4));
    ++depth_;
    for (std::size_t i = 0; i < std::max(least, count); ++i) item(i);
    --depth_;
  }
  void one_of(std::span<const Alternative> alternatives) override {
    std::int64_t count = std::ssize(alternatives);
    // The three combinations come last: leave them out below some depth.
    if (count > 3 && depth_ > 8) count -= 3;
    alternatives[static_cast<std::size_t>(random_.below(count))].visit();
  }
  bool has(const char* name, bool) override {
    return std::string(name) != "base" && random_.below(2) == 0;
  }

 private:
  // Small and large, whole and broken, both signs.
  double in(const Range& range) {
    for (;;) {
      double value = random_.between(range.low, range.high);
      const auto style = random_.below(4);
      if (style == 0) value = random_.between(-2, 2);
      if (style == 1) value = std::round(random_.between(-20, 20));
      if (style == 2) value *= std::pow(10.0, random_.between(-12, 0));
      if (range.contains(value)) return value;
    }
  }

  test::Random random_;
  double clock_ = 0;
  int names_ = 0;
  int depth_ = 0;
};

TEST(RoundTrip, RandomScenes) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Scene scene;
    RandomVisitor visitor(seed);
    describe(visitor, scene);
    expect_round_trip(scene);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace spindrift
