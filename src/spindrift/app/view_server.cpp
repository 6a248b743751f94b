#include "spindrift/app/view_server.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <semaphore>

#include <fmt/format.h>
#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/text.hpp"

namespace spindrift::app {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 100;

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
}

// One connection: the head of one request is read before anybody looks at it, and nothing else.
class Connection final : public httplib::Stream {
 public:
  Connection(int socket, const ServerParams& params, const std::atomic<bool>& is_stopping)
      : socket_(socket), params_(params), is_stopping_(is_stopping) {}

  enum class Head { whole, too_long, missing };

  // Reads up to the empty line.
  Head read_head() {
    const Clock::time_point end = after(params_.read_seconds);
    std::array<char, 4096> buffer;
    while (head_.find("\r\n\r\n") == std::string::npos) {
      if (head_.size() > params_.most_bytes) return Head::too_long;
      if (!wait(POLLIN, end)) return Head::missing;
      const ssize_t count = ::recv(socket_, buffer.data(), buffer.size(), 0);
      if (count <= 0) return Head::missing;
      head_.append(buffer.data(), static_cast<std::size_t>(count));
    }
    drop_ranges();
    return Head::whole;
  }

  // What is still on its way: closing before it arrived would take the answer away again.
  void drain() {
    ::shutdown(socket_, SHUT_WR);
    const Clock::time_point end = after(0.2);
    std::array<char, 4096> buffer;
    for (int rounds = 0; rounds < 64 && wait(POLLIN, end); ++rounds) {
      if (::recv(socket_, buffer.data(), buffer.size(), 0) <= 0) return;
    }
  }

  bool is_readable() const override { return next_ < head_.size(); }
  bool is_writable() const override { return !is_stopping_; }

  ssize_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, head_.size() - next_);
    std::copy_n(head_.data() + next_, count, to);
    next_ += count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* from, std::size_t size) override {
    if (!wait(POLLOUT, after(params_.write_seconds))) return -1;
    return ::send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  // Who asks makes no difference.
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  int socket() const override { return socket_; }

 private:
  bool wait(short event, Clock::time_point end) const {
    while (!is_stopping_ && Clock::now() < end) {
      pollfd poll{.fd = socket_, .events = event, .revents = 0};
      const int ready = ::poll(&poll, 1, kPollMilliseconds);
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
    }
    return false;
  }

  // The library matches them with a regular expression whose depth the client chooses; nobody needs
  // parts of answers.
  void drop_ranges() {
    std::string kept;
    std::size_t begin = 0;
    for (std::size_t end = 0; begin < head_.size(); begin = end) {
      end = std::min(head_.find("\r\n", begin), head_.size() - 2) + 2;
      const std::string line = head_.substr(begin, end - begin);
      if (!lower_case(line.substr(0, 6)).starts_with("range")) kept += line;
      if (line == "\r\n") break;
    }
    head_ = kept;
  }

  int socket_;
  const ServerParams& params_;
  const std::atomic<bool>& is_stopping_;
  std::string head_;
  std::size_t next_ = 0;
};

// Threads of the library, with a bound on what waits for them.
class BoundedQueue final : public httplib::TaskQueue {
 public:
  BoundedQueue(const ServerParams& params, std::function<void()> look_around)
      : room_(params.most_waiting),
        pool_(static_cast<std::size_t>(params.threads)),
        look_around_(std::move(look_around)) {}

  // Blocks the loop that accepts while the queue is full.
  void enqueue(std::function<void()> task) override {
    look_around_();
    room_.acquire();
    pool_.enqueue([this, task = std::move(task)] {
      task();
      room_.release();
    });
  }
  void shutdown() override { pool_.shutdown(); }
  void on_idle() override { look_around_(); }

 private:
  std::counting_semaphore<> room_;
  httplib::ThreadPool pool_;
  std::function<void()> look_around_;
};

constexpr std::size_t kPiece = std::size_t{1} << 20;

void send_body(const std::shared_ptr<const std::string>& body, const std::string& type,
               httplib::Response& response) {
  response.set_content_provider(
      body->size(), type, [body](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        return sink.write(body->data() + offset, std::min(length, kPiece));
      });
}

void send_answer(const Answer& answer, bool wants_body, httplib::Response& response) {
  response.status = answer.status;
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
  response.set_header("Content-Security-Policy",
                      "default-src 'self'; img-src 'self' blob: data:; style-src 'self' "
                      "'unsafe-inline'; frame-ancestors 'none'");
  if (answer.tag.empty()) {
    response.set_header("Cache-Control", "no-store");
  } else {
    response.set_header("ETag", answer.tag);
    response.set_header("Cache-Control", "no-cache");
  }
  if (answer.body == nullptr) return;
  if (!wants_body) {
    response.set_header("Content-Type", answer.type);
  } else if (answer.body->empty()) {
    response.set_content("", answer.type);
  } else {
    send_body(answer.body, answer.type, response);
  }
}

Answer plain_answer(int status, std::string text) {
  return {.status = status,
          .type = "text/plain",
          .body = std::make_shared<const std::string>(std::move(text))};
}

}  // namespace

class WebServer::Server final : public httplib::Server {
 public:
  Server(const ServerParams& params, Respond respond)
      : params_(params), respond_(std::move(respond)) {
    set_keep_alive_max_count(1);
    set_idle_interval(0, 1000 * kPollMilliseconds);
    set_payload_max_length(0);
    // The library would share a port with whoever listens there already.
    set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    new_task_queue = [this] { return new BoundedQueue(params_, [this] { look_around(); }); };
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      handle(request, response);
      return HandlerResponse::Handled;
    });
    port_ = params.port == 0                         ? bind_to_any_port(params.host)
            : bind_to_port(params.host, params.port) ? params.port
                                                     : -1;
    // The library lets five wait; browsers open that many by themselves.
    if (port_ > 0) ::listen(svr_sock_, SOMAXCONN);
  }

  [[nodiscard]] int port() const { return port_; }

  void run(const std::function<bool()>& wants_stop) {
    wants_stop_ = wants_stop;
    listen_after_bind();
  }

 private:
  void look_around() {
    if (is_stopping_ || !wants_stop_()) return;
    is_stopping_ = true;
    stop();
  }

  void handle(const httplib::Request& request, httplib::Response& response) const {
    const bool wants_body = request.method == "GET";
    if (!wants_body && request.method != "HEAD") {
      response.set_header("Allow", "GET, HEAD");
      send_answer(plain_answer(405, "this server only answers GET and HEAD\n"), true, response);
      return;
    }
    Question question;
    question.path = request.path;
    question.host = request.get_header_value("Host");
    question.if_none_match = request.get_header_value("If-None-Match");
    for (const auto& [key, value] : request.params) question.query.emplace(key, value);
    send_answer(respond_(question), wants_body, response);
  }

  bool process_and_close_socket(int socket) override {
    Connection connection(socket, params_, is_stopping_);
    bool is_served = false;
    switch (connection.read_head()) {
      case Connection::Head::whole: {
        bool is_closed = false;
        is_served = process_request(connection, true, is_closed, nullptr);
        connection.drain();
        break;
      }
      case Connection::Head::too_long: {
        constexpr std::string_view kText =
            "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n"
            "Content-Length: 0\r\n\r\n";
        [[maybe_unused]] const ssize_t sent = connection.write(kText.data(), kText.size());
        connection.drain();
        break;
      }
      case Connection::Head::missing:
        break;
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return is_served;
  }

  ServerParams params_;
  Respond respond_;
  std::function<bool()> wants_stop_;
  std::atomic<bool> is_stopping_ = false;
  int port_ = -1;
};

WebServer::WebServer(const ServerParams& params, Respond respond)
    : server_(std::make_unique<Server>(params, std::move(respond))) {
  if (server_->port() > 0) return;
  throw SystemError({}, fmt::format("cannot listen on port {} of {}", params.port, params.host),
                    "name another with --port, or 0 for any that is free; --host takes an address "
                    "of this machine");
}

WebServer::~WebServer() = default;

int WebServer::port() const { return server_->port(); }

void WebServer::run(const std::function<bool()>& wants_stop) { server_->run(wants_stop); }

}  // namespace spindrift::app
