// The server of spindrift view: what it answers, and all that it must not do.
#include "spindrift/app/view_server.hpp"

#include <atomic>
#include <fstream>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "spindrift/app/view_answers.hpp"
#include "spindrift/io/vtu.hpp"

#include "app/view_pack_reader.hpp"
#include "app/web_client.hpp"
#include "cache/small_cache.hpp"
#include "support/temporary_folder.hpp"
#include "support/tet_meshes.hpp"

namespace spindrift::app {
namespace {

using nlohmann::json;
using test::get;
using test::PackReader;
using test::WebClient;
using test::WebReply;

constexpr const char* kObstacle =
    "[[obstacle]]\nshape = { sphere = { center = [1.5, 0.5, 0.5], radius = 0.2 } }\n"
    "motion = { keyframes = [ { t = 0 }, { t = 1, translate = [0.24, 0, 0] } ] }\n";

// A cache of three frames, and the server before it.
class ViewServer : public testing::Test {
 protected:
  ViewServer() {
    fill(2);
    start({});
  }
  ~ViewServer() override { stop(); }

  void fill(int last) const {
    CacheWriter writer = CacheWriter::resume(cache(), scene(), test::params_to(9));
    test::LogisticMap().fill(writer, last);
  }
  static Scene scene() { return test::small_scene(kObstacle); }
  [[nodiscard]] std::filesystem::path cache() const { return folder_ / "small.cache"; }

  void start(const AnswerParams& params) {
    answers_ = std::make_unique<ViewAnswers>(cache(), params);
    server_ = std::make_unique<WebServer>(
        ServerParams{.threads = 4, .read_seconds = 1},
        [this](const Question& question) { return answers_->answer(question); });
    is_over_ = false;
    thread_ = std::thread([this] { server_->run([this] { return is_over_.load(); }); });
  }
  void stop() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] int port() const { return server_->port(); }
  [[nodiscard]] json get_json(const std::string& target) const {
    return json::parse(get(port(), target).body);
  }
  void expect_alive() const { EXPECT_EQ(get(port(), "/api/cache").status, 200); }

  // The frame's files in the manifest, changed by hand.
  void add_to_manifest(int frame, const std::string& name) const {
    Manifest manifest = read_manifest(cache());
    manifest.frames[frame].files.push_back({.name = name, .bytes = 1});
    write_file(CacheLayout{cache()}.manifest(), write_manifest(manifest));
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<ViewAnswers> answers_;
  std::unique_ptr<WebServer> server_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

TEST_F(ViewServer, TellsWhatTheCacheHolds) {
  const json cache = get_json("/api/cache");
  EXPECT_EQ(cache["scene"], "small");
  EXPECT_EQ(cache["fps"], 24.0);
  EXPECT_EQ(cache["frames_asked"], 10);
  EXPECT_EQ(cache["frames"].size(), 3U);
  EXPECT_EQ(cache["domain"]["max"], json({2.0, 1.0, 1.0}));
  EXPECT_EQ(cache["probes"][1]["kind"], "velocity");
  EXPECT_EQ(cache["obstacles"], 1);
  // At 1/24 of 0.24 m.
  const json pose = cache["frames"][1]["poses"][0];
  EXPECT_EQ(pose[3], 1.0);
  EXPECT_NEAR(pose[4].get<double>(), 0.01, 1e-12);
}

TEST_F(ViewServer, ServesSurfacesAsTheyAreInTheCache) {
  const CachedSurface expected = CacheReader(cache()).surface(1);
  const PackReader surface(get(port(), "/api/frames/1/surface").body);
  const std::vector<float> position = surface.array<float>("position");
  ASSERT_EQ(std::ssize(position), 3 * expected.mesh.vertex_count());
  for (std::size_t i = 0; i < position.size(); ++i) {
    EXPECT_EQ(position[i], static_cast<float>(expected.mesh.vertices[i / 3][i % 3]));
  }
  const std::vector<std::uint32_t> index = surface.array<std::uint32_t>("index");
  ASSERT_EQ(std::ssize(index), 3 * expected.mesh.triangle_count());
  for (std::size_t i = 0; i < index.size(); ++i) {
    EXPECT_EQ(static_cast<std::int32_t>(index[i]), expected.mesh.triangles[i / 3][i % 3]);
  }
  // Normals of a box point away from its middle, and have length 127.
  const std::vector<std::int8_t> normal = surface.array<std::int8_t>("normal");
  const Vec3 middle = bounds(expected.mesh).center();
  for (std::size_t i = 0; i < position.size() / 3; ++i) {
    const Vec3 n(normal[4 * i], normal[4 * i + 1], normal[4 * i + 2]);
    EXPECT_NEAR(n.norm(), 127, 1);
    EXPECT_GT(n.dot(expected.mesh.vertices[i] - middle), 0);
  }
  const std::vector<float> velocity =
      PackReader(get(port(), "/api/frames/1/velocity").body).array<float>("velocity");
  ASSERT_EQ(velocity.size(), position.size());
  EXPECT_EQ(velocity[0], static_cast<float>(expected.velocities[0].x()));
  // A cube of twelve triangles has 18 edges.
  EXPECT_EQ(
      PackReader(get(port(), "/api/frames/1/edges").body).array<std::uint32_t>("index").size(),
      36U);
}

TEST_F(ViewServer, ServesWhatWasMeasured) {
  const json stats = get_json("/api/stats");
  ASSERT_EQ(stats.size(), 3U);
  EXPECT_EQ(stats[2]["frame"], 2);
  const WebReply probe = get(port(), "/api/probes/gauge");
  EXPECT_EQ(probe.headers.at("Content-Type"), "text/csv");
  EXPECT_EQ(probe.body, read_file(CacheLayout{cache()}.probe("gauge")).view());
  EXPECT_EQ(get(port(), "/api/probes/other").status, 404);
}

TEST_F(ViewServer, ServesObstaclesAsTriangles) {
  const PackReader obstacles(get(port(), "/api/obstacles").body);
  ASSERT_EQ(obstacles.about()["parts"].size(), 1U);
  const std::vector<float> position = obstacles.array<float>("position");
  ASSERT_FALSE(position.empty());
  for (std::size_t i = 0; i < position.size(); i += 3) {
    const Vec3 x(position[i], position[i + 1], position[i + 2]);
    EXPECT_NEAR((x - Vec3(1.5, 0.5, 0.5)).norm(), 0.2, 1e-6);
  }
}

TEST_F(ViewServer, CutsTetrahedraOpen) {
  EXPECT_EQ(get(port(), "/api/frames/1/cut").status, 404) << "the frame has none";
  const TetMesh mesh = test::kuhn_grid({4, 2, 2}, 0.25);
  std::vector<double> pressure(mesh.tets.size(), 7), velocity(3 * mesh.tets.size(), 1);
  const std::vector<CellData> data = {{"pressure", std::span<const double>(pressure)},
                                      {"velocity", std::span<const double>(velocity), 3}};
  write_vtu(CacheLayout{cache()}.frame(1) / kMeshFile, mesh, data);
  add_to_manifest(1, kMeshFile);
  const PackReader cut(get(port(), "/api/frames/1/cut?plane=1,0,0,0.5&by=pressure").body);
  EXPECT_EQ(cut.about()["tets"], 96);
  EXPECT_EQ(cut.about()["left"], 48);
  EXPECT_EQ(cut.about()["range"], json({7.0, 7.0}));
  for (const float value : cut.array<float>("value")) EXPECT_EQ(value, 7);

  for (const char* query :
       {"plane=1,0,0&by=size", "plane=1,0,0,nan&by=size", "plane=a,b,c,d", "plane=1,0,0,1e999",
        "plane=&by=size", "by=colour", "plane=1,0,0,0,0"}) {
    EXPECT_EQ(get(port(), std::string("/api/frames/1/cut?") + query).status, 400) << query;
  }
}

TEST_F(ViewServer, ServesParticles) {
  EXPECT_EQ(get(port(), "/api/frames/0/particles").status, 404);
  std::string bytes =
      "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
      "property float z\nend_header\n";
  const std::array<float, 6> numbers = {1, 2, 3, 4, 5, 6};
  bytes.append(reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
  write_file(CacheLayout{cache()}.frame(0) / kParticlesFile, bytes);
  add_to_manifest(0, kParticlesFile);
  EXPECT_EQ(PackReader(get(port(), "/api/frames/0/particles").body).array<float>("position"),
            std::vector<float>(numbers.begin(), numbers.end()));
  write_file(CacheLayout{cache()}.frame(0) / kParticlesFile, bytes.substr(0, bytes.size() - 1));
  EXPECT_EQ(get(port(), "/api/frames/0/particles").status, 500);
}

TEST_F(ViewServer, FollowsARunThatGoesOn) {
  EXPECT_EQ(get_json("/api/cache")["frames"].size(), 3U);
  EXPECT_EQ(get(port(), "/api/frames/3/surface").status, 404);
  fill(4);
  EXPECT_EQ(get_json("/api/cache")["frames"].size(), 5U);
  EXPECT_EQ(get(port(), "/api/frames/3/surface").status, 200);
}

TEST_F(ViewServer, SaysWhenNothingHasChanged) {
  for (const char* target :
       {"/api/cache", "/api/stats", "/api/frames/0/surface", "/api/obstacles"}) {
    const std::string tag = get(port(), target).headers.at("ETag");
    const WebReply again = get(port(), target, "If-None-Match: " + tag + "\r\n");
    EXPECT_EQ(again.status, 304) << target;
    EXPECT_TRUE(again.body.empty());
    EXPECT_EQ(get(port(), target, "If-None-Match: \"other\"\r\n").status, 200);
  }
}

TEST_F(ViewServer, SaysWhatIsDamaged) {
  const std::filesystem::path file = CacheLayout{cache()}.frame(1) / kSurfaceFile;
  std::filesystem::resize_file(file, 200);
  const WebReply reply = get(port(), "/api/frames/1/surface");
  EXPECT_EQ(reply.status, 500);
  EXPECT_NE(json::parse(reply.body)["problem"].get<std::string>().find("has 200 bytes"),
            std::string::npos)
      << reply.body;
  std::filesystem::remove(file);
  EXPECT_EQ(get(port(), "/api/frames/1/surface").status, 500);
  EXPECT_EQ(get(port(), "/api/frames/0/surface").status, 200) << "the others are as they were";
}

TEST_F(ViewServer, NeverLeavesTheCache) {
  folder_.write("secret", "the secret");
  for (const std::string& target :
       std::vector<std::string>{"/../secret",
                                "/../../secret",
                                "/%2e%2e/secret",
                                "/..%2fsecret",
                                "/api/../../secret",
                                "/api/probes/../../../secret",
                                "/api/probes/..%2f..%2f..%2fsecret",
                                "/api/probes/%2fetc%2fpasswd",
                                "/api/frames/../../secret",
                                "/api/frames/..%2f..%2fsecret/surface",
                                "/api/frames/0/../../../secret",
                                "/api/frames/0/..%2fsurface",
                                "//etc/passwd",
                                "/etc/passwd",
                                "/manifest.json",
                                "/scene.toml",
                                "/api/probes/gauge%00.csv",
                                "/api/frames/0%00/surface",
                                "/api/frames/-1/surface",
                                "/api/frames/99999999999999999999/surface",
                                "/api/frames/1e0/surface",
                                "/api/frames/ 0/surface",
                                "/api/frames//surface",
                                "/api/frames/+0/surface",
                                "/.",
                                "/..",
                                "/api",
                                "/api/",
                                "/api/cache/"}) {
    const WebReply reply = get(port(), target);
    EXPECT_TRUE(reply.status == 404 || reply.status == 400) << target << ": " << reply.status;
    EXPECT_EQ(reply.body.find("secret"), std::string::npos) << target;
    EXPECT_EQ(reply.body.find("root:"), std::string::npos) << target;
  }
  expect_alive();
}

TEST_F(ViewServer, DoesNotFollowLinksOutOfTheCache) {
  const std::filesystem::path secret = folder_.write("secret.csv", "time,height\n1,2\n");
  const std::filesystem::path probe = CacheLayout{cache()}.probe("gauge");
  std::filesystem::remove(probe);
  std::filesystem::create_symlink(secret, probe);
  const WebReply reply = get(port(), "/api/probes/gauge");
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.body.find("1,2"), std::string::npos);
  const std::filesystem::path frame = CacheLayout{cache()}.frame(1);
  std::filesystem::rename(frame, folder_ / "elsewhere");
  std::filesystem::create_symlink(folder_ / "elsewhere", frame);
  EXPECT_EQ(get(port(), "/api/frames/1/surface").status, 500);
}

TEST_F(ViewServer, RefusesToBeWrittenTo) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    EXPECT_EQ(get(port(), "/api/cache", "Content-Length: 0\r\n", method).status, 405) << method;
  }
  const WebReply head = get(port(), "/api/cache", {}, "HEAD");
  EXPECT_EQ(head.status, 200);
  EXPECT_TRUE(head.body.empty());
}

TEST_F(ViewServer, RefusesOtherNamesOfThisMachine) {
  const auto status = [&](const std::string& host) {
    const WebClient client(port());
    client.send("GET /api/cache HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return client.reply().status;
  };
  for (const char* host : {"127.0.0.1", "127.0.0.1:8642", "localhost:1", "[::1]", "[::1]:80"}) {
    EXPECT_EQ(status(host), 200) << host;
  }
  for (const char* host : {"example.org", "127.0.0.1.example.org", "", "evil:127.0.0.1"}) {
    EXPECT_EQ(status(host), 403) << host;
  }
  stop();
  start({.only_loopback = false});
  EXPECT_EQ(status("example.org"), 200);
}

TEST_F(ViewServer, SurvivesWhatIsNoRequest) {
  for (const std::string& text : std::vector<std::string>{
           "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
           std::string("\0\0\0\0\r\n\r\n", 8), "GET / HTTP/1.1\r\nHost\r\n\r\n",
           "get /api/cache http/1.1\r\n\r\n", "GET /%zz%%%1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
           "GET /?a=%&&&=&b HTTP/1.1\r\nHost: localhost\r\n\r\n",
           "GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n",
           "GET * HTTP/1.1\r\nHost: localhost\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n",
           "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: "
           "99999999999\r\n\r\n",
           "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"}) {
    const WebClient client(port());
    client.send(text);
    (void)client.reply();
  }
  expect_alive();
}

TEST_F(ViewServer, RefusesHugeRequests) {
  const std::string head = "GET /api/cache HTTP/1.1\r\nHost: localhost\r\n";
  const auto status = [&](const std::string& request) {
    const WebClient client(port());
    client.send(request);
    return client.reply().status;
  };
  EXPECT_EQ(status("GET /" + std::string(1 << 20, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            431);
  EXPECT_EQ(status(head + "Cookie: " + std::string(1 << 20, 'a') + "\r\n\r\n"), 431);
  std::string many = head;
  for (int i = 0; i < 100000; ++i) many += "X-A: b\r\n";
  EXPECT_EQ(status(many + "\r\n"), 431);
  // Just below the bound: whatever the answer is, there is one.
  EXPECT_NE(status(head + "Cookie: " + std::string(7000, 'a') + "\r\n\r\n"), 0);
  EXPECT_NE(status("GET /" + std::string(7000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"), 0);
  // Parts of answers are not served, however many are asked for.
  std::string ranges = "Range: bytes=0-1";
  for (int i = 0; i < 1500; ++i) ranges += ",0-1";
  EXPECT_EQ(status(head + ranges + "\r\n\r\n"), 200);
  EXPECT_EQ(status("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n" +
                   std::string(1 << 20, 'a')),
            405);
  expect_alive();
}

// Four threads, and a second of patience: those who say nothing do not keep others out for long.
TEST_F(ViewServer, LetsNobodyHoldTheLine) {
  std::vector<std::unique_ptr<WebClient>> silent;
  for (int i = 0; i < 8; ++i) {
    silent.push_back(std::make_unique<WebClient>(port()));
    silent.back()->send("GET / HTTP/1.1\r\n");
  }
  expect_alive();
  EXPECT_EQ(silent[0]->reply().status, 0) << "the line was cut";
}

TEST_F(ViewServer, ServesAHundredClientsAtOnce) {
  const std::size_t bytes = get(port(), "/api/frames/2/surface").body.size();
  std::vector<std::future<std::size_t>> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(std::async(std::launch::async, [&, i] {
      const char* what = i % 2 == 0 ? "surface" : "velocity";
      const WebReply reply = get(port(), "/api/frames/2/" + std::string(what));
      return reply.status == 200 && i % 2 == 0 ? reply.body.size() : std::size_t(reply.status);
    }));
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(clients[static_cast<std::size_t>(i)].get(), i % 2 == 0 ? bytes : 200U) << i;
  }
  expect_alive();
}

TEST_F(ViewServer, ListensOnThisMachineOnly) {
  std::ifstream table("/proc/net/tcp");
  const std::string end = fmt::format(":{:04X} 00000000:0000 0A", port());
  int found = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.find(end) == std::string::npos) continue;
    ++found;
    EXPECT_NE(line.find("0100007F" + end), std::string::npos) << line;
  }
  EXPECT_EQ(found, 1);
}

TEST_F(ViewServer, EndsWhileClientsAreConnected) {
  const WebClient silent(port());
  const WebClient slow(port());
  slow.send("GET /api/cache HTTP/1.1\r\nHost: localhost\r\n\r\n");
  stop();
  EXPECT_THROW(WebClient{port()}, std::runtime_error);
}

TEST_F(ViewServer, APortThatIsTakenIsAnError) {
  EXPECT_THROW(WebServer({.port = port()}, [](const Question&) { return Answer{}; }), SystemError);
}

TEST(ViewCache, AFolderThatIsNoCacheIsAnError) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(ViewAnswers(folder.path(), {}), InputError);
  EXPECT_THROW(ViewAnswers(folder / "missing", {}), InputError);
}

}  // namespace
}  // namespace spindrift::app
