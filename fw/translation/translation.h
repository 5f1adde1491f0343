// SPDX-License-Identifier: Apache-2.0
//
// A translation layer: where logical pages live on flash. Page mapping, block-mapped and hybrid layers share
// this interface, so that write buffer, TRIM, FLUSH, verification and ledger work with all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fw/buffer/write_buffer.h"
#include "fw/hal/check.h"
#include "fw/hal/emergency_flash.h"
#include "fw/hal/flash_image.h"
#include "fw/hal/metrics.h"
#include "fw/hal/state_archive.h"
#include "fw/log/boot_report.h"
#include "fw/runtime/task.h"
#include "fw/translation/aged_flash.h"

namespace solidtlm::fw {

/// A run of sectors to read, within one logical page or across several.
struct LogicalRead {
    Lpn lpn;
    DramAddress dram;                ///< where sector `first_sector` goes
    std::uint32_t first_sector = 0;  ///< counted from the beginning of unit `lpn`
    std::uint32_t sectors = 0;

    /// Logical pages touched.
    [[nodiscard]] std::uint32_t units(std::uint32_t sectors_per_unit) const {
        return (first_sector + sectors + sectors_per_unit - 1) / sectors_per_unit;
    }
    /// Removes the part within the first `count` pages from the run and returns it.
    LogicalRead take_units(std::uint32_t count, std::uint32_t sectors_per_unit) {
        LogicalRead taken = *this;
        taken.sectors = std::min(sectors, count * sectors_per_unit - first_sector);
        lpn.value += count;
        dram.value += std::uint64_t{taken.sectors} * hal::kSectorBytes;
        first_sector = 0;
        sectors -= taken.sectors;
        return taken;
    }
};

/// A read under way; reusable.
class LogicalReader {
  public:
    virtual ~LogicalReader() = default;
    /// Translates `reads` (ascending LPNs) and starts the flash operations in one step: no other coroutine
    /// runs between the last translation and the last submission. Pages without data on flash read as zeros.
    /// Each operation counts once in `join`. `may_mark_parent`: a single operation may mark `ledger` itself.
    /// Spends `charge`.
    virtual Task<void> begin_read(std::span<const LogicalRead> reads, Join& join, Ledger* ledger,
                                  bool may_mark_parent, Charge& charge) = 0;
    /// Number of flash operations started.
    [[nodiscard]] virtual std::size_t operations() const = 0;
    /// Logical pages without data on flash, counted once per read that touches them.
    [[nodiscard]] virtual std::uint32_t unmapped() const = 0;
    /// After the join: the unreadable parts of the reads, in order, each within a page of flash. Valid until
    /// the next begin_read().
    [[nodiscard]] virtual std::span<const LogicalRead> unreadable() = 0;
};

/// Wear of the flash for data.
struct FlashWear {
    std::uint64_t erases = 0;   ///< erases of all its superblocks; found again after a loss of power
    std::uint64_t retired = 0;  ///< superblocks known to be out of service
};

/// The reason why a drive takes no more writes.
struct WriteStop {
    std::string_view why;     ///< in words
    std::optional<Ps> since;  ///< none: since before its state was loaded or power was lost
};

class Translation {
  public:
    virtual ~Translation() = default;

    virtual std::unique_ptr<LogicalReader> make_reader() = 0;
    /// Starts the background work: destaging the write buffer, garbage collection.
    virtual void start() = 0;
    /// True if the layer can find its state on flash after a loss of power.
    [[nodiscard]] virtual bool recoverable() const { return false; }
    /// Finds its state on flash. Called after a loss of power, before start(). REQUIRES: recoverable().
    virtual Task<void> recover(BootReport& /*report*/) {
        SOLIDTLM_CHECK(recoverable(), "the layer is recoverable");
        co_return;
    }
    /// Takes over the state that `flash` describes, and gives the flash, which is new, what a boot would find
    /// there. Called before start(). REQUIRES: !why_not_laid_down() (fw/page_map/lay_down.h).
    virtual void lay_down(AgedFlash& /*flash*/, hal::FlashImage& /*image*/) {
        SOLIDTLM_CHECK(false, "the layer can take over a description");
    }
    /// Unmaps `count` whole units from `first` on. The caller has dropped them from the write buffer.
    virtual Task<void> trim(Lpn first, std::uint32_t count, Ledger* ledger) = 0;
    /// Looks up whether `lpn` has data on flash, at the cost of a translation.
    virtual Task<bool> holds(Lpn lpn, Ledger* ledger) = 0;

    /// Waits until all earlier TRIMs survive a loss of power, if they ever do. False if they never will.
    virtual Task<bool> persist_trims() { co_return true; }
    /// Power is being lost: writes as much as the capacitor's energy allows. Afterwards only the destructor
    /// may be called.
    virtual void save(hal::EmergencyFlash& /*flash*/) {}

    /// `lpn` will be looked up soon. Affects only the speed of the model.
    virtual void prefetch(Lpn lpn) const = 0;
    /// Why writes fail, if they do: no flash space is left beyond what the write buffer may need. Ends when a
    /// TRIM has freed some.
    [[nodiscard]] virtual std::optional<WriteStop> write_stop() const = 0;
    [[nodiscard]] bool read_only() const { return write_stop().has_value(); }
    /// Acknowledged data is lost, because the rest of its unit could not be read: FLUSH fails until it is
    /// written again or trimmed.
    [[nodiscard]] virtual bool lost_writes() const { return false; }
    /// Part of the flash has not answered since power returned. Which of the remaining data is newest is
    /// unknown, so nothing can be read.
    [[nodiscard]] virtual bool lost() const { return false; }
    /// True if `lpn` has data on flash. Costs no time; for checks.
    [[nodiscard]] virtual bool mapped(Lpn lpn) const = 0;
    /// Where `lpn` lies on flash, or kUnmapped. Costs no time; for checks.
    [[nodiscard]] virtual Ppa locate(Lpn lpn) const = 0;
    /// No flash operation is under way or about to begin.
    [[nodiscard]] virtual bool at_rest() const = 0;
    /// Saves, or loads before start().
    virtual void serialize(hal::StateArchive& archive) = 0;
    /// Services::probe has been replaced.
    virtual void probe_changed() = 0;
    /// Resets its counters, but not the metrics that describe a state.
    virtual void reset_counters() = 0;
    /// Superblocks that are erased and not in use, in all parallel units.
    [[nodiscard]] virtual std::uint64_t free_superblocks() const = 0;
    [[nodiscard]] virtual FlashWear wear() const = 0;
    /// Reports its counters.
    virtual void tell(hal::Metrics& metrics) const = 0;
    /// Logical pages that share a page and whose reference is recorded in DRAM alone. With online
    /// deduplication without protection, a loss of power loses them. In order, some more than once. For
    /// checks.
    [[nodiscard]] virtual std::vector<Lpn> unwritten_references() const { return {}; }
    /// True if a record of the recovery log is in DRAM alone. For checks.
    [[nodiscard]] virtual bool log_pending() const { return false; }
    /// Describes its present work and its waits. For reports.
    [[nodiscard]] virtual std::vector<std::string> waits() const {
        return {std::string("flash: ") + (at_rest() ? "no operation under way" : "operations under way") +
                ", " + std::to_string(free_superblocks()) + " superblocks free" +
                (read_only() ? ", read-only" : "")};
    }
    /// Checks that map, valid counts and free space agree; returns a description of the first disagreement,
    /// or an empty string.
    [[nodiscard]] virtual std::string check() const = 0;
};

}  // namespace solidtlm::fw
