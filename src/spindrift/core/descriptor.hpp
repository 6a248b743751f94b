// An open file of the system, closed on every way out.
#pragma once

#include <utility>

#include <unistd.h>

namespace spindrift {

class Descriptor {
 public:
  // Negative: none, as open() says.
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

}  // namespace spindrift
