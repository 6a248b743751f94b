#include "spindrift/meshing/field_gradients.hpp"

namespace spindrift {

void sample_field(const ScalarField& field, std::span<const Vec3> points, double step,
                  std::span<FieldSample> samples) {
  constexpr std::size_t kEach = 7;  // the point, and two more along each axis
  std::vector<Vec3> places;
  places.reserve(kEach * points.size());
  for (const Vec3& point : points) {
    places.push_back(point);
    for (int axis = 0; axis < 3; ++axis) {
      for (const double offset : {-step, step}) {
        places.push_back(point);
        places.back()[axis] += offset;
      }
    }
  }
  std::vector<double> values(places.size());
  evaluate_parallel(field, places, values);
  for (std::size_t i = 0; i < points.size(); ++i) {
    samples[i].value = values[kEach * i];
    for (int axis = 0; axis < 3; ++axis) {
      const std::size_t k = kEach * i + 1 + 2 * static_cast<std::size_t>(axis);
      // The step that round-off leaves.
      const double width = places[k + 1][axis] - places[k][axis];
      samples[i].gradient[axis] = (values[k + 1] - values[k]) / width;
    }
  }
}

}  // namespace spindrift
