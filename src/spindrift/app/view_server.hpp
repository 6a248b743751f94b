// A small web server that only answers: bounded in the size of a request, its time, the number of
// threads and of connections that wait. It knows nothing of what it serves.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace spindrift::app {

// A request of GET or HEAD; the server refuses others.
struct Question {
  std::string path;  // decoded, without the query
  std::map<std::string, std::string> query;
  std::string host;           // as the browser names the server
  std::string if_none_match;  // the tag of what the browser has; empty: nothing
};

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::shared_ptr<const std::string> body = nullptr;
  std::string tag = {};  // of this body, in quotes: browsers ask whether it has changed
};

using Respond = std::function<Answer(const Question&)>;  // from several threads at once

struct ServerParams {
  std::string host = "127.0.0.1";
  int port = 0;                       // 0: any that is free
  int threads = 8;                    // answers at the same time
  int most_waiting = 256;             // connections; more wait in the system's queue
  std::size_t most_bytes = 16 << 10;  // of a request
  double read_seconds = 5;            // for all of a request to arrive
  double write_seconds = 60;          // without any progress
};

class WebServer {
 public:
  // Takes the port. Throws SystemError if it cannot.
  WebServer(const ServerParams& params, Respond respond);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  [[nodiscard]] int port() const;

  // Until wants_stop() is true; asked several times a second.
  void run(const std::function<bool()>& wants_stop);

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace spindrift::app
