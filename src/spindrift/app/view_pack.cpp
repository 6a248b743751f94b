#include "spindrift/app/view_pack.hpp"

#include "spindrift/io/byte_order.hpp"

namespace spindrift::app {

void Pack::lay_out(const Json& about) {
  Json arrays = Json::array();
  for (const Array& array : arrays_) {
    arrays.push_back({{"name", array.name},
                      {"type", array.type},
                      {"components", array.components},
                      {"rows", array.rows},
                      {"offset", array.offset}});
  }
  constexpr std::size_t kHead = 8;
  std::string text = Json{{"about", about}, {"arrays", arrays}}.dump();
  while ((kHead + text.size()) % kAlignment != 0) text += ' ';
  bytes_.resize(kHead);
  bytes_.replace(0, 4, "SPDV");
  store(bytes_.data() + 4, static_cast<std::uint32_t>(text.size()), ByteOrder::little);
  bytes_ += text;
  begin_ = std::ssize(bytes_);
  bytes_.resize(static_cast<std::size_t>(begin_ + end_));
}

}  // namespace spindrift::app
