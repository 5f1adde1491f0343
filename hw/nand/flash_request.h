// SPDX-License-Identifier: Apache-2.0
//
// A flash operation inside the controller: one pooled record from receipt to completion.
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
/// A step of an operation, which runs when the operation gets what it waits for (operations/).
using Phase = void (FlashController::*)(FlashRequest&);

struct FlashRequest {
    hal::FlashOp* op = nullptr;  ///< null: in the pool
    std::uint32_t index = 0;     ///< in the controller's pool
    std::uint32_t token = 0;     ///< DRAM answers with an older token are ignored
    const char* at = "";         ///< its present step, once it has its die; for reports
    Phase begin = nullptr;       ///< runs when it has its die
    Phase granted = nullptr;     ///< runs when it has the bus
    Phase moved = nullptr;       ///< runs when its DRAM accesses have ended
    hal::PlaneSet planes = 0;    ///< the planes of its die that it needs
    std::uint8_t slot = 0;       ///< the present plane, or page of a word line on it
    bool accepted = false;       ///< it may be sent to its die
    bool working = false;        ///< a program or erase is in the array and may be paused
    bool waits_for_bus = false;  ///< the ledger counts a wait for the bus since bus_asked
    std::uint8_t level = 0;      ///< read: level of the read-retry table, now or next
    bool retried = false;        ///< it holds its die until the level is 0 again
    std::uint32_t suspends = 0;
    Ps ready_at{0};          ///< when R/B# rises
    Agenda::Ticket ready{};  ///< entry for that instant
    Ps retry_since{0};       ///< when the first decode failed
    // When it began to wait for its die or the bus, and how long each holder had held it by then. Not
    // recorded if granted at once.
    Ps die_asked{-1};
    Ps bus_asked{-1};
    hal::HolderTimes die_before{};
    hal::HolderTimes bus_before{};

    PageGroup pages;
    std::vector<std::byte> content;  ///< the pieces' contents one after the other
    std::uint32_t accesses_open = 0;
    Ps accesses_begin{0};         ///< when a wait for the accesses began to count
    std::vector<std::byte> onto;  ///< accumulating read: the previous contents of DRAM
    bool loaded = false;          ///< program data has left DRAM
    bool waits_for_data = false;  ///< a program has its die, but waits for its data
    Ps encoded_at{0};             ///< when its data has left ECC; valid when loaded

    /// True if the command of the present plane begins with DAh, for SLC mode: `slc`, that of the page that
    /// it senses or programs.
    [[nodiscard]] bool has_prefix(bool slc) const { return slc && slot == 0; }
    /// Marks the operation's ledger, if it has one.
    void enter(hal::Stage stage, Ps at_time) const {
        if (op->ledger != nullptr) {
            op->ledger->enter(stage, at_time);
        }
    }
    /// Ends the ledger's wait for its die or the bus (`resource`) that began at `asked`.
    void end_wait(hal::Stage wait, Ps asked, const hal::HolderTimes& before, const hal::HolderClock& resource,
                  hal::Stage next, Ps now) const {
        if (asked == now) {
            enter(next, now);
        } else if (op->ledger != nullptr) {
            op->ledger->close_wait(wait, before, resource.snapshot(now), next, now);
        }
    }
};

/// The records of a controller, which keep their memory for reuse.
class FlashRequestPool {
  public:
    /// At most `most` are in use at once.
    explicit FlashRequestPool(std::size_t most) : most_(most) {}

    FlashRequest& take(hal::FlashOp& op) {
        if (free_.empty()) {
            SOLIDTLM_CHECK(requests_.size() < most_, "firmware has no more operations");
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
    std::size_t most_;
    std::vector<std::unique_ptr<FlashRequest>> requests_;
    std::vector<FlashRequest*> free_;
};

[[nodiscard]] inline hal::Holder holder_of(const hal::FlashOp& op) {
    return op.opcode == hal::FlashOpcode::erase ? hal::Holder::erase : hal::holder_of(op.cause);
}

}  // namespace solidtlm::hw
