#include "spindrift/cache/probe_file.hpp"

#include "spindrift/io/bulk_write.hpp"

namespace spindrift {

std::string probe_header(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::height:
      return "time,height\n";
    case ProbeKind::pressure:
      return "time,pressure\n";
    case ProbeKind::velocity:
      break;
  }
  return "time,vx,vy,vz\n";
}

std::string probe_lines(ProbeKind kind, std::span<const ProbeRow> rows) {
  const int components = kind == ProbeKind::velocity ? 3 : 1;
  std::string text;
  for (const ProbeRow& row : rows) {
    append_number(text, row.time);
    for (int k = 0; k < components; ++k) {
      text += ',';
      append_number(text, row.value[k]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace spindrift
