// SPDX-License-Identifier: Apache-2.0
//
// References to pages, and pages that are moved.
#include "fw/hal/check.h"
#include "fw/page_map/page_map.h"

namespace solidtlm::fw {

void PageMap::drop(Ppa entry) {
    const Ppa place = indirection ? indirection->release(entry) : entry;
    if (place != kUnmapped) {
        table.mark_invalid(place);
        collector.kick(services.layout.pu_of(place));
    }
}

void PageMap::replaced(std::span<const MapUpdate> updates) {
    std::optional<Pu> lighter;  // has fewer valid units, which collection does not know yet
    for (const MapUpdate& update : updates) {
        lost_pages.erase(update.lpn);
        if (update.previous == kUnmapped) {
            continue;
        }
        const Ppa place = indirection ? indirection->release(update.previous) : update.previous;
        if (place == kUnmapped) {
            continue;
        }
        const Pu pu = services.layout.pu_of(place);
        if (lighter && *lighter != pu) {
            collector.kick(*lighter);
        }
        table.mark_invalid(place);
        lighter = pu;
    }
    if (lighter) {
        collector.kick(*lighter);
    }
}

void PageMap::adopt(Ppa place) {
    table.mark_valid(place);
    if (indirection) {
        indirection->found(place);
    }
}

bool PageMap::check_names(std::span<Lpn> names) const {
    bool all = true;
    for (Lpn& name : names) {
        if (name.value < services.layout.exported_units()) {
            map->prefetch(name);
        } else if (!is_indirect(name)) {
            name = kNoLpn;
            all = false;
        }
    }
    return all;
}

/// True if the unit should be moved now, under its present name. A unit with a number for a name may be
/// moved at any time, so no unit gets a number after the records have been noted: it would have to stay in
/// its victim though no program of the host would ever make it invalid.
bool PageMap::movable(Ppa from, Lpn& name, bool noted) const {
    if (indirection && indirection->rename(from, name)) {
        SOLIDTLM_CHECK(!noted, "no page is shared between the note of its records and its move");
        return true;
    }
    return !buffer.programming(name);
}

void PageMap::keep_wanted(std::span<MovedRun> runs, bool noted) const {
    if (!indirection && !buffer.programming()) {
        return;  // all are wanted
    }
    for (MovedRun& run : runs) {
        MovedRun::for_each(run.keep, [&](std::uint32_t unit) {
            if (!movable(run.place(unit), run.names[unit], noted)) {
                run.drop(unit);
            }
        });
    }
}

/// Before a page is programmed under a number, the record of the number must be on flash. Otherwise, after a
/// loss of power, the name might be taken for that of an earlier page with this number.
bool PageMap::must_note(std::span<const MovedRun> runs) const {
    bool indirect = false;
    for (const MovedRun& run : indirection && log->pending() ? runs : std::span<const MovedRun>()) {
        MovedRun::for_each(run.keep, [&](std::uint32_t unit) { indirect |= is_indirect(run.names[unit]); });
    }
    return indirect;
}

Task<void> PageMap::remap(std::span<MapUpdate> updates, MapListener& listener, Cause cause, Charge& charge) {
    const std::size_t left = indirection ? indirection->remap(updates, listener, charge) : updates.size();
    return map->update(updates.first(left), listener, cause, nullptr, charge);
}

void PageMap::moved(std::span<const MapUpdate> updates) {
    if (indirection) {
        indirection->moved(updates);
    }
}

std::uint64_t PageMap::superpages_to_come() const {
    const MediaLayout& layout = services.layout;
    const std::uint64_t superpage = std::uint64_t{layout.units_per_superpage()} * layout.unit_bytes();
    return services.config.write_buffer.size_bytes / superpage + buffer.dirty().lists();
}

std::string PageMap::check() const {
    const MediaLayout& layout = services.layout;
    PageIndirection::Uses uses;
    std::vector<std::uint32_t> valid(std::size_t{layout.pus()} * layout.superblocks());
    for (std::uint32_t lpn = 0; lpn < layout.exported_units(); ++lpn) {
        if (const std::uint32_t never = map->never_mapped(Lpn{lpn}); never > 0) {
            lpn += never - 1;
            continue;
        }
        const Ppa entry = map->peek(Lpn{lpn});
        if (entry == kUnmapped || (is_indirect(entry) && ++uses[entry.value] > 1)) {
            continue;  // no page, or one that is already counted
        }
        const Ppa ppa = place_of(entry);
        if (ppa == kUnmapped) {
            return "LPN " + std::to_string(lpn) + " refers to a number that is not in use";
        }
        if (!table.is_valid(ppa)) {
            return "LPN " + std::to_string(lpn) + " points to a unit that is not marked valid";
        }
        ++valid[ppa.value / layout.units_per_superblock()];
    }
    for (std::uint32_t index = 0; index < valid.size(); ++index) {
        const Pu pu{index / layout.superblocks()};
        const Superblock superblock{index % layout.superblocks()};
        const BlockInfo& info = table.info(pu, superblock);
        if (info.valid != valid[index]) {
            return "superblock " + std::to_string(superblock.value) + " of parallel unit " +
                   std::to_string(pu.value) + " counts " + std::to_string(info.valid) +
                   " valid units, the map " + std::to_string(valid[index]);
        }
        if (info.state == BlockState::free && info.valid != 0) {
            return "a free superblock holds valid units";
        }
    }
    if (std::string wrong = indirection ? indirection->check(uses) : ""; !wrong.empty()) {
        return wrong;
    }
    return map->check();
}

}  // namespace solidtlm::fw
