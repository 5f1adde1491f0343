// SPDX-License-Identifier: Apache-2.0
//
// Destaging where pages are hashed before they are programmed (docs/dedup.md, "The write path").
#include <algorithm>
#include <cstring>

#include "fw/ftl/page_map/page_map_parts.h"

namespace solidtlm::fw {

namespace {

/// Pages that are taken out of the buffer at once, at most, where a superpage is smaller: what has to be read
/// to complete them is read at the same time.
constexpr std::uint32_t kGroupPages = 16;

}  // namespace

Task<void> PageMap::destage_sorted() {
    while (true) {
        Demand demand;
        if (const std::optional<Group> group = choose_group(demand); group) {
            buffer_.set_space_blocked(false);
            buffer_.set_stuck(false);
            co_await sort(*group);
        } else if (!write_open_batches(demand)) {
            cancel_reservations();
            co_await await_space(demand);
        }
    }
}

/// A list that has something to write now, and has room for it.
std::optional<PageMap::Group> PageMap::choose_group(Demand& demand) {
    const std::uint32_t lists = buffer_.lists();
    for (std::uint32_t i = 0; i < lists; ++i) {
        const std::uint32_t list = (next_list_ + i) % lists;
        if (!ready(list)) {
            continue;
        }
        demand.something_to_write = true;
        if (const std::uint32_t most = make_room(list); most > 0) {
            next_list_ = (list + 1) % lists;
            return Group{list, most};
        }
        const bool anywhere = lists == 1 || read_only_;
        demand.out_of_space |= anywhere ? allocator_.out_of_space() : allocator_.out_of_space(Pu{list});
    }
    return std::nullopt;
}

/// Units that the open batch of this kind still takes.
std::uint32_t PageMap::room(std::uint32_t list, std::size_t kind) const {
    const Batch* batch = sorting_->lanes[list].open[kind].batch;
    return batch == nullptr
               ? 0
               : environment_.layout.units_per_superpage() - static_cast<std::uint32_t>(batch->slots.size());
}

/// Superpages that so many pages need besides those that are open, at worst.
std::uint32_t PageMap::most_superpages(std::uint32_t list, std::uint32_t pages) const {
    const std::uint32_t whole = environment_.layout.units_per_superpage();
    const auto needed = [&](std::size_t kind, std::uint32_t count) {
        const std::uint32_t fit = room(list, kind);
        return count > fit ? (count - fit + whole - 1) / whole : 0;
    };
    if (!dedup_->system().separates()) {
        return needed(0, pages);
    }
    std::uint32_t most = 0;
    for (std::uint32_t apart = 0; apart <= pages; ++apart) {
        most = std::max(most, needed(0, pages - apart) + needed(1, apart));
    }
    return most;
}

/// Reserves superpages for the next group. Returns how many pages surely find room: each kind on its own, or
/// all together where nothing under way will make more room.
std::uint32_t PageMap::make_room(std::uint32_t list) {
    Sorting::Lane& lane = sorting_->lanes[list];
    const std::uint32_t whole = environment_.layout.units_per_superpage();
    const std::uint32_t most =
        std::min(buffer_.dirty(list), std::max({whole, kGroupPages, environment_.config.dedup.sampling}));
    while (lane.reserved.size() < most_superpages(list, most)) {
        const std::optional<Pu> pu = reserve(list);
        if (!pu) {
            break;
        }
        lane.reserved.push_back(*pu);
        ++sorting_->held;
    }
    std::uint32_t pages = most;
    while (pages > 0 && most_superpages(list, pages) > lane.reserved.size()) {
        --pages;
    }
    if (pages == 0 && allocator_.host_in_flight() == sorting_->held && !collector_.active()) {
        const auto together =
            static_cast<std::uint32_t>(lane.reserved.size()) * whole + room(list, 0) + room(list, 1);
        pages = std::min(most, together);
    }
    return pages;
}

/// Writes partly filled batches that somebody waits for, or that nothing can be added to. False if there were
/// none.
bool PageMap::write_open_batches(const Demand& demand) {
    const bool starving = buffer_.credits().has_waiters() && allocator_.host_in_flight() == sorting_->held;
    bool any = false;
    if (buffer_.draining() || starving || (demand.something_to_write && demand.out_of_space)) {
        for (Sorting::Lane& lane : sorting_->lanes) {
            for (SortedBatch& open : lane.open) {
                if (open.batch != nullptr) {
                    write_open(open);
                    any = true;
                }
            }
        }
    }
    return any;
}

void PageMap::write_open(SortedBatch& open) {
    --sorting_->held;
    collector_.kick(open.pu);
    environment_.executor.spawn(write(*std::exchange(open.batch, nullptr), open.pu));
}

/// Nothing is to be written now. In the opposite order, so that the stripe goes on where it stood.
void PageMap::cancel_reservations() {
    for (auto lane = sorting_->lanes.rbegin(); lane != sorting_->lanes.rend(); ++lane) {
        for (; !lane->reserved.empty(); lane->reserved.pop_back()) {
            allocator_.cancel(lane->reserved.back());
            --sorting_->held;
        }
    }
}

/// Takes pages out of the buffer and decides about each.
Task<void> PageMap::sort(Group chosen) {
    Batch& group = take_batch();
    buffer_.take(chosen.list, chosen.most, group.slots);
    group.ledger.start(Stage::firmware_wait, environment_.executor.now());
    group.ledger.set_flow(buffer_.flow(group.slots.front()));
    const bool awaited = std::any_of(group.slots.begin(), group.slots.end(),
                                     [this](Slot slot) { return buffer_.has_durable_waiter(slot); });
    co_await fill(group, awaited ? &group.ledger : nullptr);
    const std::size_t sampling = environment_.config.dedup.sampling;
    for (std::size_t first = 0; first < group.slots.size(); first += sampling) {
        const std::size_t count = std::min(sampling, group.slots.size() - first);
        bring_sample_forward(std::span(group.slots).subspan(first, count));
        const bool known = co_await sort_slot(group.slots[first], true, chosen.list, group);
        for (std::size_t i = 1; i < count; ++i) {
            co_await sort_slot(group.slots[first + i], known, chosen.list, group);
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
    // With a log that is worn out not even what refers to that page already is sure to do so after a power
    // cut.
    const bool merged =
        !log_->worn_out() && co_await dedup_->sharing().merge_written(buffer_.lpn(slot), known, ledger);
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
    if (noted || buffer_.discarded(slot)) {
        buffer_.written(slot, nullptr);
    } else {
        buffer_.requeue(slot);  // the log is worn out: nothing is shared any more, the page is programmed
    }
}

/// Into the open batch of its kind, which is written once it is full.
void PageMap::place(Slot slot, std::uint32_t list, Stream stream, const Ledger& ledger) {
    Sorting::Lane& lane = sorting_->lanes[list];
    std::size_t kind = stream == Stream::host ? 0 : 1;
    if (lane.open[kind].batch == nullptr && lane.reserved.empty()) {
        kind = 1 - kind;  // all together
    }
    SortedBatch& open = lane.open[kind];
    if (open.batch == nullptr) {
        open = SortedBatch{&take_batch(), lane.reserved.front()};
        lane.reserved.erase(lane.reserved.begin());
        open.batch->sorted = true;
        open.batch->stream = stream;
        open.batch->ledger = ledger;
    }
    open.batch->slots.push_back(slot);
    if (room(list, kind) == 0) {
        write_open(open);
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
