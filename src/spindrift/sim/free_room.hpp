// Room that is left for liquid in a closed domain: there is no place for more than that, and
// whatever forces more into it makes the liquid faster and faster.
#pragma once

#include <optional>

#include "spindrift/bodies/solids.hpp"

namespace spindrift {

class FreeRoom {
 public:
  // `cell`: of the samples, m. Refers to `solids`.
  FreeRoom(const Solids& solids, double cell);

  // m^3 at a time, beside as much liquid, but for a fiftieth of the room: air must be somewhere.
  // Without end if a side is open.
  [[nodiscard]] double left(double volume, double time) const;
  // m^3 of that liquid for which there is none.
  [[nodiscard]] double lacking(double volume, double time) const;

 private:
  // What is left, below zero where it lacks.
  [[nodiscard]] double beside(double volume, double time) const;
  [[nodiscard]] double measure(double time) const;

  const Solids& solids_;
  double cell_;
  bool is_closed_;
  mutable std::optional<double> at_rest_;  // m^3, of solids that do not move
};

}  // namespace spindrift
