// Talks to a server on this machine, as browsers do and as nobody should.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace spindrift::test {

struct WebReply {
  int status = 0;  // 0: the connection ended without an answer
  std::map<std::string, std::string> headers;
  std::string body;
};

class WebClient {
 public:
  explicit WebClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ::close(socket_);
      throw std::runtime_error("nobody listens");
    }
  }
  ~WebClient() { ::close(socket_); }
  WebClient(const WebClient&) = delete;
  WebClient& operator=(const WebClient&) = delete;

  // False once the other side does not want more.
  bool send(const std::string& bytes) const {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  // All up to the end of the connection.
  [[nodiscard]] WebReply reply() const {
    std::string text;
    std::array<char, 65536> buffer;
    for (ssize_t count = 0; (count = ::recv(socket_, buffer.data(), buffer.size(), 0)) > 0;) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return parse(text);
  }

 private:
  static WebReply parse(const std::string& text) {
    WebReply reply;
    const std::size_t end = text.find("\r\n\r\n");
    if (!text.starts_with("HTTP/1.1 ") || end == std::string::npos) return reply;
    reply.status = std::stoi(text.substr(9, 3));
    for (std::size_t at = text.find("\r\n") + 2; at < end;) {
      const std::size_t line_end = text.find("\r\n", at);
      const std::size_t colon = text.find(": ", at);
      reply.headers[text.substr(at, colon - at)] = text.substr(colon + 2, line_end - colon - 2);
      at = line_end + 2;
    }
    reply.body = text.substr(end + 4);
    return reply;
  }

  int socket_;
};

// `more`: further header lines, each with its line end.
inline WebReply get(int port, const std::string& target, const std::string& more = {},
                    const std::string& method = "GET") {
  const WebClient client(port);
  client.send(method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + more + "\r\n");
  return client.reply();
}

}  // namespace spindrift::test
