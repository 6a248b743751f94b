#include "spindrift/core/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spindrift/core/error.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace spindrift {

namespace {

// What posix_spawn is told, freed on every way out.
class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

std::string reason(int error_number) { return std::generic_category().message(error_number); }

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> arguments, const std::string& advice)
    : input_(-1), messages_(::memfd_create("messages", MFD_CLOEXEC)) {
  SPINDRIFT_ASSERT(!arguments.empty());
  const Location where{.file = arguments.front()};
  // A socket rather than a pipe: writing to one that nobody reads need not raise SIGPIPE.
  int ends[2] = {-1, -1};
  if (messages_.get() < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw SystemError(where, "cannot be started: " + reason(errno));
  }
  input_ = Descriptor(ends[0]);
  const Descriptor theirs(ends[1]);
  ::shutdown(theirs.get(), SHUT_WR);

  SpawnPlan plan;
  ::posix_spawn_file_actions_adddup2(&plan.files, theirs.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_addopen(&plan.files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&plan.files, messages_.get(), STDERR_FILENO);
  ::posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&plan.attributes, 0);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const int failed = ::posix_spawnp(&process_, pointers[0], &plan.files, &plan.attributes,
                                    pointers.data(), environ);
  if (failed != 0) {
    process_ = -1;
    throw SystemError(where, "cannot be started: " + reason(failed), advice);
  }
}

ChildProcess::~ChildProcess() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool ChildProcess::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(input_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool ChildProcess::finish() {
  SPINDRIFT_ASSERT(process_ > 0);
  input_ = Descriptor(-1);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  process_ = -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string ChildProcess::messages() const {
  std::string text;
  char buffer[4096];
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(messages_.get(), buffer, sizeof buffer, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    at += got;
  }
}

}  // namespace spindrift
