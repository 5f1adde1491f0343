// SPDX-License-Identifier: Apache-2.0
//
// The state of a block-mapped layer, for results.
#pragma once

#include <cstdint>

#include "fw/block_map/block_counters.h"
#include "fw/hal/metrics.h"

namespace solidtlm::fw {

struct BlockMapState {
    BlockCounters counters;
    std::uint64_t data_blocks = 0;            ///< in use as data blocks
    std::uint64_t data_pages = 0;             ///< their places for logical pages
    std::uint64_t data_pages_programmed = 0;  ///< of data_pages: programmed since the erases
    std::uint64_t log_blocks = 0;             ///< in use as log or mirror blocks

    void tell(hal::Metrics& metrics) const {
        const auto pages = [&](const std::string& name, const char* what, std::uint64_t value) {
            metrics.counter("block_map." + name, "pages", what, value);
        };
        const auto merges = [&](const std::string& name, const char* what, MergeKind kind) {
            metrics.counter("block_map.merges." + name, "merges", what, counters.of(kind));
        };
        pages("writes.write_data", "programmed for the host in place", counters.write_data);
        pages("writes.update_pure", "to the log: the page had data, or its place was used up",
              counters.update_pure);
        pages("writes.update_pure_unused_place", "of update_pure, where the page's own place was empty",
              counters.update_pure_unused_place);
        pages("writes.update_wasted", "to the log: the page had no data, its place is lost",
              counters.update_wasted);
        merges("drop", "of log blocks without data", MergeKind::drop);
        merges("switch", "in which a log block becomes the data block", MergeKind::switched);
        merges("partial", "in which a log block is completed and becomes the data block", MergeKind::partial);
        merges("full", "in which everything is copied", MergeKind::full);
        pages("merge_reads", "read for merges", counters.merge_reads);
        pages("merge_programs", "copied by merges", counters.merge_programs);
        metrics.counter("block_map.erases", "blocks", "erased", counters.erases);
        metrics.state("block_map.data_blocks", "blocks", "in use as data blocks", data_blocks);
        metrics.state("block_map.data_pages", "pages", "places of data blocks", data_pages);
        metrics.state("block_map.data_pages_programmed", "pages", "of these, since the erases",
                      data_pages_programmed);
        metrics.state("block_map.log_blocks", "blocks", "in use as log or mirror blocks", log_blocks);
    }
};

}  // namespace solidtlm::fw
