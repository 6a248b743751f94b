// Numbers for blocks in the order in which they are asked for.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace spindrift {

// Neighbouring elements mostly ask for the same few again: the recent ones are kept at hand.
class BlockNumbers {
 public:
  std::int32_t number(std::uint64_t key) {
    Recent& recent = recent_[(key ^ key >> 18 ^ key >> 36) % recent_.size()];
    if (recent.key != key) {
      const auto [place, is_new] =
          numbers_.try_emplace(key, static_cast<std::int32_t>(keys.size()));
      if (is_new) keys.push_back(key);
      recent = {key, place->second};
    }
    return recent.number;
  }

  std::vector<std::uint64_t> keys;

 private:
  struct Recent {
    std::uint64_t key = ~std::uint64_t{0};
    std::int32_t number = 0;
  };
  std::array<Recent, 512> recent_;
  std::unordered_map<std::uint64_t, std::int32_t> numbers_;
};

}  // namespace spindrift
