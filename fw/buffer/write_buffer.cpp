// SPDX-License-Identifier: Apache-2.0
#include "fw/buffer/write_buffer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "fw/drive/dram_map.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {

/// While alive, `ledger` shows a stall, and the kind of stall follows set_space_blocked().
class WriteBuffer::StallScope {
  public:
    StallScope(WriteBuffer& buffer, Ledger* ledger) : buffer_(buffer), ledger_(ledger) {
        ++buffer_.drainers_;
        if (ledger_ != nullptr) {
            ledger_->enter(buffer_.stall_stage_, buffer_.environment_.executor.now());
            SOLIDTLM_CHECK(buffer_.stalled_.size() < DramMap::kCommandSlots, "each command waits once");
            buffer_.stalled_.push_back(ledger_);
        }
        buffer_.dirty_signal_.notify();
    }
    StallScope(const StallScope&) = delete;
    StallScope& operator=(const StallScope&) = delete;
    ~StallScope() {
        --buffer_.drainers_;
        std::erase(buffer_.stalled_, ledger_);
    }

  private:
    WriteBuffer& buffer_;
    Ledger* ledger_;
};

WriteBuffer::WriteBuffer(Environment& environment, DramAddress base, const DestageOrder& order)
    : environment_(environment),
      base_(base),
      order_(order),
      entries_(environment.config.write_buffer.size_bytes / environment.config.unit_bytes),
      buckets_(std::bit_ceil(entries_.size() * 2), kNoSlot),
      hash_shift_(32U - static_cast<unsigned>(std::bit_width(buckets_.size()) - 1)),
      lists_(order.lists()),
      full_mask_(environment.layout.sectors_per_unit() == 64
                     ? ~SectorMask{0}
                     : (SectorMask{1} << environment.layout.sectors_per_unit()) - 1),
      credits_(environment.executor, "write buffer slots", entries_.size()),
      gate_(environment.executor, "turn to take write buffer slots", 1),
      dirty_signal_(environment.executor, "something is to be written, or can be") {
    free_.reserve(entries_.size());
    for (std::size_t i = entries_.size(); i > 0; --i) {
        free_.push_back(Slot{static_cast<std::uint32_t>(i - 1)});
    }
}

Slot WriteBuffer::receive() {
    SOLIDTLM_CHECK(!stuck_, "nothing is received while nothing can be written");
    SOLIDTLM_CHECK(!free_.empty(), "who receives has a credit");
    const Slot slot = free_.back();
    free_.pop_back();
    at(slot) = Entry{};
    at(slot).state = State::receiving;
    tell_used();
    return slot;
}

void WriteBuffer::abandon(Slot slot) {
    release(slot);
}

void WriteBuffer::give_back(std::uint32_t credits) {
    const std::uint64_t repaid = std::min<std::uint64_t>(lent_, stuck_ ? 0 : credits);
    lent_ -= repaid;
    credits_.retire(repaid);
    credits_.release(credits - repaid);
}

void WriteBuffer::set_stuck(bool stuck) {
    if (std::exchange(stuck_, stuck) == stuck) {
        return;
    }
    if (stuck) {
        fail_waiters();
        lent_ += entries_.size();  // enough for any segment, one after the other
        credits_.lend(entries_.size());
    } else {
        const std::uint64_t back = std::min(lent_, credits_.available());
        lent_ -= back;
        credits_.withdraw(back);
    }
}

void WriteBuffer::fail_waiters() {
    for (Entry& entry : entries_) {
        if (entry.state == State::dirty || entry.state == State::blocked) {
            settle_durable(entry, false, nullptr);
        }
    }
    for (Flush* flush = flushes_; flush != nullptr; flush = flush->next) {
        if (std::exchange(flush->generation, 0) != 0 && flush->remaining > 0) {
            flush->failed = true;
            flush->join->done();
        }
    }
}

std::uint32_t WriteBuffer::copy_missing(Slot from, Slot to) {
    const SectorMask missing = at(from).valid & ~at(to).valid;
    const std::size_t stride = hal::content_stride(environment_.config.content);
    if (stride != 0 && missing != 0) {
        const std::byte* source = environment_.dram->content(address(from));
        std::byte* target = environment_.dram->content(address(to));
        for (SectorMask rest = missing; rest != 0; rest &= rest - 1) {
            const auto offset = static_cast<std::size_t>(std::countr_zero(rest)) * stride;
            std::memcpy(target + offset, source + offset, stride);
        }
    }
    at(to).valid |= missing;
    return static_cast<std::uint32_t>(std::popcount(missing));
}

std::uint32_t WriteBuffer::commit(Slot slot, Lpn lpn, SectorMask valid, DurableWaiter* durable) {
    Entry& entry = at(slot);
    entry.lpn = lpn;
    entry.valid = valid;
    entry.durable = durable;
    entry.generation = generation_;
    entry.state = State::dirty;
    ++unwritten_;
    ++dirty_total_;
    ++commits_;
    std::uint32_t copied = 0;
    bool takes_place = false;
    const Slot older = find(lpn);
    if (older != kNoSlot) {
        copied = copy_missing(older, slot);
        takes_place = supersede(older, slot);
    }
    index_insert(slot);
    if (stuck_) {
        settle_durable(entry, false, nullptr);
    }
    if (entry.state == State::dirty) {
        if (!takes_place) {
            push_back(slot);
        }
        dirty_signal_.notify();
    }
    return copied;
}

/// The older version gives way: at once if it is only dirty, after its programming otherwise. True if the
/// newer one took its place in the dirty list, so that a flush that waits for it is not kept waiting by a hot
/// page.
bool WriteBuffer::supersede(Slot older, Slot newer) {
    Entry& old_entry = at(older);
    Entry& new_entry = at(newer);
    index_remove(older);
    if (old_entry.state == State::programming) {
        block(newer, older);
        return false;
    }
    // Flushes that wait for the older version now wait for the newer one in its place.
    new_entry.generation = old_entry.generation;
    // (No durable waiter: its command keeps later writes to these units away until it has ended.)
    if (old_entry.state == State::blocked) {
        // Its own predecessor is still being programmed and now holds back the newest version.
        block(newer, old_entry.predecessor);
    } else {
        replace_in_list(older, newer);
    }
    --dirty_total_;
    --unwritten_;
    release(older);
    return new_entry.state == State::dirty;
}

/// `newer` waits until `older` has been programmed.
void WriteBuffer::block(Slot newer, Slot older) {
    at(older).successor = newer;
    at(newer).predecessor = older;
    at(newer).state = State::blocked;
}

std::uint32_t WriteBuffer::pass_on(Slot slot) {
    const Slot successor = at(slot).successor;
    return successor == kNoSlot ? 0 : copy_missing(slot, successor);
}

void WriteBuffer::charge_copy(Slot slot, std::uint32_t sectors) const {
    if (sectors == 0) {
        return;
    }
    Executor& executor = environment_.executor;
    for (const bool write : {false, true}) {
        executor.add_access(environment_.dram->core_access(address(slot), sectors * hal::kSectorBytes, write,
                                                           executor.pending_stall()));
    }
}

Slot WriteBuffer::find(Lpn lpn) const {
    for (Slot slot = buckets_[bucket(lpn)]; slot != kNoSlot; slot = entries_[slot.value].hash_next) {
        if (entries_[slot.value].lpn == lpn) {
            return slot;
        }
    }
    return kNoSlot;
}

bool WriteBuffer::programming(Lpn lpn) const {
    if (programming_ == 0) {
        return false;
    }
    const Slot slot = find(lpn);
    return slot != kNoSlot &&
           (entries_[slot.value].state == State::programming || entries_[slot.value].state == State::blocked);
}

void WriteBuffer::discard(Lpn lpn) {
    const Slot slot = find(lpn);
    if (slot == kNoSlot) {
        return;
    }
    Entry& entry = at(slot);
    index_remove(slot);
    if (entry.state == State::programming) {
        entry.discarded = true;
        return;
    }
    if (entry.state == State::blocked) {
        Entry& older = at(entry.predecessor);
        older.successor = kNoSlot;
        older.discarded = true;
    } else {
        unlink(slot);
    }
    --dirty_total_;
    settle(slot, true);
    release(slot);
}

void WriteBuffer::take(std::uint32_t list, std::uint32_t most, std::vector<Slot>& taken) {
    for (std::uint32_t i = 0; i < most && lists_[list].count > 0; ++i) {
        const Slot slot = lists_[list].first;
        unlink(slot);
        at(slot).state = State::programming;
        --dirty_total_;
        ++programming_;
        taken.push_back(slot);
    }
}

void WriteBuffer::written(Slot slot, const Ledger* ledger) {
    --programming_;
    Entry& entry = at(slot);
    settle_durable(entry, true, ledger);
    settle(slot, true);
    unblock_successor(entry);
    index_remove(slot);
    release(slot);
}

void WriteBuffer::requeue(Slot slot) {
    --programming_;
    Entry& entry = at(slot);
    if (entry.discarded) {
        settle(slot, true);
        release(slot);
        return;
    }
    if (entry.successor != kNoSlot) {
        // The newer version has everything this one had; flushes wait for it instead.
        Entry& newer = at(entry.successor);
        const std::uint64_t newer_generation = newer.generation;
        newer.generation = std::min(newer.generation, entry.generation);
        for (Flush* flush = flushes_; flush != nullptr; flush = flush->next) {
            if (newer_generation < flush->generation) {
                --flush->remaining;  // counted twice: never the last, the newer version is still to come
            }
        }
        --unwritten_;
        unblock_successor(entry);
        release(slot);
        return;
    }
    entry.state = State::dirty;
    ++dirty_total_;
    push_front(slot);
    dirty_signal_.notify();
}

void WriteBuffer::fail(Slot slot) {
    --programming_;
    Entry& entry = at(slot);
    settle_durable(entry, false, nullptr);
    settle(slot, false);
    unblock_successor(entry);
    index_remove(slot);
    release(slot);
}

void WriteBuffer::unpin(Slot slot) {
    Entry& entry = at(slot);
    if (--entry.pins == 0 && entry.state == State::zombie) {
        release(slot);
    }
}

void WriteBuffer::unblock_successor(Entry& entry) {
    if (entry.successor == kNoSlot) {
        return;
    }
    const Slot successor = std::exchange(entry.successor, kNoSlot);
    at(successor).predecessor = kNoSlot;
    at(successor).state = State::dirty;
    push_back(successor);
    dirty_signal_.notify();
}

void WriteBuffer::settle_durable(Entry& entry, bool ok, const Ledger* ledger) {
    if (entry.durable == nullptr) {
        return;
    }
    DurableWaiter& waiter = *std::exchange(entry.durable, nullptr);
    waiter.failed |= !ok;
    if (ledger != nullptr) {
        waiter.ledger = *ledger;
        waiter.join->done(&waiter.ledger);
    } else {
        waiter.join->done();
    }
}

void WriteBuffer::settle(Slot slot, bool ok) {
    Entry& entry = at(slot);
    settle_durable(entry, ok, nullptr);
    --unwritten_;
    for (Flush* flush = flushes_; flush != nullptr; flush = flush->next) {
        if (entry.generation < flush->generation) {
            flush->failed |= !ok;
            if (--flush->remaining == 0) {
                flush->join->done();
            }
        }
    }
}

Task<bool> WriteBuffer::flush(Ledger* ledger) {
    if (unwritten_ == 0 || stuck_) {
        co_return unwritten_ == 0;
    }
    Join join(environment_.executor, "buffered pages, to the last, on their way to flash");
    join.add();
    Flush record{++generation_, unwritten_, &join, false, flushes_};
    flushes_ = &record;
    {
        const StallScope stall(*this, ledger);
        co_await join.wait();
        Flush** link = &flushes_;
        while (*link != &record) {
            link = &(*link)->next;
        }
        *link = record.next;
    }
    if (ledger != nullptr) {
        ledger->enter(Stage::firmware_wait, environment_.executor.now());
    }
    co_return !record.failed;
}

Task<bool> WriteBuffer::wait_durable(DurableWaiter& waiter, Ledger* ledger) {
    if (waiter.join->pending() == 0) {
        co_return !waiter.failed;
    }
    const Ledger* last = nullptr;
    const Ledger before = *ledger;
    {
        const StallScope stall(*this, ledger);
        last = co_await waiter.join->wait();
    }
    if (last != nullptr && last->begin() >= before.last()) {
        if (last->begin() < ledger->last()) {  // marked as stalled while its own data was being programmed
            *ledger = before;
            ledger->enter(Stage::write_buffer_stall, before.last());
        }
        ledger->join(*last, Stage::firmware_wait);
    } else {
        ledger->enter(Stage::firmware_wait, environment_.executor.now());
    }
    co_return !waiter.failed;
}

void WriteBuffer::gate_on_link(bool on_link) {
    gate_on_link_ = on_link;
    gate_.set_wait_stage(on_link ? Stage::link_wait : stall_stage_);
}

void WriteBuffer::set_space_blocked(bool blocked) {
    const Stage stage = blocked ? Stage::gc_stall : Stage::write_buffer_stall;
    if (stage == stall_stage_) {
        return;
    }
    stall_stage_ = stage;
    credits_.set_wait_stage(stage);
    gate_on_link(gate_on_link_);
    for (Ledger* ledger : stalled_) {
        ledger->enter(stage, environment_.executor.now());
    }
}

void WriteBuffer::index_insert(Slot slot) {
    Entry& entry = at(slot);
    Slot& head = buckets_[bucket(entry.lpn)];
    entry.hash_next = head;
    entry.indexed = true;
    head = slot;
}

void WriteBuffer::index_remove(Slot slot) {
    Entry& entry = at(slot);
    if (!entry.indexed) {
        return;
    }
    Slot* link = &buckets_[bucket(entry.lpn)];
    while (*link != slot) {
        link = &at(*link).hash_next;
    }
    *link = entry.hash_next;
    entry.indexed = false;
}

void WriteBuffer::push_back(Slot slot) {
    List& list = lists_[order_.list_of(at(slot).lpn)];
    at(slot).previous = list.last;
    at(slot).next = kNoSlot;
    (list.last != kNoSlot ? at(list.last).next : list.first) = slot;
    list.last = slot;
    ++list.count;
}

void WriteBuffer::push_front(Slot slot) {
    List& list = lists_[order_.list_of(at(slot).lpn)];
    at(slot).next = list.first;
    at(slot).previous = kNoSlot;
    (list.first != kNoSlot ? at(list.first).previous : list.last) = slot;
    list.first = slot;
    ++list.count;
}

void WriteBuffer::replace_in_list(Slot older, Slot newer) {
    const Entry& entry = at(older);
    List& list = lists_[order_.list_of(entry.lpn)];
    at(newer).previous = entry.previous;
    at(newer).next = entry.next;
    (entry.previous != kNoSlot ? at(entry.previous).next : list.first) = newer;
    (entry.next != kNoSlot ? at(entry.next).previous : list.last) = newer;
}

void WriteBuffer::unlink(Slot slot) {
    Entry& entry = at(slot);
    List& list = lists_[order_.list_of(entry.lpn)];
    (entry.previous != kNoSlot ? at(entry.previous).next : list.first) = entry.next;
    (entry.next != kNoSlot ? at(entry.next).previous : list.last) = entry.previous;
    entry.previous = entry.next = kNoSlot;
    --list.count;
}

void WriteBuffer::release(Slot slot) {
    Entry& entry = at(slot);
    if (entry.pins > 0) {
        entry.state = State::zombie;
        return;
    }
    entry.state = State::free;
    free_.push_back(slot);
    tell_used();
    give_back(1);
}

void WriteBuffer::tell_used() {
    if (environment_.probe != nullptr) {
        environment_.probe->write_buffer(static_cast<std::uint32_t>(entries_.size() - free_.size()));
    }
}

std::vector<std::string> WriteBuffer::waits() const {
    std::array<std::uint32_t, 6> slots{};  // by State
    for (const Entry& entry : entries_) {
        ++slots[static_cast<std::size_t>(entry.state)];
    }
    const auto in = [&slots](State state) { return std::to_string(slots[static_cast<std::size_t>(state)]); };
    std::vector<std::string> lines{"write buffer: " + std::to_string(entries_.size()) +
                                   " slots: " + in(State::free) + " free, " + in(State::receiving) +
                                   " receiving, " + in(State::dirty) + " dirty, " + in(State::blocked) +
                                   " behind an older version, " + in(State::programming) +
                                   " being programmed, " + in(State::zombie) + " on flash but still read"};
    if (credits_.has_waiters()) {
        lines.push_back("write buffer: " + std::to_string(credits_.waiters()) +
                        " waiting for slots, the first for " + std::to_string(credits_.first_wanted()) +
                        " of them; not promised to anybody: " + std::to_string(credits_.available()));
    }
    if (gate_.has_waiters()) {
        lines.push_back("write buffer: " + std::to_string(gate_.waiters()) +
                        " waiting for their turn behind it");
    }
    if (drainers_ > 0) {
        lines.push_back("write buffer: " + std::to_string(drainers_) +
                        " waiting for data to reach flash (FLUSH, FUA)");
    }
    return lines;
}

}  // namespace solidtlm::fw
