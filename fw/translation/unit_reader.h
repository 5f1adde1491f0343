// SPDX-License-Identifier: Apache-2.0
//
// What the readers of all translation layers share: once the places of logical pages are known, reads them.
#pragma once

#include <span>
#include <vector>

#include "fw/media/read_batch.h"
#include "fw/translation/lost_pages.h"
#include "fw/translation/translation.h"

namespace solidtlm::fw {

class UnitReader : public LogicalReader {
  public:
    explicit UnitReader(Environment& environment) : environment_(environment), batch_(environment) {}

    /// The command to name when there is no ledger: HostCommand::id.
    void set_flow(std::uint32_t id) { flow_ = id; }
    [[nodiscard]] std::size_t operations() const override { return batch_.operations(); }
    bool collect(std::span<LogicalRead> reads) const override {
        std::size_t unit = 0;
        for (LogicalRead& read : reads) {
            read.unreadable = read.mapped && !batch_.readable(unit);
            unit += read.mapped ? 1 : 0;
        }
        for (const std::size_t read : lost_) {
            reads[read].unreadable = true;
        }
        return batch_.ok() && lost_.empty();
    }

  protected:
    /// Builds the operations for `reads`, whose i-th lies at found[i] (or kUnmapped); sets
    /// LogicalRead::mapped. Those that are `lost` are unreadable whatever comes of it. Returns the cycles it
    /// takes to issue them.
    std::uint64_t prepare(std::span<LogicalRead> reads, std::span<const Ppa> found, const LostPages& lost) {
        units_.clear();
        lost_.clear();
        for (std::size_t i = 0; i < reads.size(); ++i) {
            LogicalRead& read = reads[i];
            read.mapped = found[i] != kUnmapped;
            if (lost.contains(read.lpn)) {
                lost_.push_back(i);
            }
            if (read.mapped) {
                units_.push_back(UnitRead{found[i], read.dram, read.first_sector, read.sectors});
            }
        }
        batch_.prepare(units_, Cause::host, false);
        return batch_.operations() * environment_.config.cycles.flash_issue;
    }
    /// Submits what was prepared; see LogicalReader::begin_read().
    void submit(Join& join, Ledger* ledger, bool single_on_trunk) {
        if (!units_.empty()) {
            batch_.start(join, ledger, single_on_trunk, ledger != nullptr ? ledger->flow() : flow_);
        }
    }

  private:
    Environment& environment_;
    ReadBatch batch_;
    std::vector<UnitRead> units_;
    std::vector<std::size_t> lost_;  // of the reads
    std::uint32_t flow_ = 0;
};

}  // namespace solidtlm::fw
