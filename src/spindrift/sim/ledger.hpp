// Where the liquid's volume went: what came, what left, and what nobody ordered.
#pragma once

#include <cstdint>
#include <vector>

namespace spindrift {

// Volumes in m^3, summed from the start; what takes liquid away is negative.
struct VolumeBook {
  double start = 0;
  double sources = 0, sinks = 0, open_sides = 0;
  double thickening = 0;  // now: what thin parts show more than they have
  double in_flight = 0;   // now: in droplets too small for the surface's grid
  double specks = 0;      // drops removed, pockets filled: too small for the surface's grid
  double obstacles = 0;   // cut off by those that move; control puts it back elsewhere
  double correction = 0;  // what volume control was told to add
  [[nodiscard]] double expected() const { return start + sources + sinks + open_sides; }
};

// A connected body of liquid, now. All droplets are one: it should have what they carry, and what
// no body shows.
inline constexpr std::int64_t kNoBody = -1;
struct BodyBook {
  std::int64_t id = 0;
  double volume = 0, target = 0;  // m^3
};

struct Ledger {
  VolumeBook book;
  double volume = 0;  // m^3, of the cut surface
  std::vector<BodyBook> bodies;
  double kinetic = 0, potential = 0;  // J; potential above the bottom of the domain
  double momentum[3] = {0, 0, 0};     // kg m/s
};

}  // namespace spindrift
