// SPDX-License-Identifier: Apache-2.0
//
// Future work of a block: a binary heap and one event, instead of an event a transaction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <utility>
#include <vector>

#include "fw/hal/check.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw {

/// A block's agenda. Entries due at the same instant come out in the order they went in. The event is
/// notified for the earliest entry only; make the block's process sensitive to due_event() and drain with
/// pop_due().
template <class T>
class TimedQueue {
  public:
    /// Takes `most` entries.
    TimedQueue(const char* event_name, std::size_t most) : event_(event_name), most_(most) {}

    [[nodiscard]] const sc_core::sc_event& due_event() const { return event_; }
    [[nodiscard]] bool empty() const { return heap_.empty(); }
    [[nodiscard]] std::size_t size() const { return heap_.size(); }

    /// REQUIRES: at >= now() (to_sc_time() checks it), and room for it.
    void push(Ps at, T item) {
        SOLIDTLM_CHECK(heap_.size() < most_, "the agenda has room");
        heap_.push_back(Entry{at, next_sequence_++, std::move(item)});
        std::push_heap(heap_.begin(), heap_.end(), later);
        if (heap_.front().at == at && at < notified_for_) {
            arm(at);
        }
    }

    /// Moves the next entry that is due into `item`. When nothing is left to do now, arms the event for the
    /// next entry and returns false; a process that loops until false therefore always wakes again.
    bool pop_due(T& item) {
        const Ps current = now();
        if (heap_.empty() || heap_.front().at > current) {
            notified_for_ = kNever;
            if (!heap_.empty()) {
                arm(heap_.front().at);
            }
            return false;
        }
        std::pop_heap(heap_.begin(), heap_.end(), later);
        item = std::move(heap_.back().item);
        heap_.pop_back();
        return true;
    }

  private:
    struct Entry {
        Ps at;
        std::uint64_t sequence;
        T item;
    };
    static bool later(const Entry& a, const Entry& b) {
        return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
    void arm(Ps at) {
        notified_for_ = at;
        event_.notify(to_sc_time(at - now()));
    }

    static constexpr Ps kNever = Ps::max();
    sc_core::sc_event event_;
    std::size_t most_;
    std::vector<Entry> heap_;
    std::uint64_t next_sequence_ = 0;
    Ps notified_for_ = kNever;
};

}  // namespace solidtlm::hw
