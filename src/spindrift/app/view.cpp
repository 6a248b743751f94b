// spindrift view: a web page that shows a cache.
#include <memory>

#include <CLI/CLI.hpp>

#include "spindrift/app/command_line.hpp"
#include "spindrift/app/interrupt.hpp"
#include "spindrift/app/output.hpp"
#include "spindrift/app/view_answers.hpp"
#include "spindrift/app/view_page.hpp"
#include "spindrift/app/view_server.hpp"
#include "spindrift/core/log.hpp"

namespace spindrift::app {

namespace {

constexpr const char* kLoopback = "127.0.0.1";
// Nothing else that is common listens there.
constexpr int kUsualPort = 8642;

struct ViewOptions {
  std::string cache;
  std::string host;  // empty: this machine only
  int port = -1;     // -1: the usual one, or any if that is taken
  bool json = false;
};

std::unique_ptr<WebServer> listen(const ViewOptions& options, const Respond& respond) {
  ServerParams params;
  if (!options.host.empty()) params.host = options.host;
  params.port = options.port >= 0 ? options.port : kUsualPort;
  try {
    return std::make_unique<WebServer>(params, respond);
  } catch (const SystemError&) {
    if (options.port >= 0) throw;
    params.port = 0;
    return std::make_unique<WebServer>(params, respond);
  }
}

int serve(const ViewOptions& options) {
  if (!has_page()) {
    throw InputError({}, "this spindrift was built without its page",
                     "run scripts/build-viewer, which needs Node.js and npm, and build again");
  }
  ViewAnswers answers(options.cache, {.only_loopback = options.host.empty()});
  const InterruptGuard guard("");
  const std::unique_ptr<WebServer> server =
      listen(options, [&](const Question& question) { return answers.answer(question); });
  const std::string host = options.host.empty() ? kLoopback : options.host;
  const bool is_version_6 = host.find(':') != std::string::npos;
  const std::string url =
      fmt::format("http://{}:{}/", is_version_6 ? "[" + host + "]" : host, server->port());
  if (options.json) {
    print_json({{"kind", "view"}, {"url", url}, {"port", server->port()}});
  } else {
    print_line("{} is shown at {}", options.cache, url);
    print_line("Open that address in a browser; Ctrl-C ends.");
  }
  if (!options.host.empty()) {
    log_warning("--host {}: everyone who reaches this machine there can look at the cache", host);
  }
  server->run(InterruptGuard::is_requested);
  return 0;
}

}  // namespace

void add_view(CLI::App& app, Action& action) {
  auto options = std::make_shared<ViewOptions>();
  CLI::App* command =
      app.add_subcommand("view", "Show a cache in a web browser, also while a run writes it");
  command->add_option("CACHE", options->cache, "The folder of a cache")
      ->required()
      ->option_text(" ");
  command
      ->add_option("--port", options->port,
                   "Listen on port P; 0: any that is free (default: 8642, or any if that is taken)")
      ->type_name("P")
      ->check(CLI::Range(0, 65535));
  command
      ->add_option("--host", options->host,
                   "Listen on this address instead of 127.0.0.1, which only this machine reaches")
      ->type_name("ADDRESS");
  command->add_flag("--json", options->json, "Print the address as one JSON object");
  command->callback([options, &action] {
    action = {[options] { return serve(*options); }, {options->cache}};
  });
}

}  // namespace spindrift::app
