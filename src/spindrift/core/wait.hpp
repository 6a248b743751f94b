// Waits for what others do.
#pragma once

#include <functional>

namespace spindrift {

// Looks every 50 ms until it is so, for that many seconds at most. Whether it is.
bool wait_until(const std::function<bool()>& is_so, double most_seconds);

}  // namespace spindrift
