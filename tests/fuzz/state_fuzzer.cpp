// States from any bytes: whole, or refused.
#include <cstddef>
#include <cstdint>

#include "spindrift/cache/state.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const spindrift::StateReader state(bytes);
    (void)state.array<std::uint8_t>("flags");
    (void)state.get<double>("time");
  } catch (const spindrift::InputError&) {
  }
  return 0;
}
