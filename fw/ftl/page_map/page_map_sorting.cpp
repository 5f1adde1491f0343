// SPDX-License-Identifier: Apache-2.0
//
// Destaging where pages are hashed before they are programmed (docs/dedup.md, "The write path").
#include <algorithm>
#include <cstring>

#include "fw/ftl/page_map/page_map_parts.h"

namespace solidtlm::fw {

Task<void> PageMap::destage_sorted() {
    while (true) {
        Demand demand;
        if (const std::optional<std::uint32_t> list = choose_sorted(demand); list) {
            buffer_.set_space_blocked(false);
            co_await sort(*list);
        } else if (!write_open_batches(demand)) {
            co_await await_space(demand);
        }
    }
}

/// A list that has something to write now, and open batches for whatever it turns out to be.
std::optional<std::uint32_t> PageMap::choose_sorted(Demand& demand) {
    const std::uint32_t lists = buffer_.lists();
    for (std::uint32_t i = 0; i < lists; ++i) {
        const std::uint32_t list = (next_list_ + i) % lists;
        if (!ready(list)) {
            continue;
        }
        demand.something_to_write = true;
        if (open_batches(list)) {
            next_list_ = (list + 1) % lists;
            return list;
        }
        demand.out_of_space |= lists == 1 ? allocator_.out_of_space() : allocator_.out_of_space(Pu{list});
    }
    return std::nullopt;
}

/// One open batch for each kind of page; for all kinds together where nothing under way will make room for
/// another.
bool PageMap::open_batches(std::uint32_t list) {
    auto& open = sorting_->open[list];
    const std::size_t kinds = dedup_->system().separates() ? kHostStreams.size() : 1;
    bool any = false;
    bool all = true;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        if (open[kind].batch == nullptr) {
            if (const std::optional<Pu> pu = reserve(list); pu) {
                open[kind] = Sorting::Open{&take_batch(), *pu};
                open[kind].batch->sorted = true;
                open[kind].batch->stream = kHostStreams[kind];
                ++sorting_->held;
            }
        }
        any |= open[kind].batch != nullptr;
        all &= open[kind].batch != nullptr;
    }
    return all || (any && allocator_.host_in_flight() == sorting_->held && !collector_.active());
}

/// Writes partly filled batches that somebody waits for, or that nothing can be added to, and gives
/// reservations back that nothing needs. False if there was nothing to write.
bool PageMap::write_open_batches(const Demand& demand) {
    const bool starving = buffer_.credits().has_waiters() && allocator_.host_in_flight() == sorting_->held;
    const bool due = buffer_.draining() || starving || (demand.something_to_write && demand.out_of_space);
    bool any = false;
    for (auto& kinds : sorting_->open) {
        for (Sorting::Open& open : kinds) {
            if (open.batch == nullptr || (!open.batch->slots.empty() && !due)) {
                continue;
            }
            --sorting_->held;
            Batch& batch = *std::exchange(open.batch, nullptr);
            if (batch.slots.empty()) {
                free_batches_.push_back(&batch);
                allocator_.cancel(open.pu);
            } else {
                collector_.kick(open.pu);
                environment_.executor.spawn(write(batch, open.pu));
                any = true;
            }
        }
    }
    return any;
}

/// Takes pages out of the buffer, as many as surely find room in the open batches, and decides about each.
Task<void> PageMap::sort(std::uint32_t list) {
    const std::uint32_t whole = environment_.layout.units_per_superpage();
    std::uint32_t room = whole;
    for (const Sorting::Open& open : sorting_->open[list]) {
        if (open.batch != nullptr) {
            room = std::min(room, whole - static_cast<std::uint32_t>(open.batch->slots.size()));
        }
    }
    Batch& group = take_batch();
    buffer_.take(list, room, group.slots);
    group.ledger.start(Stage::firmware_wait, environment_.executor.now());
    group.ledger.set_flow(buffer_.flow(group.slots.front()));
    const bool awaited = std::any_of(group.slots.begin(), group.slots.end(),
                                     [this](Slot slot) { return buffer_.has_durable_waiter(slot); });
    co_await fill(group, awaited ? &group.ledger : nullptr);
    const std::size_t sampling = environment_.config.dedup.sampling;
    for (std::size_t first = 0; first < group.slots.size(); first += sampling) {
        const std::size_t count = std::min(sampling, group.slots.size() - first);
        bring_sample_forward(std::span(group.slots).subspan(first, count));
        const bool known = co_await sort_slot(group.slots[first], true, list, group);
        for (std::size_t i = 1; i < count; ++i) {
            co_await sort_slot(group.slots[first + i], known, list, group);
        }
    }
    free_batches_.push_back(&group);
}

/// The page whose contents begin with the largest 32-bit word is hashed first.
void PageMap::bring_sample_forward(std::span<Slot> slots) const {
    const auto first_word = [this](Slot slot) {
        std::uint32_t word = 0;
        std::memcpy(&word, environment_.dram->content(buffer_.address(slot)), sizeof word);
        return word;
    };
    if (slots.size() > 1) {
        std::iter_swap(slots.begin(), std::max_element(slots.begin(), slots.end(), [&](Slot a, Slot b) {
                           return first_word(a) < first_word(b);
                       }));
    }
}

/// True if an equal page is known.
Task<bool> PageMap::sort_slot(Slot slot, bool hashed, std::uint32_t list, Batch& group) {
    if (!buffer_.complete(slot)) {
        buffer_.fail(slot);
        co_return false;
    }
    Ledger* ledger = buffer_.has_durable_waiter(slot) ? &group.ledger : nullptr;
    Admission admission;
    if (!hashed) {
        ++dedup_->counters().sampled_out;
    } else if (!buffer_.discarded(slot)) {
        admission = co_await dedup_->system().admit(slot, ledger);
    }
    const bool known =
        admission.fate == Admission::Fate::duplicate || admission.fate == Admission::Fate::follower;
    bool done = buffer_.discarded(slot);
    if (done) {
        dedup_->system().left(slot);
        buffer_.written(slot, ledger);
    } else if (admission.fate == Admission::Fate::follower) {
        sorting_->followers.push_back(Sorting::Follower{admission.leader, slot});
        done = true;
    } else if (admission.fate == Admission::Fate::duplicate) {
        done = co_await share_slot(slot, admission.known, ledger);
    }
    if (!done) {
        const bool apart = admission.fate == Admission::Fate::nondetermined;
        place(slot, list, apart ? Stream::nondetermined : Stream::host, group.ledger);
    }
    co_return known;
}

/// The page in `slot` need not be programmed. False if it must be, after all.
Task<bool> PageMap::share_slot(Slot slot, KnownPage known, Ledger* ledger) {
    const bool merged = co_await dedup_->sharing().merge_written(buffer_.lpn(slot), known, ledger);
    ++(merged ? dedup_->counters().duplicates : dedup_->counters().refused);
    if (!merged) {
        co_return false;
    }
    if (environment_.config.dedup.protection == DedupProtection::journal && log_->pending()) {
        environment_.executor.spawn(written_when_noted(slot));
        co_return true;
    }
    if (ledger != nullptr) {
        ledger->enter(Stage::firmware_wait, environment_.executor.now());
    }
    buffer_.written(slot, ledger);
    co_return true;
}

Task<void> PageMap::written_when_noted(Slot slot) {
    const bool noted = co_await log_->persist();
    if (noted) {
        buffer_.written(slot, nullptr);
    } else {
        buffer_.fail(slot);
    }
}

/// Into the open batch of its kind, which is written once it is full.
void PageMap::place(Slot slot, std::uint32_t list, Stream stream, const Ledger& ledger) {
    auto& kinds = sorting_->open[list];
    Sorting::Open* open = stream == Stream::host ? kinds.data() : &kinds[1];
    if (open->batch == nullptr) {
        open = open == kinds.data() ? &kinds[1] : kinds.data();
    }
    Batch& batch = *open->batch;
    if (batch.slots.empty()) {
        batch.ledger = ledger;
    }
    batch.slots.push_back(slot);
    if (batch.slots.size() == environment_.layout.units_per_superpage()) {
        open->batch = nullptr;
        --sorting_->held;
        collector_.kick(open->pu);
        environment_.executor.spawn(write(batch, open->pu));
    }
}

/// The program of `batch` has ended: pages that equal one of its pages share it, or, if it failed or was
/// trimmed, are looked at again.
Task<void> PageMap::release_followers(Batch& batch) {
    for (const Slot leader : batch.slots) {
        const Lpn lpn = buffer_.lpn(leader);
        const KnownPage known{lpn, place_of(map_->peek(lpn))};
        dedup_->system().left(leader);
        std::vector<Slot> waiting;
        std::erase_if(sorting_->followers, [&](const Sorting::Follower& follower) {
            if (follower.leader == leader) {
                waiting.push_back(follower.slot);
            }
            return follower.leader == leader;
        });
        for (const Slot slot : waiting) {
            const bool mapped =
                std::any_of(batch.updates.begin(), batch.updates.end(), [&](const auto& update) {
                    return update.tag == leader.value && update.fresh == known.place;
                });
            bool shared = false;
            if (buffer_.discarded(slot)) {
                buffer_.written(slot, nullptr);
                continue;
            }
            if (mapped) {
                shared = co_await share_slot(slot, known, nullptr);
            }
            if (!shared) {
                buffer_.requeue(slot);
            }
        }
    }
}

}  // namespace solidtlm::fw
