// SPDX-License-Identifier: Apache-2.0
//
// Overlapping commands run in the order in which the device accepted them. NCQ leaves their order open; this
// choice makes every outcome predictable and lets a shadow model check each read.
#pragma once

#include <coroutine>
#include <cstdint>
#include <vector>

#include "fw/drive/layout.h"
#include "fw/hal/check.h"
#include "fw/runtime/executor.h"

namespace solidtlm::fw {

class Hazards : public Waitable {
  public:
    /// At most `most` commands at once.
    Hazards(Executor& executor, std::size_t most) : executor_(executor), most_(most) {}

    /// A command's claim on a range of mapping units.
    struct Claim {
        std::uint64_t first = 0;
        std::uint64_t last = 0;  ///< inclusive
        bool exclusive = false;  ///< for writes and trims; two readers do not conflict
        std::uint32_t blockers = 0;
        Coroutine* waiter = nullptr;
        Ledger* ledger = nullptr;
    };

    /// Registers `claim` after all present ones. Commands claim in the order in which they were accepted.
    void add(Claim& claim) {
        SOLIDTLM_CHECK(active_.size() < most_, "each active command claims once");
        claim.blockers = 0;
        claim.waiter = nullptr;
        for (const Claim* other : active_) {
            claim.blockers += conflict(*other, claim) ? 1 : 0;
        }
        active_.push_back(&claim);
    }

    struct Awaiter {
        Hazards& hazards;
        Claim& claim;
        [[nodiscard]] bool await_ready() const noexcept { return claim.blockers == 0; }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
            claim.waiter = &handle.promise();
            hazards.executor_.suspend(*claim.waiter, hazards);
        }
        void await_resume() const noexcept {}
    };
    /// Waits until no earlier claim conflicts with `claim`.
    [[nodiscard]] Awaiter wait(Claim& claim) { return Awaiter{*this, claim}; }

    void remove(Claim& claim) {
        std::size_t position = 0;
        while (active_[position] != &claim) {
            ++position;
        }
        active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(position));
        for (; position < active_.size(); ++position) {  // only later claims can have waited for it
            Claim& later = *active_[position];
            if (conflict(claim, later) && --later.blockers == 0) {
                later.ledger->enter(Stage::firmware_wait, executor_.now());
                if (later.waiter != nullptr) {
                    executor_.post(*later.waiter);
                }
            }
        }
    }

    /// The earlier claims that `claim` waits for. For reports.
    [[nodiscard]] std::vector<const Claim*> blockers_of(const Claim& claim) const {
        std::vector<const Claim*> blockers;
        for (const Claim* other : active_) {
            if (other == &claim) {
                break;
            }
            if (conflict(*other, claim)) {
                blockers.push_back(other);
            }
        }
        return blockers;
    }

    [[nodiscard]] std::string describe() const override { return "earlier commands that overlap"; }

  private:
    static bool conflict(const Claim& a, const Claim& b) {
        return (a.exclusive || b.exclusive) && a.first <= b.last && b.first <= a.last;
    }

    Executor& executor_;
    std::size_t most_;
    std::vector<Claim*> active_;  // in order of acceptance
};

}  // namespace solidtlm::fw
