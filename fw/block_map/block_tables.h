// SPDX-License-Identifier: Apache-2.0
//
// The DRAM tables of a block-mapped layer's firmware: which block holds a logical block and its log, and
// which logical page lies in each page of the log blocks. The model keeps its own tables (BlockLayer); this
// class charges what access to the real ones costs.
#pragma once

#include <algorithm>

#include "fw/block_map/block_layer.h"
#include "fw/block_map/needs.h"
#include "fw/drive/dram_map.h"
#include "fw/drive/services.h"

namespace solidtlm::fw {

class BlockTables {
  public:
    /// `logical_block_pages`: logical pages of a logical block.
    BlockTables(Services& services, const DramMap& dram_map, std::uint32_t logical_block_pages)
        : services_(services),
          blocks_(dram_map[kLogicalBlocks]),
          log_(dram_map[kBlockLogs]),
          log_entries_(std::max<std::uint64_t>(
              1, block_table_size(services.config, services.layout.superblocks()).log_entries)),
          by_block_(logical_block_pages) {}

    [[nodiscard]] Lbn logical_block(Lpn lpn) const { return Lbn{by_block_.quotient(lpn.value)}; }
    /// The core's next spend() includes reading the entry of the logical block.
    void read_block(Lbn block) { access(block_entry(block), kLogicalBlockBytes, false); }
    void write_block(Lbn block) { access(block_entry(block), kLogicalBlockBytes, true); }
    /// The core's next spend() includes reading the line of the log's hash table in which `lpn` would be.
    void search_log(Lpn lpn) { access(log_entry(lpn, kDramLineBytes), kDramLineBytes, false); }
    void write_log(Lpn lpn) { access(log_entry(lpn, kMapEntryBytes), kMapEntryBytes, true); }

  private:
    [[nodiscard]] DramAddress block_entry(Lbn block) const {
        return DramAddress{blocks_.value + std::uint64_t{block.value} * kLogicalBlockBytes};
    }
    [[nodiscard]] DramAddress log_entry(Lpn lpn, std::uint32_t bytes) const {
        return DramAddress{log_.value +
                           std::uint64_t{lpn.value % log_entries_} * kMapEntryBytes / bytes * bytes};
    }
    void access(DramAddress at, std::uint32_t bytes, bool write) {
        Executor& executor = services_.executor;
        executor.add_access(services_.dram->core_access(at, bytes, write, executor.pending_stall()));
    }

    Services& services_;
    DramAddress blocks_;
    DramAddress log_;
    std::uint64_t log_entries_;
    Divider by_block_;
};

}  // namespace solidtlm::fw
