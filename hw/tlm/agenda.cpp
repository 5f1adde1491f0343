// SPDX-License-Identifier: Apache-2.0
#include "hw/tlm/agenda.h"

#include <algorithm>
#include <utility>

#include "fw/hal/check.h"

namespace solidtlm::hw {

Agenda::Agenda(const sc_core::sc_module_name& name) : sc_module(name) {
    future_.reserve(64);
}

Agenda::~Agenda() {
    if (running_time == &now_) {  // an exception ended its process
        running_time = nullptr;
    }
}

void Agenda::before_end_of_elaboration() {
    if (!taken_over_) {
        SC_HAS_PROCESS(Agenda);
        SC_METHOD(agenda_method);
        sensitive << due_;
    }
}

void Agenda::take_over() {
    SOLIDTLM_CHECK(!taken_over_, "one process runs an agenda");
    taken_over_ = true;
}

void Agenda::ask_kernel(Ps at) {
    SOLIDTLM_CHECK(at >= now(), "an entry requested from outside lies in the kernel's present or future");
    waits_until_ = at;
    due_.notify(to_sc_time(at - kernel_now()));
}

/// Doubles the number of nodes. Each operation, frame and alarm needs a few.
void Agenda::grow_nodes() {
    const auto begin = static_cast<std::uint32_t>(nodes_.size());
    const std::uint32_t end = std::max(begin * 2, 64U);
    SOLIDTLM_CHECK(end < kNodes, "the agenda has room for more entries");
    nodes_.resize(end);
    for (std::uint32_t node = begin; node < end; ++node) {
        nodes_[node].next_free = node + 1 < end ? node + 1 : kNoNode;
    }
    free_ = begin;
}

void Agenda::grow_instant() {
    std::vector<Entry> larger(std::max<std::size_t>(places_ * 2, 64));
    SOLIDTLM_CHECK(larger.size() < kNodes, "an instant has a limited number of entries");
    for (std::uint64_t i = first_; i != end_; ++i) {
        larger[i & (larger.size() - 1)] = of_instant(i);
    }
    instant_ = std::move(larger);
    places_ = instant_.size();
}

void Agenda::withdraw(Ticket ticket) {
    if ((ticket & kOfThisInstant) == 0) {
        Node& node = nodes_[ticket & kNoNode];
        if (node.ticket == ticket) {
            node.entry.call = nullptr;
        }
    } else if (const std::uint64_t number = ticket & ~kOfThisInstant; number >= first_) {
        of_instant(number).call = nullptr;
    }
}

void Agenda::drop(const void* owner) {
    for (Node& node : nodes_) {
        if (node.entry.owner == owner) {
            node.entry.call = nullptr;
        }
    }
    for (std::uint64_t i = first_; i != end_; ++i) {
        Entry& entry = of_instant(i);
        if (entry.owner == owner) {
            entry.call = nullptr;
        }
    }
}

void Agenda::set_quantum(Ps quantum) {
    SOLIDTLM_CHECK(quantum >= Ps{0}, "the quantum is not negative");
    quantum_ = quantum;
}

Ps Agenda::look_ahead() const {
    const Ps kernel = kernel_now();
    if (quantum_ == Ps{0} || sc_core::sc_pending_activity_at_current_time()) {
        return kernel;
    }
    const sc_core::sc_time others = sc_core::sc_time_to_pending_activity();  // without any: the rest of time
    return kernel + (others > to_sc_time(quantum_) ? quantum_ : to_ps(others) - Ps{1});
}

void Agenda::begin() {
    ++wake_ups_;
    waits_until_ = kRuns;
    running_time = &now_;
    horizon_ = look_ahead();
}

void Agenda::end() {
    running_time = nullptr;
    const Ps kernel = kernel_now();
    if (pausing_ && now_ <= kernel) {
        pausing_ = false;
        sc_core::sc_pause();
        due_.notify(sc_core::SC_ZERO_TIME);  // wakes the agenda when the simulation goes on
        waits_until_ = kernel;
        return;
    }
    const Ps next = pausing_ || future_.empty() ? now_ : future_.back().at;
    waits_until_ = next > kernel ? next : kNever;
    if (next > kernel) {
        due_.notify(to_sc_time(next - kernel));
    }
}

void Agenda::wait_for_kernel() {
    end();
    sc_core::wait(due_);
    begin();
}

void Agenda::agenda_method() {
    begin();
    while (run_next()) {
    }
    end();
}

}  // namespace solidtlm::hw
