#include "spindrift/app/view_page.hpp"

#include <array>
#include <functional>

#include <fmt/format.h>

#ifdef SPINDRIFT_PAGE
// The assembler copies the files as they are; a compiler takes seconds for an array of as many
// bytes.
#define SPINDRIFT_PAGE_FILE(symbol, file)                                                    \
  asm(".section .rodata\n.global " #symbol "\n.global " #symbol "_end\n" #symbol             \
      ":\n.incbin \"" SPINDRIFT_PAGE "/" file "\"\n" #symbol "_end:\n.byte 0\n.previous\n"); \
  extern "C" const char symbol[], symbol##_end[];

SPINDRIFT_PAGE_FILE(spindrift_page_html, "index.html")
SPINDRIFT_PAGE_FILE(spindrift_page_js, "app.js")
SPINDRIFT_PAGE_FILE(spindrift_page_css, "app.css")
#endif

namespace spindrift::app {

#ifdef SPINDRIFT_PAGE

namespace {

PageFile page_file(std::string_view name, const char* begin, const char* end, const char* type) {
  const std::string_view bytes(begin, static_cast<std::size_t>(end - begin));
  return {name, bytes, type, fmt::format("page-{:x}", std::hash<std::string_view>{}(bytes))};
}

const std::array<PageFile, 3>& page_files() {
  static const std::array<PageFile, 3> files = {
      page_file("index.html", spindrift_page_html, spindrift_page_html_end,
                "text/html; charset=utf-8"),
      page_file("app.js", spindrift_page_js, spindrift_page_js_end,
                "text/javascript; charset=utf-8"),
      page_file("app.css", spindrift_page_css, spindrift_page_css_end, "text/css; charset=utf-8")};
  return files;
}

}  // namespace

bool has_page() { return true; }

const PageFile* find_page_file(std::string_view name) {
  for (const PageFile& file : page_files()) {
    if (file.name == name) return &file;
  }
  return nullptr;
}

#else

bool has_page() { return false; }

const PageFile* find_page_file(std::string_view /*name*/) { return nullptr; }

#endif

}  // namespace spindrift::app
