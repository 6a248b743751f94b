// What the tests of all mesh formats share.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/io/mesh_file.hpp"

#include "support/temporary_folder.hpp"

namespace spindrift::test {

// What a call throws as InputError, or "" if it returns.
template <class Call>
std::string input_error(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

struct BadInput {
  std::string bytes;
  std::string error;  // whole text
};

inline void expect_errors(MeshFile (*parse)(std::string_view, const std::string&),
                          const std::string& name, const std::vector<BadInput>& inputs) {
  for (const BadInput& input : inputs) {
    EXPECT_EQ(input_error([&] { return parse(input.bytes, name); }), input.error)
        << "for the input\n"
        << input.bytes;
  }
}

inline void expect_same_bits(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(std::memcmp(a[i].data(), b[i].data(), sizeof(Vec3)), 0)
        << "vector " << i << ": " << a[i].transpose() << " and " << b[i].transpose();
  }
}

}  // namespace spindrift::test
