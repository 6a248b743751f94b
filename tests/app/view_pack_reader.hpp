// Reads the packs of view_pack.hpp, as the page does.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace spindrift::test {

class PackReader {
 public:
  explicit PackReader(std::string bytes) : bytes_(std::move(bytes)) {
    if (bytes_.substr(0, 4) != "SPDV") throw std::runtime_error("this is no pack");
    std::uint32_t length = 0;
    std::memcpy(&length, bytes_.data() + 4, sizeof length);
    head_ = nlohmann::json::parse(bytes_.substr(8, length));
    begin_ = 8 + length;
    if (begin_ % 8 != 0) throw std::runtime_error("the arrays are not aligned");
  }

  [[nodiscard]] const nlohmann::json& about() const { return head_["about"]; }

  template <class T>
  [[nodiscard]] std::vector<T> array(const std::string& name) const {
    for (const auto& array : head_["arrays"]) {
      if (array["name"] != name) continue;
      std::vector<T> values(array["rows"].get<std::size_t>() *
                            array["components"].get<std::size_t>());
      const std::size_t at = begin_ + array["offset"].get<std::size_t>();
      if (at + values.size() * sizeof(T) > bytes_.size()) throw std::runtime_error("cut off");
      if (!values.empty())
        std::memcpy(values.data(), bytes_.data() + at, values.size() * sizeof(T));
      return values;
    }
    throw std::runtime_error("there is no " + name);
  }

 private:
  std::string bytes_;
  nlohmann::json head_;
  std::size_t begin_ = 0;
};

}  // namespace spindrift::test
