// SPDX-License-Identifier: Apache-2.0
//
// The common part of the readers of all translation layers: reads logical pages whose places are known.
#pragma once

#include <span>
#include <vector>

#include "fw/flash/read_batch.h"
#include "fw/translation/lost_pages.h"
#include "fw/translation/translation.h"

namespace solidtlm::fw {

class UnitReader : public LogicalReader {
  public:
    explicit UnitReader(Services& services) : services_(services), batch_(services) {}

    /// The HostCommand::id that operations carry if there is no ledger.
    void set_command_id(std::uint32_t id) { command_id_ = id; }
    [[nodiscard]] std::size_t operations() const override { return batch_.operations(); }
    [[nodiscard]] std::uint32_t unmapped() const override { return unmapped_; }
    [[nodiscard]] std::span<const LogicalRead> unreadable() override;

  protected:
    /// All logical pages that `reads` touch, in order. Valid until the next call.
    std::span<const Lpn> name_units(std::span<const LogicalRead> reads);
    /// Builds the operations for `reads`. `found` holds the places of their units (or kUnmapped) in the order
    /// of name_units(). Units that are `lost` are unreadable even if their flash can be read. Returns the
    /// cycles for issuing the operations.
    std::uint64_t prepare(std::span<const LogicalRead> reads, std::span<const Ppa> found,
                          const LostPages& lost);
    /// Submits the prepared operations; see LogicalReader::begin_read().
    void submit(Join& join, Ledger* ledger, bool may_mark_parent);

  private:
    /// Logical pages whose data lies in one page of flash, or that have no place on flash.
    struct Part : LogicalRead {
        bool mapped = false;
        bool lost = false;
    };
    [[nodiscard]] std::uint32_t together(const LogicalRead& read, std::span<const Ppa> found) const;
    void zero_unmapped() const;

    Services& services_;
    ReadBatch batch_;
    std::vector<Lpn> lpns_;
    std::vector<Part> parts_;
    std::vector<UnitRead> on_flash_;  // mapped parts
    std::uint32_t unmapped_ = 0;      // number of unmapped units
    bool any_lost_ = false;           // some part is lost
    std::vector<LogicalRead> unreadable_;
    std::uint32_t command_id_ = 0;
};

}  // namespace solidtlm::fw
