// SPDX-License-Identifier: Apache-2.0
#include "fw/media/gc/collector_parts.h"

#include <algorithm>
#include <utility>

namespace solidtlm::fw {

GarbageCollector::GarbageCollector(Environment& environment, Parts parts, DramAddress buffers)
    : environment_(environment),
      parts_(parts),
      policy_(make_victim_policy(environment.config, environment.layout)),
      saving_policy_(make_greedy(environment.layout)) {
    const MediaLayout& layout = environment.layout;
    const std::uint64_t superpage_bytes = std::uint64_t{layout.units_per_superpage()} * layout.unit_bytes();
    for (std::uint32_t pu = 0; pu < layout.pus(); ++pu) {
        auto unit = std::make_unique<UnitState>(environment_, Pu{pu});
        for (std::uint32_t i = 0; i < environment.config.gc.pipeline_depth; ++i) {
            unit->moves.push_back(std::make_unique<Move>(environment_, buffers));
            buffers = DramAddress{buffers.value + superpage_bytes};
        }
        units_.push_back(std::move(unit));
    }
}

GarbageCollector::~GarbageCollector() = default;

void GarbageCollector::start() {
    for (auto& unit : units_) {
        ++active_;
        environment_.executor.spawn(collect(*unit));
    }
}

void GarbageCollector::stand_down(bool stands_down) {
    stands_down_ = stands_down;
    for (auto& unit : units_) {
        kick(unit->pu);
    }
}

/// Once a superblock has been lost further erases may fail, too: what the write buffer may hold must still
/// find space then.
bool GarbageCollector::may_allocate() const {
    const MediaLayout& layout = environment_.layout;
    if (stands_down_) {
        return false;
    }
    if (parts_.table.retired() == 0) {
        return true;
    }
    const std::uint64_t superpage = std::uint64_t{layout.units_per_superpage()} * layout.unit_bytes();
    const std::uint64_t buffer =
        environment_.config.write_buffer.size_bytes / superpage + parts_.buffer.lists();
    const std::uint64_t kept =
        std::uint64_t{environment_.config.gc.foreground_threshold} * layout.pages() * layout.pus();
    return parts_.allocator.empty_superpages() > std::min(buffer, kept / 2);
}

/// Superblocks without anything valid, while nothing is moved.
void GarbageCollector::erase_empty(UnitState& unit) {
    for (std::uint32_t i = 0; i < environment_.layout.superblocks(); ++i) {
        SuperblockInfo& info = parts_.table.info(unit.pu, Superblock{i});
        if (info.state == SuperblockState::closed && info.valid == 0 && info.in_flight == 0 &&
            !info.collecting) {
            info.collecting = true;
            ++active_;
            environment_.executor.spawn(erase(unit, Superblock{i}, Cause::gc));
        }
    }
}

void GarbageCollector::kick(Pu pu) {
    UnitState& unit = *units_[pu.value];
    if (!unit.victims.empty()) {
        erase_finished_victims(unit);
    }
    if (stands_down_) {
        erase_empty(unit);
    }
    wake_moves(unit);  // what they hold may have become invalid, and its victim empty
    if (unit.asleep && !stands_down_ && wanted(unit)) {
        unit.asleep = false;
        ++active_;
        unit.wake.notify();
    }
}

/// Superblocks that will be free without anything further being gathered.
std::uint32_t GarbageCollector::nearly_free(const UnitState& unit) const {
    const auto emptied = std::count_if(unit.victims.begin(), unit.victims.end(), [this](const auto& victim) {
        return victim->cursor == environment_.layout.units_per_superblock() && !victim->unreadable &&
               !victim->left_behind;
    });
    return unit.erasing + static_cast<std::uint32_t>(emptied);
}

bool GarbageCollector::space_wanted(const UnitState& unit) const {
    return parts_.table.free_count(unit.pu) + nearly_free(unit) < environment_.config.gc.background_threshold;
}

bool GarbageCollector::wanted(const UnitState& unit) const {
    return space_wanted(unit) || unit.wear_due ||
           std::any_of(unit.victims.begin(), unit.victims.end(), [this](const auto& victim) {
               return victim->cause == Cause::wear &&
                      victim->cursor < environment_.layout.units_per_superblock();
           });
}

/// Static wear levelling: the least erased superblock, if it holds data and lags too far behind.
std::optional<Superblock> GarbageCollector::wear_victim(Pu pu) const {
    const std::uint32_t threshold = environment_.config.wear.static_threshold;
    if (threshold == 0) {
        return std::nullopt;
    }
    const auto range = parts_.table.erase_range(pu);
    if (range.most - range.least <= threshold) {
        return std::nullopt;
    }
    for (std::uint32_t i = 0; i < environment_.layout.superblocks(); ++i) {
        const SuperblockInfo& info = parts_.table.info(pu, Superblock{i});
        if (info.erases == range.least && info.state == SuperblockState::closed && !info.collecting &&
            info.in_flight == 0) {
            return Superblock{i};
        }
    }
    return std::nullopt;
}

std::optional<Superblock> GarbageCollector::choose_victim(UnitState& unit) {
    unit.has_space |= parts_.table.free_count(unit.pu) > environment_.config.gc.foreground_threshold;
    return (saves_space_ && !unit.has_space ? saving_policy_ : policy_)->select(parts_.table, unit.pu);
}

/// The victim to gather from: one not yet looked through, else a new one if space is wanted or a superpage
/// must be filled up; null if there is none.
GarbageCollector::Victim* GarbageCollector::next_victim(UnitState& unit, bool to_fill_up) {
    for (auto& victim : unit.victims) {
        if (victim->cursor < environment_.layout.units_per_superblock()) {
            return victim.get();
        }
    }
    Cause cause = Cause::wear;
    std::optional<Superblock> chosen;
    if (unit.wear_due && parts_.table.free_count(unit.pu) > environment_.config.gc.foreground_threshold) {
        chosen = wear_victim(unit.pu);
        unit.wear_due = false;
    }
    if (!chosen && (to_fill_up || space_wanted(unit))) {
        cause = Cause::gc;
        chosen = choose_victim(unit);
    }
    if (!chosen) {
        return revisit(unit);
    }
    parts_.table.info(unit.pu, *chosen).collecting = true;
    ++counters_.victims;
    if (cause == Cause::wear) {
        ++counters_.wear_victims;
    } else {
        counters_.empty_superpages += parts_.allocator.empty_superpages(unit.pu) +
                                      std::uint64_t{nearly_free(unit)} * environment_.layout.pages();
    }
    unit.victims.push_back(std::make_unique<Victim>(Victim{*chosen, 0, 0, 0, cause, false, false}));
    return unit.victims.back().get();
}

/// A victim in which units were left behind for a host program that then failed; null if there is none.
GarbageCollector::Victim* GarbageCollector::revisit(UnitState& unit) {
    for (auto& victim : unit.victims) {
        if (victim->left_behind && victim->outstanding == 0) {
            victim->left_behind = false;
            victim->cursor = 0;
            return victim.get();
        }
    }
    return nullptr;
}

/// Collects up to a superpage of valid units. False if there is nothing worth moving.
bool GarbageCollector::gather(UnitState& unit, Move& move) {
    const MediaLayout& layout = environment_.layout;
    move.units.clear();
    Victim* last = nullptr;
    while (move.units.size() < layout.units_per_superpage()) {
        Victim* victim = next_victim(unit, !move.units.empty());
        if (victim == nullptr) {
            break;
        }
        last = victim;
        const Ppa first = layout.ppa(SuperpageAddress{unit.pu, victim->superblock, 0}, 0);
        const Ppa end{first.value + layout.units_per_superblock()};
        while (victim->cursor < layout.units_per_superblock() &&
               move.units.size() < layout.units_per_superpage()) {
            const Ppa ppa = parts_.table.next_valid(Ppa{first.value + victim->cursor}, end);
            victim->cursor = ppa.value - first.value + 1;
            if (ppa == end) {
                victim->cursor = layout.units_per_superblock();
                break;
            }
            const std::uint64_t offset = move.units.size() * std::uint64_t{layout.unit_bytes()};
            move.units.push_back(
                Move::Unit{ppa, kNoLpn, DramAddress{move.buffer.value + offset}, victim, true});
            ++victim->outstanding;
            ++victim->gathered;
        }
    }
    if (move.units.empty()) {
        return false;
    }
    move.cause = last->cause;
    const std::uint32_t padding =
        layout.units_per_superpage() - static_cast<std::uint32_t>(move.units.size());
    if (padding > 0 && last->cause == Cause::gc) {
        // Nobody left to fill up from. Worth it only if the erase gains more than the padding costs.
        if (layout.units_per_superblock() <= last->gathered + padding) {
            ungather(unit, move);
            return false;
        }
    }
    return true;
}

void GarbageCollector::ungather(UnitState& unit, Move& move) {
    for (const Move::Unit& gathered : move.units) {
        const Ppa first =
            environment_.layout.ppa(SuperpageAddress{unit.pu, gathered.victim->superblock, 0}, 0);
        gathered.victim->cursor = std::min(gathered.victim->cursor, gathered.from.value - first.value);
        --gathered.victim->outstanding;
        --gathered.victim->gathered;
    }
    move.units.clear();
}

/// One thing less under way; when it was the last, whoever waits for space should know that none will come.
void GarbageCollector::rest() {
    if (--active_ == 0) {
        parts_.allocator.progress().notify();
    }
}

Task<void> GarbageCollector::collect(UnitState& unit) {
    while (true) {
        if (unit.pipeline.available() == 0) {
            rest();  // the moves in the pipeline count for themselves, the last one hands its count over
        }
        co_await unit.pipeline.acquire(1);
        Move* move = nullptr;
        for (auto& candidate : unit.moves) {
            if (!candidate->busy) {
                move = candidate.get();
                break;
            }
        }
        const std::size_t victims_before = unit.victims.size();
        if (!stands_down_ && wanted(unit) && gather(unit, *move)) {
            move->busy = true;
            if (unit.victims.size() > victims_before) {
                co_await environment_.executor.spend(environment_.config.cycles.gc_select, nullptr,
                                                     Cause::gc);
            }
            ++active_;
            environment_.executor.spawn(run_move(unit, *move));
            continue;
        }
        erase_finished_victims(unit);
        unit.pipeline.release(1);
        unit.asleep = true;
        rest();
        co_await unit.wake.wait();
    }
}

/// Moves that wait for space look again; they count as active from now on, not only when their turn comes.
void GarbageCollector::wake_moves(UnitState& unit) {
    active_ += std::exchange(unit.waiting, 0);
    unit.space.notify();
}

void GarbageCollector::erase_finished_victims(UnitState& unit) {
    for (std::size_t i = 0; i < unit.victims.size();) {
        Victim& victim = *unit.victims[i];
        const SuperblockInfo& info = parts_.table.info(unit.pu, victim.superblock);
        if (victim.outstanding == 0 && info.valid == 0 && info.in_flight == 0) {
            ++active_;
            environment_.executor.spawn(erase(unit, victim.superblock, victim.cause));
            unit.victims.erase(unit.victims.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
            ++i;
        }
    }
}

Task<void> GarbageCollector::erase(UnitState& unit, Superblock superblock, Cause cause) {
    SuperblockInfo& info = parts_.table.info(unit.pu, superblock);
    info.state = SuperblockState::erasing;
    ++unit.erasing;
    hal::FlashOp op = superpage_op(environment_.layout, hal::FlashOpcode::erase,
                                   SuperpageAddress{unit.pu, superblock, 0}, cause);
    bool noted = true;
    if (parts_.log != nullptr && parts_.log->pending()) {
        // The newest copy of what was trimmed must not go before the older ones, and no copy before it is
        // noted which other one its logical page shares.
        noted = co_await parts_.log->persist();
    }
    hal::FlashStatus status = hal::FlashStatus::erase_failed;
    if (noted || parts_.shared == nullptr) {
        co_await environment_.executor.spend(environment_.config.cycles.flash_issue, nullptr, cause);
        FlashAwaiter erased(environment_, op);
        status = co_await erased;
        co_await environment_.executor.spend(environment_.config.cycles.flash_complete, nullptr, cause);
        ++info.erases;
        ++counters_.erased;
    }
    --unit.erasing;
    if (status == hal::FlashStatus::ok && !info.failed) {
        parts_.table.recycle(unit.pu, superblock);
    } else {
        parts_.table.retire(unit.pu, superblock);
    }
    unit.wear_due = wear_victim(unit.pu).has_value();
    rest();
    wake_moves(unit);
    parts_.allocator.space_freed(unit.pu);
    kick(unit.pu);
}

}  // namespace solidtlm::fw
