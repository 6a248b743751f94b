#include "spindrift/io/usda.hpp"

#include <cctype>

#include <fmt/format.h>

#include "spindrift/io/bulk_write.hpp"

namespace spindrift {

namespace {

std::string prim_name(const std::string& name) {
  std::string prim;
  for (const char c : name) {
    prim += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  if (prim.empty() || std::isdigit(static_cast<unsigned char>(prim.front())) != 0)
    prim = "_" + prim;
  return prim;
}

void append_vector(std::string& text, const Vec3& vector) {
  text += '(';
  for (int axis = 0; axis < 3; ++axis) {
    if (axis > 0) text += ", ";
    append_number(text, static_cast<float>(vector[axis]));
  }
  text += ')';
}

// [a, b, ...] with append(i, text) for each.
template <class Append>
void write_list(AtomicFile& file, std::int64_t count, const Append& append) {
  file.write("[");
  write_lines(file, count, [&](std::int64_t i, std::string& text) {
    if (i > 0) text += ", ";
    append(i, text);
  });
  file.write("]");
}

class Writer {
 public:
  Writer(const std::filesystem::path& path, const UsdaStage& stage) : file_(path), stage_(stage) {}

  void write() {
    write_head();
    samples("float3[] extent", [&](const MeshFile& surface) {
      const Box3 box =
          surface.mesh.vertices.empty() ? Box3(Vec3::Zero(), Vec3::Zero()) : bounds(surface.mesh);
      write_list(file_, 2, [&](std::int64_t i, std::string& text) {
        append_vector(text, i == 0 ? Vec3(box.min()) : Vec3(box.max()));
      });
    });
    samples("int[] faceVertexCounts", [&](const MeshFile& surface) {
      write_list(file_, surface.mesh.triangle_count(),
                 [](std::int64_t, std::string& text) { text += '3'; });
    });
    samples("int[] faceVertexIndices", [&](const MeshFile& surface) {
      write_list(file_, 3 * surface.mesh.triangle_count(), [&](std::int64_t i, std::string& text) {
        append_number(text, surface.mesh.triangles[static_cast<std::size_t>(i / 3)]
                                                  [static_cast<std::size_t>(i % 3)]);
      });
    });
    file_.write("        uniform token orientation = \"rightHanded\"\n");
    samples("point3f[] points", [&](const MeshFile& surface) { vectors(surface.mesh.vertices); });
    file_.write("        uniform token subdivisionScheme = \"none\"\n");
    samples("vector3f[] velocities", [&](const MeshFile& surface) { vectors(surface.velocities); });
    file_.write("    }\n}\n");
    file_.commit();
  }

 private:
  void write_head() {
    const std::string name = prim_name(stage_.name);
    file_.write(
        fmt::format("#usda 1.0\n(\n    defaultPrim = \"{}\"\n    doc = \"made by Spindrift\"\n"
                    "    endTimeCode = {}\n    framesPerSecond = {}\n    metersPerUnit = 1\n"
                    "    startTimeCode = {}\n    timeCodesPerSecond = {}\n"
                    "    upAxis = \"Z\"\n)\n\n",
                    name, stage_.last, stage_.fps, stage_.first, stage_.fps));
    file_.write(fmt::format("def Xform \"{}\"\n{{\n    def Mesh \"liquid\"\n    {{\n", name));
  }

  template <class Write>
  void samples(const char* attribute, const Write& write) {
    file_.write(fmt::format("        {}.timeSamples = {{\n", attribute));
    for (int frame = stage_.first; frame <= stage_.last; ++frame) {
      file_.write(fmt::format("            {}: ", frame));
      write(stage_.surface(frame));
      file_.write(",\n");
    }
    file_.write("        }\n");
  }

  void vectors(const std::vector<Vec3>& values) {
    write_list(file_, std::ssize(values), [&](std::int64_t i, std::string& text) {
      append_vector(text, values[static_cast<std::size_t>(i)]);
    });
  }

  AtomicFile file_;
  const UsdaStage& stage_;
};

}  // namespace

void write_usda(const std::filesystem::path& path, const UsdaStage& stage) {
  Writer(path, stage).write();
}

}  // namespace spindrift
