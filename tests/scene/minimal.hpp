// The shortest scene; what is added to it begins on line 7.
#pragma once

#include <string>

namespace spindrift::test {

inline const std::string kMinimalScene =
    "format = 1\n"
    "[domain]\n"
    "min = [0, 0, 0]\n"
    "max = [2, 1, 1]\n"
    "[resolution]\n"
    "cells = 64\n";

}  // namespace spindrift::test
