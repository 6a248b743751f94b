// Another program that reads what we write to its standard input.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "spindrift/core/descriptor.hpp"

namespace spindrift {

// In a process group of its own: Ctrl-C at a terminal is for us to handle. Its standard output goes
// nowhere; what it says on standard error is kept for our errors. The program is ended if it still
// runs when this ends.
class ChildProcess {
 public:
  // The program is looked for in PATH. Throws SystemError with `advice` if it cannot be started.
  ChildProcess(std::vector<std::string> arguments, const std::string& advice);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits until the program has taken all. False: it ended, or does not read any more.
  [[nodiscard]] bool write(std::string_view bytes);
  // Ends its input and waits for it. True: it said that all is well.
  [[nodiscard]] bool finish();
  // What it said on standard error so far.
  [[nodiscard]] std::string messages() const;

 private:
  pid_t process_ = -1;
  Descriptor input_, messages_;
};

}  // namespace spindrift
