// The experiments with a liquid, one file each.
#pragma once

#include "experiment.hpp"

namespace spindrift::validation {

[[nodiscard]] Result pool_at_rest(const ExperimentOptions& options);
[[nodiscard]] Result falling_drop(const ExperimentOptions& options);
[[nodiscard]] Result standing_wave(const ExperimentOptions& options);
[[nodiscard]] Result interpolants_in_a_wave(const ExperimentOptions& options);
[[nodiscard]] Result dam_break(const ExperimentOptions& options);
[[nodiscard]] Result drop_into_pool(const ExperimentOptions& options);
[[nodiscard]] Result spray(const ExperimentOptions& options);
[[nodiscard]] Result sources_and_sinks(const ExperimentOptions& options);
[[nodiscard]] Result random_scenes(const ExperimentOptions& options);

}  // namespace spindrift::validation
