// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/block_map_section.h"

namespace solidtlm::testbench {

Json block_map_section(const BlockMapTelemetry& map) {
    const fw::BlockMapState& state = map.state;
    const fw::BlockCounters& counters = state.counters;
    const Json utilization =
        state.data_pages == 0
            ? Json(nullptr)
            : Json(static_cast<double>(state.data_pages_programmed) / static_cast<double>(state.data_pages));
    return {{"layer", map.layer},
            {"block_pages", map.block_pages},
            {"writes",
             {{"write_data", counters.write_data},
              {"update_pure", counters.update_pure},
              {"update_pure_unused_place", counters.update_pure_unused_place},
              {"update_wasted", counters.update_wasted}}},
            {"merges",
             {{"drop", counters.of(fw::MergeKind::drop)},
              {"switch", counters.of(fw::MergeKind::switched)},
              {"partial", counters.of(fw::MergeKind::partial)},
              {"full", counters.of(fw::MergeKind::full)}}},
            {"merge_reads", counters.merge_reads},
            {"merge_programs", counters.merge_programs},
            {"erases", counters.erases},
            {"data_blocks", state.data_blocks},
            {"log_blocks", {{"used", state.log_blocks}, {"most", map.log_blocks}}},
            {"block_utilization", utilization}};
}

}  // namespace solidtlm::testbench
