// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "fw/needs.h"
#include "platform/units.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/load/pattern.h"
#include "testbench/sim/load/workload_keys.h"
#include "testbench/torture/draw_steps.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kMostCuts = 60;

/// Repetitive contents give deduplication something to find.
std::vector<std::string> draw_mix(const Draws& draws, bool deduplicates) {
    std::vector<std::string> items{"mix"};
    for (const auto& key : mix_keys()) {
        const Draws of_key = draws.in(key.name);
        if (deduplicates && key.name == "repetitive" && of_key.chance("repetitive", 0.8)) {
            items.emplace_back("repetitive=true");
        } else if (of_key.chance("drawn", 0.4)) {
            const DrawRule small{key.name, {"2", "600"}};
            const bool sectors = key.name == "sectors" || key.name == "range_sectors";
            items.push_back(std::string(key.name) + "=" +
                            draw_value(of_key, key, sectors ? &small : nullptr));
        }
    }
    return items;
}

std::vector<std::string> draw_filesystem(const Draws& draws) {
    return {draws.pick_by_name("pattern", filesystem_patterns()),
            fmt::format("files={}", 1 + draws.below("files", 40)),
            fmt::format("threads={}", 1 + draws.below("threads", 4)),
            fmt::format("seed={}", draws.below("seed", 1000))};
}

std::vector<std::string> draw_precondition(const Draws& draws) {
    std::vector<std::string> items{
        fmt::format("fill={}", draws.pick("fill", std::vector{"1", "0.5", "0.9", "0"})),
        fmt::format("random={}", draws.pick("random", std::vector{"0", "0.5", "2"}))};
    if (draws.chance("trims", 0.3)) {
        items.push_back(fmt::format("trim={}", draws.pick("trim", std::vector{"0.1", "0.5"})));
    }
    if (draws.chance("patterns", 0.3)) {
        items.push_back(fmt::format("pattern={}", draws.pick("pattern", std::vector{"zipf", "hotcold"})));
    }
    if (draws.chance("reads", 0.2)) {
        items.push_back(fmt::format("read={}", draws.pick("read", std::vector{"0.5", "1", "2"})));
    }
    if (draws.chance("repeats", 0.2)) {
        items.push_back(
            fmt::format("repeat={}", draws.pick("repeat", std::vector{"1:0.3/1:0.3", "2:0.5/8:1/1:0.2"})));
    }
    return items;
}

}  // namespace

std::optional<TortureCase> exporting(const TortureCase& torture, double share) {
    const platform::Configuration c = configuration_of(torture.preset, torture.settings);
    const double exported = static_cast<double>(fw::max_exported_units(c.firmware)) * share;
    const double spare = 1 - exported / static_cast<double>(c.raw_units());
    TortureCase roomy = torture;
    constexpr double kDigits = 1e4;
    give(roomy.settings,
         {fmt::format("{}={}", kOverProvisioning, std::min(0.95, std::ceil(spare * kDigits) / kDigits))});
    return legal(roomy) ? std::optional(roomy) : std::nullopt;
}

namespace {

EventKind draw_cut_kind(const Draws& draws) {
    std::vector<std::string_view> names(kEventKindNames.begin(), kEventKindNames.end());
    // block-mapped layers, which merge, do not recover after a cut
    std::erase(names, kEventKindNames.at(static_cast<std::size_t>(EventKind::merge)));
    const auto* const name = std::ranges::find(kEventKindNames, draws.pick_by_name("kind", names));
    return static_cast<EventKind>(name - kEventKindNames.begin());
}

/// Cuts at operations of collection: shared pages move there, and few instants matter.
EventKind draw_shared_cut_kind(const Draws& draws) {
    return draws.chance("unlogged", 0.7) ? EventKind::unlogged : EventKind::collection;
}

/// Cuts at the ends of programs, which take earlier pages.
EventKind draw_paired_cut_kind(const Draws& draws) {
    return draws.chance("program", 0.6) ? EventKind::program : draw_cut_kind(draws);
}

std::string draw_cut(const Draws& draws, EventKind kind) {
    EventCut cut;
    cut.kind = kind;
    if (cut.kind == EventKind::time) {
        cut.after = 1'000'000ULL << draws.below("doublings", 16);  // 1 us to 33 ms
        cut.after += draws.below("time", cut.after);
    } else {
        static constexpr int kOffsets[]{0, 0, -1, 1};
        cut.offset_ps = draws.pick("offset", kOffsets);
        if (cut.kind == EventKind::promise) {  // a promise is not announced, so a cut cannot come before it
            cut.offset_ps = std::abs(cut.offset_ps);
        }
        // Between two cuts there are few of these events, or none.
        static constexpr EventKind kRare[]{EventKind::alarm,      EventKind::hash_job,   EventKind::erase,
                                           EventKind::collection, EventKind::unlogged,   EventKind::map,
                                           EventKind::recovery,   EventKind::suspension, EventKind::promise};
        const bool rare = std::ranges::find(kRare, cut.kind) != std::end(kRare);
        cut.after = draws.below("after", std::uint64_t{1} << draws.below("doublings", rare ? 6 : 10));
    }
    return to_text(cut);
}

}  // namespace

std::vector<std::string> draw_pattern(const Draws& draws) {
    const Pattern& pattern = *draws.pick_by_name("pattern", patterns(), &Pattern::name);
    std::vector<std::string> items{std::string(pattern.name)};
    for (const WorkloadKey& key : workload_keys()) {
        const Draws of_key = draws.in(key.name);
        const DrawRule* rule = rule_of(workload_rules(), key.name);
        const bool drawn = rule != nullptr ? rule->not_drawn.empty() : platform::can_draw(key);
        if (drawn && knows(pattern, key) &&
            of_key.chance("drawn", rule != nullptr && rule->chance >= 0 ? rule->chance : 0.2)) {
            items.push_back(std::string(key.name) + "=" + draw_value(of_key, key, rule));
        }
    }
    return items;
}

std::uint64_t cuts_with_room(const platform::Configuration& c) {
    const std::uint64_t most = fw::max_exported_units(c.firmware);
    const std::uint64_t exported = c.exported_bytes() / c.firmware.unit_bytes;
    const std::uint64_t superblocks =
        most > exported ? (most - exported) * c.nand.geometry.blocks / c.raw_units() : 0;
    return superblocks * c.nand.geometry.pages / c.firmware.flash.pages_per_program;
}

bool legal(const TortureCase& torture) {
    try {
        (void)configuration_of(torture.preset, torture.settings);
        return true;
    } catch (const platform::ConfigurationError&) {
        return false;
    }
}

bool fits(const TortureCase& torture) {
    try {
        (void)prepare(torture);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

void draw_load(const Draws& draws, DrawnCase& drawn) {
    TortureCase& torture = drawn.torture;
    const std::uint64_t most = 1U << (4 + draws.below("doublings", 6));
    torture.load = {fmt::format("requests={}", 10 + draws.below("requests", most)),
                    fmt::format("seed={}", draws.below("seed", 1'000'000))};
    static const std::vector<std::string> optional{
        "queue_depth=1",      "queue_depth=4",   "unqueued=0.05",
        "unqueued=0.5",       "unqueued=1",      "beyond=0.01",
        "beyond=0.1",         "write_cache=off", "write_cache=on",
        "max_sectors=8",      "max_sectors=1",   "max_sectors=65536",
        "power_off=1ps",      "power_off=1ms",   "error_log_by_dma=true",
        "questions=0.02",     "questions=0.3",   "uncorrectable=0.02",
        "uncorrectable=0.2",  "rewrites=0.1",    "rewrites=0.6",
        "check_protocol=true"};
    const platform::Configuration configuration = configuration_of(torture.preset, torture.settings);
    for (const std::string& item : optional) {
        const std::string_view name = std::string_view(item).substr(0, item.find('=') + 1);
        const bool given = std::ranges::any_of(
            torture.load, [name](const std::string& each) { return each.starts_with(name); });
        const bool ata = name == "questions=" || name == "uncorrectable=";
        if (!given && draws.chance(item, 0.12) && !(ata && configuration.has_nvme())) {
            torture.load.push_back(item);
        }
    }
    if (draws.chance("aged", 0.3)) {
        torture.precondition = draw_precondition(draws.in("precondition"));
    }
    const bool deduplicates = configuration.firmware.dedup.any();
    if (draws.chance("pauses", deduplicates ? 0.7 : 0.15)) {  // many look for duplicates in idle time
        torture.load.emplace_back(draws.chance("rare pauses", 0.5) ? "pauses=0.02" : "pauses=0.2");
    }
    for (std::uint32_t tries = 0; tries < kWorkloadTries; ++tries) {
        const Draws workload = draws.in("workload").nth(tries);
        const std::uint64_t which = workload.below("which", 40);
        torture.workload = which == 0   ? draw_filesystem(workload)
                           : which < 15 ? draw_mix(workload, deduplicates)
                                        : draw_pattern(workload);
        if (fits(torture)) {
            return;
        }
        ++drawn.redrawn_load;
    }
    torture.workload = {"mix"};
}

void draw_cuts(const Draws& draws, const std::vector<std::string>& pinned, DrawnCase& drawn) {
    TortureCase& torture = drawn.torture;
    // contents that come back when power returns, and those that are gone
    const bool shared = drawn.focus == DrawnCase::Focus::shared_pages;
    const bool paired = drawn.focus == DrawnCase::Focus::paired_pages;
    const bool often = shared || paired;
    const bool no_cuts = (draws.chance("none", 0.2) && !often) ||
                         drawn.focus == DrawnCase::Focus::long_transfers ||
                         drawn.focus == DrawnCase::Focus::hot_data || drawn.full;
    const platform::Configuration configuration = configuration_of(torture.preset, torture.settings);
    const bool adapter = configuration.host.interface == platform::HostInterface::ahci;
    if (no_cuts || adapter || configuration.firmware.by_block()) {
        if (draws.chance("compare", 0.3) && drawn.focus == DrawnCase::Focus::none) {
            torture.load.emplace_back("compare=true");
        }
        return;
    }
    const bool capacity_pinned = std::ranges::any_of(pinned, [](const std::string& setting) {
        return key_of(setting) == kOverProvisioning || key_of(setting) == "ssd.capacity";
    });
    const double part = static_cast<double>(draws.below("capacity", 1000)) / 1000;
    const double share = often ? 0.2 + 0.3 * part : 0.1 + 0.8 * part;  // full drives are never idle
    if (const auto roomy = exporting(torture, share); roomy && !capacity_pinned && fits(*roomy)) {
        torture = *roomy;
    }
    const std::uint64_t room = cuts_with_room(configuration_of(torture.preset, torture.settings));
    const std::uint64_t most = std::min(kMostCuts, room / 2);
    if (most == 0) {
        return;
    }
    // Several cuts of one kind in a row reach events that are rare between cuts of other kinds.
    const auto draw_kind = shared ? draw_shared_cut_kind : paired ? draw_paired_cut_kind : draw_cut_kind;
    const bool all_alike = draws.chance("all alike", 0.3) || shared;
    const EventKind kind = draw_kind(draws);
    const std::uint64_t least = often ? most / 2 : 0;
    const std::uint64_t count = 1 + least + draws.below("count", most - least);
    for (std::uint64_t i = 0; i < count; ++i) {
        const Draws cut = draws.in("cut").nth(i);
        torture.cuts.push_back(draw_cut(cut, all_alike ? kind : draw_kind(cut)));
    }
    constexpr std::uint64_t kRequestsACut = 30;
    torture.load.front() =
        fmt::format("requests={}", kRequestsACut * torture.cuts.size() + draws.below("requests", 200));
    // Splitting long requests into a thousand commands each would take minutes.
    std::ranges::replace(torture.load, std::string("max_sectors=1"), std::string("max_sectors=8"));
}

namespace {

/// A drive without power cuts is shut down, saved and loaded several times. Where it loses its memory, it
/// needs room as after a power cut.
void draw_sessions(const Draws& draws, DrawnCase& drawn) {
    if (!drawn.torture.cuts.empty() || !draws.chance("saved", 0.4)) {
        return;
    }
    const platform::Configuration configuration =
        configuration_of(drawn.torture.preset, drawn.torture.settings);
    const std::uint64_t room =
        configuration.firmware.by_block() || drawn.full ? 0 : cuts_with_room(configuration) / 2;
    static const std::vector<std::string> ends{"sleep",       "clean",       "cut",
                                               "sleep timed", "clean timed", "cut timed"};
    TortureCase torture = drawn.torture;
    std::uint64_t losing = 0;
    const std::uint64_t count = 1 + draws.below("count", 4);
    for (std::uint64_t i = 0; i < count; ++i) {
        const Draws each = draws.in("end").nth(i);
        const std::string& end = losing < room ? each.pick("end", ends) : ends.front();
        losing += end == ends.front() ? 0 : 1;
        torture.sessions.push_back(end);
    }
    std::erase_if(torture.load, [](const std::string& item) {  // of what is not saved
        return item.starts_with("compare=") || item.starts_with("questions=") ||
               item.starts_with("uncorrectable=");
    });
    if (fits(torture)) {
        drawn.torture = std::move(torture);
    }
}

}  // namespace

DrawnCase draw_case(std::uint64_t seed, const std::string& preset, const std::vector<std::string>& pinned,
                    std::string_view undrawn) {
    const Draws draws = Draws(seed).in("small");
    DrawnCase drawn;
    drawn.torture.preset = preset;
    draw_settings(draws.in("settings"), pinned, undrawn, drawn);
    draw_load(draws.in("load"), drawn);
    draw_focus(draws.in("focus"), pinned, drawn);
    draw_edges(draws.in("edges"), pinned, undrawn, drawn);
    draw_cuts(draws.in("cuts"), pinned, drawn);
    draw_sessions(draws.in("sessions"), drawn);
    return drawn;
}

}  // namespace solidtlm::testbench
