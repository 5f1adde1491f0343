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
#include "hw/tlm/agenda.h"

namespace solidtlm::hw {

class FlashController;
struct FlashRequest;
/// What an operation does when it is given what it waits for (operations/).
using Phase = void (FlashController::*)(FlashRequest&);

struct FlashRequest {
    hal::FlashOp* op = nullptr;  ///< null: in the pool
    std::uint32_t index = 0;     ///< in the controller's pool
    std::uint32_t token = 0;     ///< answers of the DRAM that carry an older token are void
    const char* at = "";         ///< what it does or waits for, once it has its die; for reports
    Phase begin = nullptr;       ///< with its die
    Phase granted = nullptr;     ///< with the bus
    Phase moved = nullptr;       ///< after its DRAM accesses
    hal::PlaneSet planes = 0;    ///< of its die that it needs
    std::uint8_t slot = 0;       ///< plane, or page of a word line on it, whose turn it is
    bool accepted = false;       ///< it can be sent to its die
    bool working = false;        ///< program or erase that the array works on: it may be paused
    bool waits_for_bus = false;  ///< the ledger counts a wait for the bus since bus_asked
    std::uint8_t level = 0;      ///< read: of the read-retry table, now or next
    bool retried = false;        ///< it holds its die until the table is back at level 0
    std::uint32_t suspends = 0;
    Ps ready_at{0};          ///< R/B# rises
    Agenda::Ticket ready{};  ///< of what happens then
    Ps retry_since{0};       ///< the first decode has failed
    // When it began to wait for its die or the bus, and how long each holder had held that by then. Not
    // recorded if granted in the instant of asking.
    Ps die_asked{-1};
    Ps bus_asked{-1};
    hal::HolderTimes die_before{};
    hal::HolderTimes bus_before{};

    PageGroup pages;
    std::vector<std::byte> content;  ///< the pieces' contents one after the other
    std::uint32_t accesses_open = 0;
    Ps accesses_begin{0};         ///< since when a wait for them counts
    std::vector<std::byte> onto;  ///< accumulating read: what DRAM held
    bool loaded = false;          ///< program data has left DRAM
    bool waits_for_data = false;  ///< program that has its die
    Ps encoded_at{0};             ///< its data have left ECC; valid when loaded

    /// The command of the plane whose turn it is begins with DAh, for SLC mode.
    [[nodiscard]] bool has_prefix() const { return op->slc && slot == 0; }
    /// Marks the operation's ledger, if it has one.
    void enter(hal::Stage stage, Ps at_time) const {
        if (op->ledger != nullptr) {
            op->ledger->enter(stage, at_time);
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
        request.slot = 0;
        request.accepted = request.working = request.waits_for_bus = false;
        request.loaded = request.waits_for_data = request.retried = false;
        request.level = 0;
        request.suspends = 0;
        request.accesses_open = 0;
        return request;
    }
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
