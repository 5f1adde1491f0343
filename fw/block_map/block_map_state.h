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
        pages("writes.write_data", "pages programmed in place for the host", counters.write_data);
        pages("writes.update_pure",
              "pages written to the log because the page had data or its own place was programmed",
              counters.update_pure);
        pages("writes.update_pure_unused_place",
              "the part of update_pure in which the page's own place was empty",
              counters.update_pure_unused_place);
        pages("writes.update_wasted",
              "pages written to the log although they had no data, because the rule of ascending pages "
              "forbade their place",
              counters.update_wasted);
        merges("drop", "merges that drop a block without data", MergeKind::drop);
        merges("switch", "merges in which the log block becomes the data block as it is",
               MergeKind::switched);
        merges("partial", "merges that complete a log block, which becomes the data block",
               MergeKind::partial);
        merges("full", "merges that copy every page to an erased block", MergeKind::full);
        pages("merge_reads", "pages read by merges", counters.merge_reads);
        pages("merge_programs", "pages programmed by merges", counters.merge_programs);
        metrics.counter("block_map.erases", "blocks", "blocks erased", counters.erases);
        metrics.state("block_map.data_blocks", "blocks", "data blocks in use", data_blocks);
        metrics.state("block_map.data_pages", "pages", "pages that the data blocks have", data_pages);
        metrics.state("block_map.data_pages_programmed", "pages", "pages of data blocks that are programmed",
                      data_pages_programmed);
        metrics.state("block_map.log_blocks", "blocks", "log or mirror blocks in use", log_blocks);
    }
};

}  // namespace solidtlm::fw
