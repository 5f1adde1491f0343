// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/victims.h"

#include <algorithm>

namespace solidtlm::fw {
namespace {

/// `threshold`; with an SLC cache at least as many free superblocks as folding needs to begin.
std::uint32_t aim(const FirmwareConfig& config, std::uint32_t threshold) {
    const std::uint32_t least =
        config.kept_superblocks() + (config.gc.pacing == GcPacing::paced ? GcConfig::kPacingSuperblocks : 1);
    return config.slc_cache.any() ? std::max(threshold, least) : threshold;
}

}  // namespace

void GcCounters::tell(hal::Metrics& metrics) const {
    metrics.counter("gc.victims", "superblocks",
                    "superblocks chosen by garbage collection and wear levelling", victims);
    metrics.counter("gc.wear_victims", "superblocks",
                    "superblocks chosen by static wear levelling, or because their data had to move",
                    wear_victims);
    metrics.counter("gc.moved_units", "units", "units moved out of victims", moved_units);
    metrics.counter("gc.padded_units", "units",
                    "units of padding that collection programmed because nothing was left to move",
                    padded_units);
    metrics.counter("gc.copied_back_superpages", "superpages", "superpages moved by copy-back",
                    copied_back_superpages);
    metrics.counter("gc.erased_superblocks", "superblocks", "superblocks erased by collection", erased);
    metrics.counter("gc.unreadable_units", "units", "units that could not be read to be moved",
                    unreadable_units);
    metrics.counter("gc.empty_superpages", "superpages",
                    "sum, over all choices of a victim, of the parallel unit's erased superpages",
                    empty_superpages);
}

void GcCounters::tell_reclaimed(hal::Metrics& metrics) const {
    metrics.counter("gc.weak_victims", "superblocks",
                    "superblocks chosen because they were hard to read, or a program had failed there",
                    weak_victims);
}

void GcCounters::tell_slc(hal::Metrics& metrics, std::uint64_t free) const {
    metrics.counter("slc_cache.folded_superblocks", "superblocks",
                    "superblocks of the SLC cache chosen to be folded; not counted in gc.victims",
                    folded_superblocks);
    metrics.counter("slc_cache.folded_units", "units",
                    "the part of gc.moved_units that came from the SLC cache", folded_units);
    metrics.counter("slc_cache.erased_superblocks", "superblocks",
                    "the part of gc.erased_superblocks that was in SLC mode", erased_slc);
    metrics.state("slc_cache.free_superblocks", "superblocks",
                  "the part of ftl.free_superblocks that is in the SLC cache", free);
}

Victims::Victims(Services& services, SuperblockTable& table, Allocator& allocator, Policies& policies,
                 GcCounters& counters, Pu pu)
    : services_(services),
      table_(table),
      allocator_(allocator),
      policies_(policies),
      counters_(counters),
      pu_(pu),
      usual_aim_(aim(services.config, services.config.gc.background_threshold)),
      idle_aim_(aim(services.config, services.config.gc.idle_threshold)),
      static_wear_(services.config.wear.static_threshold, services.layout, table, pu) {}

/// Nothing further has to be gathered from it.
bool Victims::emptied(const Victim& victim) const {
    return victim.cursor == services_.layout.units_per_superblock() && !victim.unreadable &&
           !victim.left_behind;
}

/// Superblocks of this kind that will be free without further gathering.
std::uint32_t Victims::nearly_free(Kind kind) const {
    const auto count = std::count_if(victims_.begin(), victims_.end(), [this, kind](const auto& victim) {
        return emptied(*victim) && kind_of(victim->superblock) == kind;
    });
    return erasing_[kind] + static_cast<std::uint32_t>(count);
}

/// As above, for all superblocks that are not always in SLC mode.
std::uint32_t Victims::nearly_free() const {
    const auto count = std::count_if(victims_.begin(), victims_.end(), [this](const auto& victim) {
        return emptied(*victim) && !table_.info(pu_, victim->superblock).always_slc;
    });
    return erasing_[normal] + erasing_[lent] + static_cast<std::uint32_t>(count);
}

/// Folding takes superpages in normal mode, and does not return any if the folded superblock is always in SLC
/// mode. It therefore leaves collection its reserve, as the host does.
bool Victims::room_to_fold() const {
    return allocator_.gc_room(pu_) >=
           std::uint64_t{services_.config.kept_superblocks()} * services_.layout.pages();
}

bool Victims::cache_short() const {
    return allocator_.free_for_cache(pu_, nearly_free(lent), nearly_free(normal)) + nearly_free(always_slc) <
           services_.config.slc_cache.kept_free();
}

/// True if a superblock should be folded now.
bool Victims::fold_due() const {
    const SlcCacheConfig& cache = services_.config.slc_cache;
    if (!cache.any() || !room_to_fold()) {
        return false;
    }
    const bool idle = cache.in_idle_time() && services_.activity->idle();
    if (!idle && !cache_short()) {
        return false;
    }
    return fold_victim().has_value() || std::ranges::any_of(victims_, [this](const auto& victim) {
               return kind_of(victim->superblock) != normal &&  // chosen to be folded, or to gain space
                      (victim->cursor < services_.layout.units_per_superblock() || may_revisit(*victim));
           });
}

/// The SLC superblock to fold next: one without valid units, otherwise the one that was filled first.
std::optional<Superblock> Victims::fold_victim() const {
    const MediaLayout& layout = services_.layout;
    std::optional<Superblock> chosen;
    std::uint64_t least = 0;
    const auto look_at = [&](Superblock superblock) {
        const BlockInfo& info = table_.info(pu_, superblock);
        const std::uint64_t order = info.valid == 0 ? 0 : 1 + info.closed_order;
        if (may_be_victim(info) && (!chosen || order < least)) {
            chosen = superblock;
            least = order;
        }
    };
    std::ranges::for_each(table_.lent(pu_), look_at);
    const std::uint32_t end = layout.superblocks(pu_);
    for (std::uint32_t i = end - layout.slc_superblocks(); i < end; ++i) {
        look_at(Superblock{i});
    }
    return chosen;
}

/// Empty superpages, and those that victims will give back; a half-emptied victim counts half. Each move
/// therefore raises this number by its gain, and each superpage of the host lowers it by one.
std::uint64_t Victims::space_in_sight() const {
    const std::uint64_t pages = services_.layout.pages();
    std::uint64_t space = allocator_.empty_superpages(pu_) + (erasing_[normal] + erasing_[lent]) * pages;
    for (const auto& victim : victims_) {
        if (victim->unreadable || victim->left_behind || kind_of(victim->superblock) == always_slc) {
            continue;  // unknown when it will be empty, or it gives back no superpage in normal mode
        }
        const std::uint32_t valid = table_.info(pu_, victim->superblock).valid;
        const std::uint32_t left = valid - std::min(valid, victim->outstanding);
        space += left == 0 ? pages : pages * victim->gathered / (victim->gathered + left);
    }
    return space;
}

bool Victims::space_wanted(std::uint32_t aim) const {
    if (services_.config.gc.pacing == GcPacing::paced) {
        return space_in_sight() < std::uint64_t{aim} * services_.layout.pages();
    }
    return table_.free_count(pu_) + nearly_free() < aim;
}

bool Victims::wanted() const {
    return space_wanted() || static_wear_.due() || (!weak_.empty() && weak_due()) || fold_due() ||
           std::any_of(victims_.begin(), victims_.end(), [this](const auto& victim) {
               return victim->cause == Cause::wear &&
                      victim->cursor < services_.layout.units_per_superblock() && may_empty(*victim);
           });
}

/// False for a victim of the SLC cache while its units find no space, or after the host has come back.
bool Victims::may_empty(const Victim& victim) const {
    const bool gains = kind_of(victim.superblock) != always_slc;
    return victim.folds ? fold_due() || (gains && space_wanted()) : gains || room_to_fold();
}

/// Valid units in victims.
std::uint64_t Victims::units_in_victims() const {
    std::uint64_t units = 0;
    for (const auto& victim : victims_) {
        units += table_.info(pu_, victim->superblock).valid;
    }
    return units;
}

void Victims::move_soon(Superblock superblock) {
    BlockInfo& info = table_.info(pu_, superblock);
    if (info.state == BlockState::closed && !info.collecting && !info.weak) {
        info.weak = true;
        weak_.push_back(superblock);
    }
}

/// A superblock that is only hard to read is emptied before the host's last space is used up. The data of a
/// bad superblock can still be read, and retiring it gains nothing, so it waits until no space is wanted.
bool Victims::may_be_emptied(const BlockInfo& info) const {
    const bool room =
        info.failed ? !space_wanted() : table_.free_count(pu_) > services_.config.gc.foreground_threshold;
    return room && may_be_victim(info) && (!info.always_slc || room_to_fold());
}

bool Victims::weak_due() const {
    return std::any_of(weak_.begin(), weak_.end(), [this](Superblock superblock) {
        return may_be_emptied(table_.info(pu_, superblock));
    });
}

std::optional<Superblock> Victims::weak_victim() {
    std::erase_if(weak_, [this](Superblock superblock) {  // chosen for their space already
        const BlockInfo& info = table_.info(pu_, superblock);
        return info.collecting || info.state != BlockState::closed;
    });
    const auto due = std::find_if(weak_.begin(), weak_.end(), [this](Superblock superblock) {
        return may_be_emptied(table_.info(pu_, superblock));
    });
    if (due == weak_.end()) {
        return std::nullopt;
    }
    const Superblock taken = *due;
    weak_.erase(due);
    ++counters_.weak_victims;
    return taken;
}

std::optional<Superblock> Victims::choose() {
    has_space_ |= table_.free_count(pu_) > services_.config.gc.foreground_threshold;
    return (saves_space_ && !has_space_ ? policies_.saving : policies_.usual)->select(table_, pu_);
}

/// Why a victim is chosen to gain space.
hal::Reason Victims::reason_to_gain() const {
    if (space_wanted(services_.config.gc.background_threshold)) {
        return hal::Reason::space;
    }
    return space_wanted() ? hal::Reason::idle : hal::Reason::fill_up;
}

/// The victim to gather from: one that is not searched to its end; else, if space is short, one with units
/// left behind; else a new one if space is wanted or a superpage must be filled up. Null if there is none.
Victim* Victims::next(Fill fill) {
    const auto fills_up = [&](const Victim& victim) {
        return fill == Fill::fold && victim.folds && room_to_fold();
    };
    for (auto& victim : victims_) {
        if (victim->cursor < services_.layout.units_per_superblock() &&
            (may_empty(*victim) || fills_up(*victim))) {
            return victim.get();
        }
    }
    // A new victim may use up the reserve, so that none is left to finish the present one.
    if (table_.free_count(pu_) <= services_.config.gc.foreground_threshold) {
        if (Victim* left = revisit(); left != nullptr) {
            return left;
        }
    }
    Cause cause = Cause::wear;
    hal::Reason reason = hal::Reason::wear;
    std::optional<Superblock> chosen;
    if (static_wear_.due()) {
        chosen = static_wear_.take(units_in_victims(), allocator_.gc_room(pu_));
    }
    if (!chosen && !weak_.empty()) {
        chosen = weak_victim();
        reason = chosen && table_.info(pu_, *chosen).failed ? hal::Reason::program_failed : hal::Reason::weak;
    }
    if (!chosen && (fill == Fill::gain || space_wanted())) {
        cause = Cause::gc;
        reason = reason_to_gain();
        chosen = choose();
    }
    const bool due = !chosen && fold_due();
    const bool folds = due || (!chosen && fill == Fill::fold && room_to_fold());
    if (folds) {
        cause = Cause::gc;
        reason = !due ? hal::Reason::fill_up : cache_short() ? hal::Reason::space : hal::Reason::idle;
        chosen = fold_victim();
    }
    if (!chosen) {
        return revisit();
    }
    BlockInfo& info = table_.info(pu_, *chosen);
    info.collecting = true;
    services_.decided({.deed = folds ? hal::Deed::fold : hal::Deed::collect,
                       .reason = reason,
                       .unit = pu_.value,
                       .block = chosen->value,
                       .count = info.valid,
                       .erases = info.erases,
                       .free = folds ? allocator_.free_for_cache(pu_) : table_.free_count(pu_)});
    ++(folds ? counters_.folded_superblocks : counters_.victims);
    if (cause == Cause::wear) {
        ++counters_.wear_victims;
    } else if (!folds) {
        counters_.empty_superpages +=
            allocator_.empty_superpages(pu_) + std::uint64_t{nearly_free()} * services_.layout.pages();
    }
    victims_.push_back(std::make_unique<Victim>(Victim{*chosen, 0, 0, 0, cause, folds}));
    return victims_.back().get();
}

bool Victims::may_revisit(const Victim& victim) const {
    return victim.left_behind && victim.outstanding == 0 &&
           (kind_of(victim.superblock) != always_slc || room_to_fold()) &&
           allocator_.host_programs_over(victim.left_when);
}

bool Victims::may_revisit() const {
    return std::ranges::any_of(victims_, [this](const auto& victim) { return may_revisit(*victim); });
}

/// A victim in which units were left behind for a host program that then failed; null if
/// there is none.
Victim* Victims::revisit() {
    for (auto& victim : victims_) {
        if (may_revisit(*victim)) {
            victim->left_behind = false;
            victim->cursor = 0;
            return victim.get();
        }
    }
    return nullptr;
}

std::uint32_t Victims::gather(std::vector<MovedRun>& runs, std::span<Lpn> names, DramAddress buffer,
                              Cause& cause) {
    const MediaLayout& layout = services_.layout;
    const auto superpage = static_cast<std::uint32_t>(names.size());
    std::uint32_t gathered = 0;
    Victim* last = nullptr;
    runs.clear();
    while (gathered < superpage) {
        // Folding need not gain space: the last superpage is padded. But where a word line holds several
        // superpages of the cache, most superblocks there do not fill the last one.
        Victim* victim = next(gathered > 0 ? fill_after(*last) : Fill::padding);
        if (victim == nullptr) {
            break;
        }
        last = victim;
        const Ppa first = layout.ppa(SuperpageAddress{pu_, victim->superblock, 0}, 0);
        const Ppa end{first.value + layout.units_per_superblock()};
        std::uint32_t taken = 0;
        const auto take = [&](Ppa from, std::uint32_t units) {
            taken += units;
            while (units > 0) {
                const std::uint32_t in_page =
                    std::min(units, layout.units_per_page() - layout.unit_in_page(from.value));
                MovedRun& run = runs.emplace_back();
                run.from = from;
                run.dram = buffer;
                run.victim = victim;
                run.names = names.first(in_page);
                run.held = run.keep = ~std::uint64_t{0} >> (64 - in_page);
                names = names.subspan(in_page);
                buffer.value += std::uint64_t{in_page} * layout.unit_bytes();
                from.value += in_page;
                units -= in_page;
            }
        };
        const Ppa cursor =
            table_.take_valid(Ppa{first.value + victim->cursor}, end, superpage - gathered, take);
        victim->cursor = cursor.value - first.value;
        victim->outstanding += taken;
        victim->gathered += taken;
        gathered += taken;
    }
    if (gathered == 0) {
        return 0;
    }
    cause = last->cause;
    const std::uint32_t padding = superpage - gathered;
    if (padding > 0 && last->cause == Cause::gc && must_gain(*last)) {
        // No further victim to fill up from: pads only if the erase gains more than the padding costs.
        if (layout.units_per_superblock() <= last->gathered + padding) {
            ungather(runs);
            return 0;
        }
    }
    return gathered;
}

void Victims::ungather(std::vector<MovedRun>& runs) {
    for (const MovedRun& run : runs) {
        const Ppa first = services_.layout.ppa(SuperpageAddress{pu_, run.victim->superblock, 0}, 0);
        const auto units = static_cast<std::uint32_t>(run.names.size());
        run.victim->cursor = std::min(run.victim->cursor, run.from.value - first.value);
        run.victim->outstanding -= units;
        run.victim->gathered -= units;
    }
    runs.clear();
}

bool Victims::left_behind() const {
    return std::ranges::any_of(victims_, [](const auto& victim) { return victim->left_behind; });
}

std::optional<Victim> Victims::take_finished() {
    const auto finished = std::find_if(victims_.begin(), victims_.end(), [this](const auto& victim) {
        const BlockInfo& info = table_.info(pu_, victim->superblock);
        return victim->outstanding == 0 && info.valid == 0 && info.in_flight == 0;
    });
    if (finished == victims_.end()) {
        return std::nullopt;
    }
    const Victim taken = **finished;
    victims_.erase(finished);
    return taken;
}

void Victims::erase_ends(Superblock superblock, bool ok) {
    --erasing_[kind_of(superblock)];
    table_.info(pu_, superblock).weak = false;
    std::erase(weak_, superblock);
    if (ok) {
        table_.recycle(pu_, superblock);
    } else {
        table_.retire(pu_, superblock);
    }
    static_wear_.erase_ended(allocator_.host_programs_ended());
}

void Victims::serialize(hal::StateArchive& archive) {
    std::vector<Victim> victims;
    for (const auto& victim : victims_) {
        victims.push_back(*victim);
    }
    archive(hal::list(victims), hal::list(weak_), saves_space_, has_space_, static_wear_);
    victims_.clear();
    for (const Victim& victim : victims) {
        victims_.push_back(std::make_unique<Victim>(victim));
    }
}

}  // namespace solidtlm::fw
