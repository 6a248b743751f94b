#include "spindrift/io/pvd.hpp"

#include <fmt/format.h>

#include "spindrift/core/file.hpp"
#include "spindrift/io/bulk_write.hpp"
#include "spindrift/io/xml.hpp"

namespace spindrift {

void write_pvd(const std::filesystem::path& path, std::span<const PvdStep> steps) {
  std::string text =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const PvdStep& step : steps) {
    text += "<DataSet timestep=\"";
    append_number(text, step.time);
    text += fmt::format("\" part=\"0\" file=\"{}\"/>\n", xml_escaped(step.file));
  }
  write_file(path, text + "</Collection>\n</VTKFile>\n");
}

}  // namespace spindrift
