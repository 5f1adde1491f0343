// SPDX-License-Identifier: Apache-2.0
//
// Keys of garbage collection.
#pragma once

#include <cstdint>
#include <string>

#include "fw/hal/key.h"

namespace solidtlm::fw {

/// When collection moves data: as fast as it can while few superblocks are free, or after each superpage of
/// the host as many superpages as the victims demand.
enum class GcPacing : std::uint8_t { burst, paced };

struct GcConfig {
    SOLIDTLM_KEYS(GcConfig);
    SOLIDTLM_KEY(std::string, policy, "greedy", key.gc_policy(), "Which block is collected.");
    SOLIDTLM_KEY(std::uint32_t, d, 10, key.integer(1, 65'536), "d_choices: blocks drawn.");
    SOLIDTLM_KEY(std::uint32_t, foreground_threshold, 1, key.integer(1, 65'536, "superblocks"),
                 "Host writes to a parallel unit wait at or below this many free superblocks.");
    SOLIDTLM_KEY(std::uint32_t, background_threshold, 3, key.integer(2, 65'536, "superblocks"),
                 "Garbage collection runs below this many; above foreground_threshold.");
    SOLIDTLM_KEY(bool, copy_back, false, key.boolean(),
                 "Move whole pages inside the die where every unit is still valid. Not with read reclaim of "
                 "page_map or parity.");
    SOLIDTLM_KEY(std::uint32_t, pipeline_depth, 2, key.integer(1, 256, "superpages"),
                 "Superpages of one garbage collection in flight.");
    SOLIDTLM_KEY(GcPacing, pacing, GcPacing::burst, key.enumerator({"burst", "paced"}),
                 "burst: collect as fast as possible while free superblocks are short; paced: after each "
                 "superpage of the host, move as much as replaces it.");
    SOLIDTLM_KEY(
        std::uint32_t, idle_threshold, 0, key.integer(0, 65'536, "superblocks"),
        "While the host is idle, collect up to this many free superblocks; 0: background_threshold.");

    [[nodiscard]] bool in_idle_time() const { return idle_threshold > background_threshold; }
    /// Superblocks that pacing needs besides foreground_threshold, so that the host never waits for an erase:
    /// collection's open one, the victim that is being emptied, and one for the host to write to.
    static constexpr std::uint32_t kPacingSuperblocks = 3;
};

}  // namespace solidtlm::fw
