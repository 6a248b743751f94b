// Text as the value of an XML attribute.
#pragma once

#include <string>
#include <string_view>

namespace spindrift {

[[nodiscard]] inline std::string xml_escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '"':
        text += "&quot;";
        break;
      default:
        text += c;
    }
  }
  return text;
}

}  // namespace spindrift
