// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/sorted_destager.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "fw/dedup/needs.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {

Task<void> SortedDestager::destage() {
    while (true) {
        Demand demand;
        const auto chosen = choose(demand, [this](std::uint32_t list, hal::Reason /*reason*/) {
            const std::uint32_t most = make_room(list);
            return most > 0 ? std::optional(Group{list, most}) : std::nullopt;
        });
        if (chosen) {
            co_await sort(*chosen);
        } else if (!write_open_batches(demand)) {
            cancel_reservations();
            if (!look_again(demand)) {
                co_await pages_.buffer.destager_wakeup().wait();
            }
        }
    }
}

/// Free units in the open batch of this kind.
std::uint32_t SortedDestager::room(std::uint32_t list, std::size_t kind) const {
    const Batch* batch = lanes_[list].open[kind].batch;
    return batch == nullptr ? 0
                            : pages_.services.layout.units_per_superpage() -
                                  static_cast<std::uint32_t>(batch->slots.size());
}

/// Most superpages that this many pages may need in addition to the open batches.
std::uint32_t SortedDestager::most_superpages(std::uint32_t list, std::uint32_t pages) const {
    const std::uint32_t whole = pages_.services.layout.units_per_superpage();
    const auto needed = [&](std::size_t kind, std::uint32_t count) {
        const std::uint32_t fit = room(list, kind);
        return count > fit ? (count - fit + whole - 1) / whole : 0;
    };
    if (!dedup_.system().separates()) {
        return needed(0, pages);
    }
    std::uint32_t most = 0;
    for (std::uint32_t apart = 0; apart <= pages; ++apart) {
        most = std::max(most, needed(0, pages - apart) + needed(1, apart));
    }
    return most;
}

/// Reserves superpages for the next group. Returns how many pages are sure to find room: each kind in its own
/// batch, or all kinds together if no operation under way will make more room.
std::uint32_t SortedDestager::make_room(std::uint32_t list) {
    Lane& lane = lanes_[list];
    const std::uint32_t whole = pages_.services.layout.units_per_superpage();
    const std::uint32_t most =
        std::min(pages_.buffer.dirty().count(list), most_sorted_pages(pages_.services.config, whole));
    while (lane.reserved.size() < most_superpages(list, most)) {
        auto reserved = reserve(list);
        if (!reserved) {
            break;
        }
        lane.reserved.push_back(std::move(*reserved));
        ++held_;
    }
    std::uint32_t pages = most;
    while (pages > 0 && most_superpages(list, pages) > lane.reserved.size()) {
        --pages;
    }
    if (pages == 0 && pages_.allocator.host_in_flight() == held_ && !pages_.collector.active()) {
        const auto together =
            static_cast<std::uint32_t>(lane.reserved.size()) * whole + room(list, 0) + room(list, 1);
        pages = std::min(most, together);
    }
    return pages;
}

/// Writes partly filled batches if a flush or a write waits for them, or if no more pages can be added, which
/// is always so after the drive has stopped taking writes. False if there were none.
bool SortedDestager::write_open_batches(const Demand& demand) {
    std::optional<hal::Reason> reason = reason_for_part();
    if (!reason && demand.something_to_write && demand.out_of_space) {
        reason = hal::Reason::space;
    }
    bool any = false;
    if (reason) {
        for (Lane& lane : lanes_) {
            for (SortedBatch& open : lane.open) {
                if (open.batch != nullptr) {
                    write_open(open, *reason);
                    any = true;
                }
            }
        }
    }
    return any;
}

void SortedDestager::write_open(SortedBatch& open, hal::Reason reason) {
    --held_;
    open_slots_ -= static_cast<std::uint32_t>(open.batch->slots.size());
    tell_held();
    open.batch->reason = reason;
    write(*std::exchange(open.batch, nullptr), std::move(*open.reservation));
    open.reservation.reset();
}

/// Returns all reservations, because no page is to be written now. The last one is returned first, so that
/// the stripe continues at its old position.
void SortedDestager::cancel_reservations() {
    for (auto lane = lanes_.rbegin(); lane != lanes_.rend(); ++lane) {
        for (; !lane->reserved.empty(); lane->reserved.pop_back()) {
            --held_;
        }
    }
}

/// Takes pages out of the buffer and decides the fate of each.
Task<void> SortedDestager::sort(Group chosen) {
    Batch& group = take_batch();
    pages_.buffer.take(chosen.list, chosen.most, group.slots);
    group.ledger.start(Stage::firmware_wait, pages_.services.executor.now());
    group.ledger.set_command_id(pages_.buffer[group.slots.front()].command_id);
    co_await fill(group, awaited(group) ? &group.ledger : nullptr);
    const std::size_t sampling = pages_.services.config.dedup.sampling;
    for (std::size_t first = 0; first < group.slots.size(); first += sampling) {
        const std::size_t count = std::min(sampling, group.slots.size() - first);
        bring_sample_forward(std::span(group.slots).subspan(first, count));
        const bool known = co_await sort_slot(group.slots[first], true, chosen.list, group);
        for (std::size_t i = 1; i < count; ++i) {
            co_await sort_slot(group.slots[first + i], known, chosen.list, group);
        }
    }
    give_back(group);
}

/// Moves the page whose contents begin with the largest 32-bit word to the front, where it is hashed.
void SortedDestager::bring_sample_forward(std::span<Slot> slots) const {
    const auto first_word = [this](Slot slot) {
        std::uint32_t word = 0;
        std::memcpy(&word, pages_.services.dram->content(pages_.buffer.address(slot)), sizeof word);
        return word;
    };
    if (slots.size() > 1) {
        std::iter_swap(slots.begin(), std::max_element(slots.begin(), slots.end(), [&](Slot a, Slot b) {
                           return first_word(a) < first_word(b);
                       }));
    }
}

/// True if an equal page is known.
Task<bool> SortedDestager::sort_slot(Slot slot, bool hashed, std::uint32_t list, Batch& group) {
    if (!pages_.buffer.complete(slot)) {
        fail(slot);
        co_return false;
    }
    Ledger* ledger = pages_.buffer[slot].durable != nullptr ? &group.ledger : nullptr;
    Admission admission;
    if (!hashed) {
        ++dedup_.counters().sampled_out;
    } else if (!pages_.buffer[slot].discarded) {
        admission = co_await dedup_.system().admit(slot, ledger);
    }
    const bool known =
        admission.fate == Admission::Fate::duplicate || admission.fate == Admission::Fate::follower;
    bool done = pages_.buffer[slot].discarded;
    if (done) {
        dedup_.system().left(slot);
        pages_.buffer.written(slot, ledger);
    } else if (admission.fate == Admission::Fate::follower) {
        SOLIDTLM_CHECK(followers_.size() < pages_.buffer.slots(), "each slot follows one other");
        followers_.push_back(Follower{admission.leader, slot});
        tell_held();
        done = true;
    } else if (admission.fate == Admission::Fate::duplicate) {
        done = co_await share_slot(slot, admission.known, ledger);
    }
    if (!done) {
        const bool apart = admission.fate == Admission::Fate::nondetermined;
        place(slot, list, apart ? Stream::host_apart : Stream::host, group.ledger);
    }
    co_return known;
}

/// Shares a known page instead of programming the one in `slot`. False if it must be programmed after all.
Task<bool> SortedDestager::share_slot(Slot slot, KnownPage known, Ledger* ledger) {
    // If the log is worn out, sharing could not be recorded. Even a page that shares `known` already would
    // not be sure to do so after a power cut.
    using Written = Sharing::Written;
    Charge charge;
    Written written = Written::no;
    if (!pages_.log->worn_out()) {
        written = co_await dedup_.sharing().merge_written(pages_.buffer[slot].lpn, known, ledger, charge);
    }
    ++(written == Written::no ? dedup_.counters().refused : dedup_.counters().duplicates);
    if (written == Written::no) {
        co_return false;
    }
    pages_.lost_pages.erase(pages_.buffer[slot].lpn);
    if (written == Written::shared && pages_.services.config.dedup.protection == DedupProtection::journal &&
        pages_.log->pending()) {
        pages_.services.executor.spawn(written_when_noted(slot));
        co_return true;
    }
    if (ledger != nullptr) {
        ledger->enter(Stage::firmware_wait, pages_.services.executor.now());
    }
    pages_.buffer.written(slot, ledger);
    co_return true;
}

Task<void> SortedDestager::written_when_noted(Slot slot) {
    const bool noted = co_await pages_.log->persist();
    if (noted || pages_.buffer[slot].discarded) {
        pages_.buffer.written(slot, nullptr);
    } else {
        pages_.buffer.requeue(slot);  // the log is worn out, so pages are no longer shared: program this one
    }
}

/// Puts a page into the open batch of its kind, which is written once it is full.
void SortedDestager::place(Slot slot, std::uint32_t list, Stream stream, const Ledger& ledger) {
    Lane& lane = lanes_[list];
    std::size_t kind = stream == Stream::host ? 0 : 1;
    if (lane.open[kind].batch == nullptr && lane.reserved.empty()) {
        kind = 1 - kind;  // both kinds share one batch
    }
    SortedBatch& open = lane.open[kind];
    if (open.batch == nullptr) {
        open = SortedBatch{&take_batch(), std::move(lane.reserved.front())};
        lane.reserved.erase(lane.reserved.begin());
        open.batch->sorted = true;
        open.batch->stream = stream;
        open.batch->ledger = ledger;
    }
    open.batch->slots.push_back(slot);
    ++open_slots_;
    tell_held();
    if (room(list, kind) == 0) {
        write_open(open, hal::Reason::full);
    }
}

/// Slots in open batches wait for more pages, and followers wait for their leader, so their programs are not
/// under way.
void SortedDestager::tell_held() {
    pages_.buffer.set_held(open_slots_ + static_cast<std::uint32_t>(followers_.size()));
}

/// The program of `batch` has ended. Pages that equal one of its pages now share it. If the program failed or
/// the page was trimmed, they go back to the buffer.
Task<void> SortedDestager::ended(Batch& batch) {
    for (const Slot leader : batch.slots) {
        const Lpn lpn = pages_.buffer[leader].lpn;
        const KnownPage known{lpn, pages_.place_of(pages_.map->peek(lpn))};
        dedup_.system().left(leader);
        std::vector<Slot> waiting;
        std::erase_if(followers_, [&](const Follower& follower) {
            if (follower.leader == leader) {
                waiting.push_back(follower.slot);
            }
            return follower.leader == leader;
        });
        tell_held();
        for (const Slot slot : waiting) {
            const bool mapped =
                std::any_of(batch.updates.begin(), batch.updates.end(), [&](const auto& update) {
                    return update.tag == leader.value && update.fresh == known.place;
                });
            bool shared = false;
            if (pages_.buffer[slot].discarded) {
                pages_.buffer.written(slot, nullptr);
                continue;
            }
            if (mapped) {
                shared = co_await share_slot(slot, known, nullptr);
            }
            if (!shared) {
                pages_.buffer.requeue(slot);
            }
        }
    }
}

}  // namespace solidtlm::fw
