// A power cut at any instant leaves a cache that can be continued, to the same files.
//
// What survives a cut: of a file, the bytes when it was last made durable; of a folder, the names
// when it was. Anything newer may survive or not, each thing for itself.
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cache/file_system_double.hpp"
#include "cache/small_cache.hpp"
#include "support/random.hpp"
#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

constexpr int kLast = 3;

// Knows files and folders by their numbers: names come and go.
class Disk {
 public:
  void sync(int file) {
    const std::filesystem::path path =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file));
    struct stat status {};
    if (::fstat(file, &status) != 0) return;
    if (S_ISDIR(status.st_mode)) {
      folders_[status.st_ino] = names_in(path);
    } else {
      files_[status.st_ino] = std::string(read_file(path).view());
    }
  }

  // What is left of `from` after a cut, into `to`. With `luck`, some of what was not made durable
  // is there too.
  void cut(const std::filesystem::path& from, const std::filesystem::path& to, test::Random* luck) {
    present_.clear();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(from)) {
      present_[number_of(entry.path())] = entry.path();
    }
    std::filesystem::create_directory(to);
    write_folder(number_of(from), from, to, luck);
  }

 private:
  using Number = ino_t;
  struct Entry {
    Number number = 0;
    bool is_folder = false;
  };
  using Names = std::map<std::string, Entry>;

  static Number number_of(const std::filesystem::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_ino;
  }
  static Names names_in(const std::filesystem::path& folder) {
    Names names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      names[entry.path().filename().string()] = {number_of(entry.path()), entry.is_directory()};
    }
    return names;
  }

  static bool is_lucky(test::Random* luck) { return luck != nullptr && luck->between(0, 1) < 0.5; }

  void write_folder(Number number, const std::filesystem::path& now,
                    const std::filesystem::path& to, test::Random* luck) {
    Names names = folders_[number];
    if (luck != nullptr && !now.empty()) {
      const Names newer = names_in(now);
      std::set<std::string> all;
      for (const auto& [name, entry] : names) all.insert(name);
      for (const auto& [name, entry] : newer) all.insert(name);
      for (const std::string& name : all) {
        if (!is_lucky(luck)) continue;
        names.erase(name);
        if (newer.contains(name)) names[name] = newer.at(name);
      }
    }
    for (const auto& [name, entry] : names) {
      const auto present = present_.find(entry.number);
      const std::filesystem::path path =
          present == present_.end() ? std::filesystem::path() : present->second;
      if (entry.is_folder) {
        std::filesystem::create_directory(to / name);
        write_folder(entry.number, path, to / name, luck);
        continue;
      }
      std::string bytes = files_.contains(entry.number) ? files_[entry.number] : "";
      if (is_lucky(luck) && !path.empty()) {
        const std::string newer(read_file(path).view());
        // What was added, perhaps a part of it; or what it was cut to.
        const std::size_t kept = newer.starts_with(bytes) ? bytes.size() : newer.size();
        const double more = luck->between(0, 2) * static_cast<double>(newer.size() - kept);
        bytes = newer.substr(0, kept + static_cast<std::size_t>(more));
      }
      write_file(to / name, bytes);
    }
  }

  std::map<Number, std::string> files_;
  std::map<Number, Names> folders_;
  std::map<Number, std::filesystem::path> present_;
};

class PowerCutTest : public testing::Test {
 protected:
  PowerCutTest() {
    CacheWriter cache = CacheWriter::create(folder_ / "whole", scene_, test::params_to(kLast));
    test::LogisticMap().fill(cache, kLast);
    whole_ = test::contents_of(folder_ / "whole");
  }
  ~PowerCutTest() override { test::g_file_system.reset(); }

  // Cuts at every change of work(cache), and continues what is left.
  template <class Work>
  int cut_everywhere(const std::filesystem::path& cache, test::Random* luck, const Work& work) {
    Disk disk;
    std::vector<std::filesystem::path> states;
    test::g_file_system.synced = [&](int file) { disk.sync(file); };
    test::g_file_system.look = [&] {
      if (!std::filesystem::exists(cache)) return;
      states.push_back(cache.string() + "-cut" + std::to_string(states.size()));
      disk.cut(cache, states.back(), luck);
    };
    work(cache);
    test::g_file_system.reset();
    for (const auto& state : states) {
      SCOPED_TRACE(state.filename());
      CacheWriter writer = CacheWriter::resume(state, scene_, test::params_to(kLast));
      test::LogisticMap().fill(writer, kLast);
      EXPECT_EQ(test::contents_of(state), whole_);
    }
    return static_cast<int>(states.size());
  }

  void run(const std::filesystem::path& cache) {
    CacheWriter writer = CacheWriter::create(cache, scene_, test::params_to(kLast));
    test::LogisticMap().fill(writer, kLast);
  }

  test::TemporaryFolder folder_;
  Scene scene_ = test::small_scene();
  std::map<std::string, std::string> whole_;
};

TEST_F(PowerCutTest, SlowOnlyWhatWasMadeDurableSurvives) {
  const int cuts = cut_everywhere(folder_ / "run", nullptr, [&](const auto& cache) { run(cache); });
  EXPECT_GT(cuts, 100);
}

TEST_F(PowerCutTest, SlowSomeOfTheRestSurvivesToo) {
  for (int seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    test::Random luck(seed);
    const auto cache = folder_ / ("lucky" + std::to_string(seed));
    EXPECT_GT(cut_everywhere(cache, &luck, [&](const auto& path) { run(path); }), 100);
  }
}

}  // namespace
}  // namespace spindrift
