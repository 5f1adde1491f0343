// SPDX-License-Identifier: Apache-2.0
//
// A flash operation inside the controller: from receipt to completion in one pooled record.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/flash.h"
#include "fw/hal/ledger.h"
#include "hw/nand/page_group.h"

namespace solidtlm::hw {

/// What a request waits for or does.
enum class Step : std::uint8_t {
    queued,      ///< waits for its die
    load,        ///< has its die, program data is not there yet
    command,     ///< command, address and data-in cycles of one plane
    array,       ///< R/B# is low
    suspending,  ///< a read pauses the operation that holds its die
    suspended,   ///< a program or erase that was paused
    resume,      ///< and wants to go on
    feature,     ///< EFh: level of the read-retry table
    data_out,    ///< page register to ECC
    store,       ///< to DRAM
    status,      ///< status poll
};

struct FlashRequest {
    hal::FlashOp* op = nullptr;  ///< null: in the pool
    std::uint32_t index = 0;     ///< in the controller's pool
    std::uint32_t token = 0;     ///< wakes that carry an older token are void
    Step step = Step::queued;
    std::uint8_t slot = 0;          ///< plane whose turn it is
    bool accepted = false;          ///< it can be sent to its die
    bool confirmed = false;         ///< the die has the operation
    bool copy_source_read = false;  ///< copy_back: past its first half
    bool waits_for_bus = false;     ///< the ledger counts a wait for the bus since bus_asked
    std::uint8_t level = 0;         ///< read: of the read-retry table, now or next
    bool retried = false;           ///< it holds its die until the table is back at level 0
    std::uint32_t suspends = 0;
    Ps ready_at{0};     ///< R/B# rises
    Ps retry_since{0};  ///< the first decode has failed
    // Since when it waits for its die or the bus, and how long who had held that by then. What is granted at
    // the instant of asking takes no note of that.
    Ps die_asked{-1};
    Ps bus_asked{-1};
    hal::HolderTimes die_before{};
    hal::HolderTimes bus_before{};

    PageGroup pages;
    std::vector<std::byte> content;  ///< the pieces' contents one after the other
    std::uint32_t accesses_open = 0;
    Ps accesses_begin{0};         ///< since when a wait for them counts
    std::vector<std::byte> onto;  ///< accumulating read: what DRAM held
    bool added = false;           ///< and it was added to `content`
    bool loaded = false;          ///< program data has left DRAM
    Ps encoded_at{0};             ///< and ECC; valid when loaded

    /// Marks the operation's ledger, if it has one.
    void enter(hal::Stage stage, Ps at) const {
        if (op->ledger != nullptr) {
            op->ledger->enter(stage, at);
        }
    }
    /// Ends the ledger's wait for its die or the bus, `resource`, that began at `asked`.
    void end_wait(hal::Stage wait, Ps asked, const hal::HolderTimes& before, const hal::HolderClock& resource,
                  hal::Stage next, Ps now) const {
        if (asked == now) {
            enter(next, now);
        } else if (op->ledger != nullptr) {
            op->ledger->close_wait(wait, before, resource.snapshot(now), next, now);
        }
    }
};

/// The records of a controller; they keep their memory.
class FlashRequestPool {
  public:
    FlashRequest& take(hal::FlashOp& op) {
        if (free_.empty()) {
            SOLIDTLM_CHECK(requests_.size() < hal::kMostFlashOperations, "firmware has no more operations");
            requests_.push_back(std::make_unique<FlashRequest>());
            requests_.back()->index = static_cast<std::uint32_t>(requests_.size() - 1);
            free_.push_back(requests_.back().get());
        }
        FlashRequest& request = *free_.back();
        free_.pop_back();
        request.op = &op;
        request.step = Step::queued;
        request.slot = 0;
        request.accepted = request.confirmed = request.copy_source_read = request.waits_for_bus = false;
        request.loaded = request.retried = request.added = false;
        request.level = 0;
        request.suspends = 0;
        request.accesses_open = 0;
        return request;
    }
    /// What was to happen to it is void.
    void give_back(FlashRequest& request) {
        ++request.token;
        request.op = nullptr;
        free_.push_back(&request);
    }
    void give_back_all() {
        for (const auto& request : requests_) {
            if (request->op != nullptr) {
                give_back(*request);
            }
        }
    }
    [[nodiscard]] FlashRequest& operator[](std::size_t index) { return *requests_[index]; }

  private:
    std::vector<std::unique_ptr<FlashRequest>> requests_;
    std::vector<FlashRequest*> free_;
};

[[nodiscard]] inline hal::Holder holder_of(const hal::FlashOp& op) {
    return op.opcode == hal::FlashOpcode::erase ? hal::Holder::erase : hal::holder_of(op.cause);
}

}  // namespace solidtlm::hw
