// SPDX-License-Identifier: Apache-2.0
//
// Reads mapping units from flash with as few flash operations as possible: units of one row of a superpage
// share an operation (multi-plane where they lie on several planes), and only the sectors asked for cross the
// bus.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "fw/drive/dram_map.h"
#include "fw/drive/services.h"
#include "fw/flash/spare.h"
#include "fw/runtime/join.h"

namespace solidtlm::fw {

/// Sectors to read into DRAM, of one mapping unit or of several that follow each other in a page of flash.
struct UnitRead {
    Ppa ppa;
    DramAddress dram;                ///< where sector `first_sector` goes
    std::uint32_t first_sector = 0;  ///< counted from the beginning of unit `ppa`
    std::uint32_t sectors = 0;       ///< 0: only the metadata of its page
};

/// Reusable after the join's wait has ended. Its operations must have ended before it is destroyed.
class ReadBatch {
  public:
    explicit ReadBatch(Services& services) : services_(services) {}

    /// Groups `units` into operations. `with_spare`: also reads the metadata of every page.
    void prepare(std::span<const UnitRead> units, Cause cause, bool with_spare);
    [[nodiscard]] std::size_t operations() const { return used_; }

    /// Submits the prepared operations; each counts once in `join`, which must not count them yet. `trunk`
    /// (may be null) is the ledger of the command: a single operation marks it directly, several mark
    /// branches. `command_id`: HostCommand::id that they serve.
    void start(Join& join, Ledger* trunk, bool may_mark_parent, std::uint32_t command_id = 0);

    /// After the join: true if every page could be read.
    [[nodiscard]] bool ok() const;
    /// After the join: true if the page of a read, counted as in prepare(), could be read.
    [[nodiscard]] bool readable(std::size_t read) const {
        const Place& place = places_[read];
        const hal::FlashOp& op = operations_[place.operation]->op;
        return op.status == hal::FlashStatus::ok || op.plane_status[place.plane] == hal::FlashStatus::ok;
    }
    /// After the join: the LPNs in the spare area for the first units of a read. REQUIRES: with_spare.
    void read_names(std::size_t read, std::span<Lpn> names) const {
        const Place& place = places_[read];
        const Operation& operation = *operations_[place.operation];
        SOLIDTLM_CHECK(!operation.op.spare.empty(), "the batch has read spare areas");
        const auto spare = std::span(operation.spare).subspan(place.plane * metadata_bytes());
        for (std::uint32_t unit = place.unit_in_page; Lpn & name : names) {
            name = decode_lpn(spare, unit++);
        }
    }

  private:
    struct Operation {
        hal::FlashOp op;
        Ledger ledger;
        Join* join = nullptr;
        Services* services = nullptr;
        bool marks_parent = false;
        SuperpageAddress at;
        std::uint32_t row = 0;
        std::array<std::uint8_t, hal::kMaxPlanesPerOp> pages{};  // page of the superpage, by op address
        std::size_t first_piece = 0;
        std::size_t pieces = 0;
        std::array<std::byte, hal::kMaxPlanesPerOp * hal::kMaxSpareBytes> spare{};
    };
    /// Where a read begins: its operation, the plane in it, the unit of the page.
    struct Place {
        std::uint32_t operation = 0;
        std::uint8_t plane = 0;
        std::uint8_t unit_in_page = 0;
    };
    std::uint32_t operation_for(const SuperpageAddress& at, std::uint32_t row, Cause cause);
    std::uint8_t plane_index(Operation& operation, std::uint32_t page);
    static void ended(Operation& operation);
    void reset();
    bool prepare_in_order(std::span<const UnitRead> units, Cause cause);
    void prepare_by_operation(std::span<const UnitRead> units, Cause cause);
    void add_piece(Operation& operation, const UnitRead& unit, const Place& place);
    [[nodiscard]] std::size_t metadata_bytes() const {
        return spare_bytes(services_.layout.units_per_page());
    }

    Services& services_;
    std::vector<std::unique_ptr<Operation>> operations_;
    std::size_t used_ = 0;
    std::vector<hal::FlashPiece> pieces_;
    std::vector<Place> places_;  // by read
};

}  // namespace solidtlm::fw
