// SPDX-License-Identifier: Apache-2.0
#include "fw/buffer/write_buffer.h"

#include <algorithm>
#include <array>
#include <bit>

#include "fw/hal/check.h"

namespace solidtlm::fw {
namespace {

/// Each parallel unit takes `programs_per_die` superpages, and each dirty list gathers one.
DrainedAtOnce drained_at_once(const Services& services, const DestageOrder& order) {
    const std::size_t superpage = services.layout.units_per_superpage();
    const std::size_t programs =
        std::size_t{services.layout.pus()} * services.config.allocation.programs_per_die;
    return {(programs + order.lists()) * superpage, superpage};
}

}  // namespace

WriteBuffer::WriteBuffer(Services& services, DramAddress base, const DestageOrder& order)
    : services_(services),
      entries_(services.config.write_buffer.size_bytes / services.config.unit_bytes),
      memory_(services, base),
      index_(entries_.size()),
      dirty_(order, entries_.size()),
      credits_(services.executor, entries_.size(), services.config.write_buffer.admission,
               drained_at_once(services, order)),
      destager_wakeup_(services.executor, "something is to be written, or can be"),
      durability_(services.executor, destager_wakeup_, services.config.command_slots) {
    free_.reserve(entries_.size());
    for (std::size_t i = entries_.size(); i > 0; --i) {
        free_.push_back(Slot{static_cast<std::uint32_t>(i - 1)});
    }
}

Slot WriteBuffer::receive() {
    SOLIDTLM_CHECK(!durability_.stuck(), "no data is received while no data can be written");
    SOLIDTLM_CHECK(!free_.empty(), "a receiving write holds a credit");
    const Slot slot = free_.back();
    free_.pop_back();
    at(slot) = Entry{};
    at(slot).state = State::receiving;
    tell_used();
    return slot;
}

std::uint32_t WriteBuffer::copy_missing(Slot from, Slot to) {
    const SectorMask missing = at(from).valid & ~at(to).valid;
    memory_.copy(from, to, missing);
    at(to).valid |= missing;
    return static_cast<std::uint32_t>(std::popcount(missing));
}

std::uint32_t WriteBuffer::commit(std::span<const Slot> slots, Lpn first, SectorMask valid,
                                  DurableWaiter* durable) {
    std::uint32_t copied = 0;
    dirty_total_ += static_cast<std::uint32_t>(slots.size());
    commits_ += slots.size();
    for (Lpn lpn = first; const Slot slot : slots) {
        Entry& entry = at(slot);
        entry.lpn = lpn;
        entry.valid = valid;
        entry.durable = durable;
        entry.generation = durability_.add();
        entry.state = State::dirty;
        bool takes_place = false;
        const Slot older = find(lpn);
        if (older != kNoSlot) {
            copied += copy_missing(older, slot);
            takes_place = supersede(older, slot);
        }
        index_.insert(slot, lpn);
        give_up_if_stuck(entry);
        if (entry.state == State::dirty) {
            if (!takes_place) {
                dirty_.push_back(slot, lpn, entry.past_cache);
            }
            destager_wakeup_.notify();
        }
        ++lpn;
    }
    return copied;
}

/// The newer version replaces the older one: at once if the older one is only dirty, otherwise after its
/// program. True if the newer one took the older one's place in the dirty list, so that a flush that waits
/// for the page is not kept waiting by a hot page; if it belongs to another list, it is the first there.
bool WriteBuffer::supersede(Slot older, Slot newer) {
    Entry& old_entry = at(older);
    Entry& new_entry = at(newer);
    index_.remove(older);
    if (old_entry.state == State::programming) {
        block(newer, older);
        return false;
    }
    // Flushes that wait for the older version now wait for the newer one in its place.
    new_entry.generation = old_entry.generation;
    // No DurableWaiter to move: later writes to these units wait until the command that owns it has ended.
    if (old_entry.state == State::blocked) {
        // The predecessor of the older version is still being programmed and now holds back the newest
        // version.
        block(newer, old_entry.predecessor);
    } else if (new_entry.past_cache == old_entry.past_cache) {
        dirty_.replace(older, newer);
    } else {
        dirty_.remove(older);
        dirty_.push_front(newer, new_entry.lpn, new_entry.past_cache);
    }
    --dirty_total_;
    durability_.drop();
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
    index_.remove(slot);
    if (entry.state == State::programming) {
        entry.discarded = true;
        return;
    }
    if (entry.state == State::blocked) {
        Entry& older = at(entry.predecessor);
        older.successor = kNoSlot;
        older.discarded = true;
    } else {
        dirty_.remove(slot);
    }
    --dirty_total_;
    durability_.settle(entry.generation, entry.durable, true);
    release(slot);
}

void WriteBuffer::take(std::uint32_t list, std::uint32_t most, std::vector<Slot>& taken) {
    const std::uint32_t count = std::min(most, dirty_.count(list));
    for (std::uint32_t i = 0; i < count; ++i) {
        const Slot slot = dirty_.pop_front(list);
        SOLIDTLM_CHECK(at(slot).state == State::dirty, "no older version of the page is being programmed");
        at(slot).state = State::programming;
        taken.push_back(slot);
    }
    dirty_total_ -= count;
    programming_ += count;
    tell_draining();
}

bool WriteBuffer::fail(Slot slot) {
    const Entry& entry = at(slot);
    const bool lost = !entry.discarded && entry.successor == kNoSlot;
    if (lost) {
        end_program({&slot, 1}, false, nullptr);
    } else {
        requeue(slot);
    }
    return lost;
}

/// The programs of `slots` have ended, successfully or not.
void WriteBuffer::end_program(std::span<const Slot> slots, bool ok, const Ledger* ledger) {
    for (const Slot slot : slots) {
        --programming_;
        Entry& entry = at(slot);
        if (entry.durable != nullptr || entry.successor != kNoSlot || durability_.flushing()) {
            give_back();  // writes that wait for slots run before the waiter of these slots
        }
        Durability::tell(entry.durable, ok, ledger);
        durability_.settle(entry.generation, entry.durable, ok);
        if (entry.successor != kNoSlot) {
            unblock_successor(entry);
        }
        index_.remove(slot);
        free_up(slot);
    }
    give_back();
    tell_draining();
}

void WriteBuffer::requeue(Slot slot) {
    --programming_;
    tell_draining();
    Entry& entry = at(slot);
    if (entry.discarded) {
        durability_.settle(entry.generation, entry.durable, true);
        release(slot);
        return;
    }
    if (entry.successor != kNoSlot) {
        // The newer version holds all that this one held; flushes wait for it instead.
        Entry& newer = at(entry.successor);
        durability_.drop_for(newer.generation);
        newer.generation = std::min(newer.generation, entry.generation);
        unblock_successor(entry);
        release(slot);
        return;
    }
    entry.state = State::dirty;
    ++dirty_total_;
    give_up_if_stuck(entry);  // its program had begun before the buffer became stuck
    dirty_.push_front(slot, entry.lpn, entry.past_cache);
    destager_wakeup_.notify();
}

void WriteBuffer::unpin(Slot slot) {
    Entry& entry = at(slot);
    if (--entry.pins == 0 && entry.state == State::zombie) {
        release(slot);
    }
}

void WriteBuffer::unblock_successor(Entry& entry) {
    const Slot successor = std::exchange(entry.successor, kNoSlot);
    at(successor).predecessor = kNoSlot;
    at(successor).state = State::dirty;
    dirty_.push_back(successor, at(successor).lpn, at(successor).past_cache);
    destager_wakeup_.notify();
}

/// Data that becomes dirty now will not be written: fails its waiter.
void WriteBuffer::give_up_if_stuck(Entry& entry) const {
    if (durability_.stuck()) {
        Durability::tell(entry.durable, false, nullptr);
    }
}

void WriteBuffer::set_stuck(bool stuck) {
    if (stuck == durability_.stuck()) {
        return;
    }
    if (stuck) {
        for (Entry& entry : entries_) {
            if (entry.state == State::dirty || entry.state == State::blocked) {
                Durability::tell(entry.durable, false, nullptr);
            }
        }
    }
    durability_.set_stuck(stuck);
    stuck ? credits_.open_without_slots() : credits_.close_again();
}

void WriteBuffer::set_space_blocked(bool blocked) {
    if (std::exchange(space_blocked_, blocked) == blocked) {
        return;
    }
    const Stage stage = blocked ? Stage::gc_stall : Stage::write_buffer_stall;
    credits_.set_stall_stage(stage);
    durability_.set_stall_stage(stage);
    tell_draining();
}

void WriteBuffer::release(Slot slot) {
    free_up(slot);
    give_back();
}

/// Frees the slot. The caller must call give_back() afterwards.
void WriteBuffer::free_up(Slot slot) {
    Entry& entry = at(slot);
    if (entry.pins > 0) {
        entry.state = State::zombie;
        return;
    }
    entry.state = State::free;
    free_.push_back(slot);
    tell_used();
    ++released_;
}

void WriteBuffer::give_back() {
    if (released_ > 0) {
        credits_.give_back(std::exchange(released_, 0));
    }
}

std::optional<hal::Reason> WriteBuffer::reason_for_part(bool read_only, bool programs_under_way) {
    if (read_only) {
        return hal::Reason::read_only;
    }
    if (durability_.draining()) {
        return hal::Reason::flush;
    }
    const bool starving = !programs_under_way && credits_.slots().has_waiters();
    return starving ? std::optional(hal::Reason::starved) : std::nullopt;
}

void WriteBuffer::set_held(std::uint32_t slots) {
    SOLIDTLM_CHECK(slots <= programming_, "held slots have been taken");
    held_ = slots;
    tell_draining();
}

void WriteBuffer::tell_draining() {
    credits_.draining(programming_ > held_ || space_blocked_);
}

void WriteBuffer::tell_used() {
    if (services_.probe != nullptr) {
        services_.probe->write_buffer(static_cast<std::uint32_t>(entries_.size() - free_.size()));
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
    credits_.describe(lines);
    durability_.describe(lines);
    return lines;
}

void WriteBuffer::serialize(hal::StateArchive& archive) {
    SOLIDTLM_CHECK(free_.size() == entries_.size(), "the write buffer is empty");
    archive(free_);
}

}  // namespace solidtlm::fw
