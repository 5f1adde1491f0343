// SPDX-License-Identifier: Apache-2.0
//
// What the firmware makes of a drive that is filled in order, laid down at once instead of written: map,
// spare areas and contents, to the last bit of all that a run can show. The firmware itself writes the end of
// the fill, so that what it remembers of the fill (the parallel unit that is next, the order of the buffer's
// free slots) is right, too.
#pragma once

#include <cstdint>
#include <optional>

#include "fw/drive/layout.h"
#include "fw/page_map/lay_down.h"
#include "platform/configuration.h"
#include "testbench/sim/verify/verifier.h"

namespace solidtlm::testbench {

/// Why a fill by writes of `command_sectors` must be carried out; none if most of it can be laid down.
[[nodiscard]] std::optional<fw::LayDownRefusal> why_not_filled_in_bulk(
    const platform::Configuration& configuration, std::uint64_t command_sectors);

class BulkFill final : public fw::AgedFlash {
  public:
    /// The beginning of a fill of `sectors` from LBA 0 on, by writes of `command_sectors`; the first has the
    /// number 1 (Verifier::preload()). `verifier` lives as long. REQUIRES: !why_not_filled_in_bulk().
    BulkFill(const platform::Configuration& configuration, Verifier& verifier, std::uint64_t sectors,
             std::uint64_t command_sectors);

    /// How much it lays down. 0: the drive is too small, or too full.
    [[nodiscard]] std::uint64_t commands() const { return units_ * unit_sectors() / command_sectors_; }
    /// Pages of flash that hold it.
    [[nodiscard]] std::uint64_t pages() const { return units_ / layout_.units_per_page(); }

    // fw::AgedFlash.
    bool next(fw::AgedSuperblock& superblock) override;
    void content(fw::Lpn lpn, std::span<std::byte> unit) override;

  private:
    [[nodiscard]] std::uint64_t unit_sectors() const { return layout_.sectors_per_unit(); }

    const fw::MediaLayout layout_;
    Verifier& verifier_;
    std::uint64_t command_sectors_;
    std::uint64_t units_ = 0;
    std::uint32_t next_ = 0;  ///< superblock, counted over all parallel units, in the order of the stripe
};

}  // namespace solidtlm::testbench
