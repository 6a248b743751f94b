#include "spindrift/io/off.hpp"

#include "mesh_fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return spindrift::fuzz::check_parser(spindrift::parse_off, data, size);
}
