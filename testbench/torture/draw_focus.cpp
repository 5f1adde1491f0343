// SPDX-License-Identifier: Apache-2.0
//
// Rare combinations that independent draws would seldom produce.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "fw/block_map/block_layer.h"
#include "testbench/torture/draw_steps.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {
namespace {

/// With these settings, or as it is if they are not legal.
TortureCase with_if_legal(const TortureCase& torture, const std::vector<std::string>& settings) {
    TortureCase changed = torture;
    give(changed.settings, settings);
    return legal(changed) ? changed : torture;
}

/// Few contents, which are shared during pauses and trimmed, on a very small drive: virtual block numbers are
/// reused, and collection moves their pages before the reuse is recorded on flash. If the drive did not
/// deduplicate, all its drawn settings are replaced.
TortureCase with_shared_pages(const Draws& draws, TortureCase torture) {
    static const std::vector<std::string> systems{"offline", "offline_separated", "offline_crc32"};
    static const std::vector<std::string> thresholds{"0s", "10us"};
    // Only online a page may keep its place when it is written, so half of them are.
    const std::string system = draws.chance("online", 0.5) ? "online" : draws.pick("system", systems);
    const std::string setting = fmt::format("firmware.dedup.system=\"{}\"", system);
    if (configuration_of(torture.preset, torture.settings).firmware.dedup.any()) {
        torture = with_if_legal(torture, {setting});
    } else {
        torture.settings = {setting};
    }
    give(torture.settings,
         {"firmware.idle_threshold=\"" + draws.pick("idle threshold", thresholds) + '"',
          "firmware.dedup.shared_size=\"256B\"", "firmware.gc.policy=\"random\"",
          fmt::format("firmware.gc.background_threshold={}", draws.chance("threshold", 0.5) ? 8 : 20),
          "firmware.trim.persist=\"journal\"", "firmware.unit=\"4KiB\"", "nand.geometry.channels=1",
          "nand.geometry.dies=1", "nand.geometry.planes=1", "nand.geometry.page_size=\"4KiB\"",
          "nand.geometry.blocks=12", fmt::format("nand.geometry.pages={}", 32U << draws.below("pages", 2)),
          "ssd.over_provisioning=0.6"});
    give(torture.load, {"pauses=1"});
    torture.precondition.clear();
    torture.workload = {"mix",
                        "repetitive=true",
                        "units=true",
                        "reads=2",
                        "writes=40",
                        fmt::format("trims={}", 10 + draws.below("trims", 20)),
                        fmt::format("flushes={}", draws.below("flushes", 2)),
                        fmt::format("sectors={}", 8U << draws.below("sectors", 3)),
                        fmt::format("ranges={}", 1 + draws.below("ranges", 2)),
                        fmt::format("range_sectors={}", 64U << draws.below("range sectors", 2))};
    return torture;
}

/// Three or four dies share one parity. Part of one die fails, mostly after it was written, and all others
/// are needed to rebuild contents that are compared.
TortureCase with_lost_pages(const Draws& draws, TortureCase torture) {
    const std::uint64_t dies = 3 + draws.below("dies", 2);
    give(torture.settings,
         {fmt::format("nand.geometry.channels={}", dies),
          fmt::format("firmware.reliability.parity_dies={}", dies), "nand.geometry.planes=1",
          "nand.geometry.die_blocks=\"\"", "firmware.translation=\"page_map\"",
          "firmware.slc_cache.mode=\"none\"", "firmware.gc.copy_back=false", "ssd.over_provisioning=0.7"});
    std::erase(torture.settings, "content=\"none\"");
    const std::uint64_t channel = draws.below("channel", dies);
    const std::uint64_t time_us = 256U << draws.below("time", 7);
    std::string script;
    switch (draws.below("kind", 3)) {
        case 0:
            script = fmt::format("die {}/0 dies at {}us", channel, time_us);
            break;
        case 1:
            script = fmt::format("plane {}/0/0 dies at {}us", channel, time_us);
            break;
        default:
            script = fmt::format("page {}/0/0/{}/{} is uncorrectable", channel, draws.below("block", 8),
                                 draws.below("page", 8));
            break;
    }
    give(torture.settings, {"faults.script=\"" + script + '"'});
    return torture;
}

/// Long requests in long segments; a slow DRAM makes its accesses matter.
TortureCase with_long_transfers(const Draws& draws, TortureCase torture) {
    static const std::vector<std::string> rates{"100", "150", "300", "600", "1600"};
    static const std::vector<std::string> sectors{"100", "300", "600"};
    give(torture.settings, {"dram.size=\"64MiB\"", "dram.data_rate_mt_per_s=" + draws.pick("rate", rates),
                            "firmware.read_segment=\"128KiB\"", "firmware.write_segment=\"128KiB\""});
    give(torture.load, {"compare=true"});
    std::erase_if(torture.load, [](const std::string& item) { return item.starts_with("max_sectors="); });
    torture.workload = {"mix", fmt::format("reads={}", 10 + draws.below("reads", 80)),
                        "sectors=" + draws.pick("sectors", sectors), "trims=1"};
    return torture;
}

/// An SLC cache of few superblocks, which is filled, folded during pauses and overwritten, by all writes or
/// by short ones. Past the cache single pages are programmed, or word lines as a whole.
TortureCase with_slc_cache(const Draws& draws, TortureCase torture) {
    static const std::vector<std::string> cells{"mlc", "tlc", "qlc"};
    static const std::vector<std::string> sizes{"1", "\"64KiB\"", "\"256KiB\""};
    static const std::vector<std::string> when_full{"bypass", "fold"};
    static const std::vector<std::string> modes{"static", "dynamic", "dynamic", "hybrid"};
    static const std::vector<std::string> shares{"0.1", "0.3", "0.5", "1"};
    static const std::vector<std::string> larger{"\"512KiB\"", "\"2MiB\"", "\"64MiB\""};
    static const std::vector<std::string> lengths{"512", "\"4KiB\"", "\"16KiB\"", "\"64KiB\""};
    const std::uint64_t bits = 2 + draws.below("cell", cells.size());
    give(torture.settings,
         {"nand.cell=\"" + cells[bits - 2] + '"',
          fmt::format("nand.geometry.pages={}", bits * (1 + draws.below("word lines", 6))),
          fmt::format("nand.geometry.blocks={}", 16 + draws.below("blocks", 20)), "nand.timing.read=\"40us\"",
          "nand.timing.program=\"600us\"", "nand.slc.read=\"20us\"", "nand.slc.program=\"150us\"",
          "firmware.slc_cache.full=\"" + draws.pick("full", when_full) + '"',
          "firmware.slc_cache.largest_write=" +
              (draws.chance("by length", 0.5) ? draws.pick("length", lengths) : "0"),
          fmt::format("firmware.slc_cache.fold_below={}", draws.below("fold below", 2)),
          fmt::format("firmware.slc_cache.fold_when_idle={}", draws.chance("fold when idle", 0.75)),
          fmt::format("firmware.slc_cache.copy_back={}", draws.chance("copy back", 0.5)),
          "firmware.translation=\"page_map\"", "firmware.dedup.system=\"none\"",
          "firmware.reliability.parity_dies=0", "firmware.allocation.striping=\"full\"",
          "ssd.over_provisioning=0.6"});
    if (draws.chance("at once", 0.4)) {
        give(torture.settings, {"nand.programming=\"one_shot\"", "firmware.gc.copy_back=false"});
    } else if (bits > 2 && draws.chance("padded", 0.4)) {  // pages of mlc do not follow each other
        give(torture.settings, {"nand.programming=\"page\"", "nand.power_cut=\"word_line\"",
                                "firmware.word_lines.protect=\"pad\"", "firmware.gc.copy_back=false"});
    }
    const std::string& mode = draws.pick("mode", modes);
    give(torture.settings, {"firmware.slc_cache.mode=\"" + mode + '"'});
    if (mode == "static") {
        give(torture.settings, {"firmware.slc_cache.size=" + draws.pick("size", sizes)});
    } else {
        give(torture.settings, {"firmware.slc_cache.size=" + draws.pick("larger size", larger),
                                "firmware.slc_cache.share=" + draws.pick("share", shares)});
    }
    if (mode == "hybrid") {
        give(torture.settings, {"firmware.slc_cache.static_size=" + draws.pick("static size", sizes)});
    }
    if (mode == "dynamic") {  // a dynamic cache takes nothing from the capacity
        give(torture.settings,
             {fmt::format("ssd.over_provisioning={}", draws.chance("spare", 0.5) ? "0.6" : "0.35")});
    }
    give(torture.load, {"pauses=0.1"});
    if (draws.chance("copies", 0.3)) {  // of lower pages, in normal mode
        return with_if_legal(
            torture, {"nand.programming=\"page\"", "nand.power_cut=\"word_line\"",
                      "firmware.word_lines.protect=\"backup\"", "firmware.gc.copy_back=false",
                      "firmware.slc_cache.copy_back=false", "ssd.over_provisioning=0.7",
                      fmt::format("nand.geometry.blocks={}", 28 + draws.below("blocks for copies", 20))});
    }
    return torture;
}

/// Flash that programs pages, where a power cut destroys earlier pages of their word line, and a drive that
/// has a capacitor or copies them.
TortureCase with_paired_pages(const Draws& draws, TortureCase torture) {
    static const std::vector<std::string> cells{"mlc", "tlc", "qlc"};
    const std::uint64_t bits = 2 + draws.below("cell", cells.size());
    give(torture.settings,
         {"nand.programming=\"page\"", "nand.power_cut=\"word_line\"", "nand.cell=\"" + cells[bits - 2] + '"',
          fmt::format("nand.geometry.pages={}", bits * (2 + draws.below("word lines", 6))),
          "nand.timing.read=\"40us\"", "nand.timing.program=\"600us\"", "firmware.translation=\"page_map\"",
          "firmware.word_lines.protect=\"capacitor\""});
    if (draws.chance("durable", 0.8)) {  // what was promised lies in earlier pages
        std::erase(torture.settings, "content=\"none\"");
        torture.precondition.clear();
        torture.workload = {"mix",
                            "reads=3",
                            "writes=40",
                            fmt::format("flushes={}", 5 + draws.below("flushes", 20)),
                            fmt::format("trims={}", draws.below("trims", 3)),
                            fmt::format("sectors={}", 8U << draws.below("sectors", 5))};
    }
    if (draws.chance("copies", 0.8)) {
        torture = with_if_legal(torture,
                                {"firmware.word_lines.protect=\"backup\"", "firmware.gc.copy_back=false",
                                 "firmware.slc_cache.copy_back=false", "firmware.reliability.parity_dies=0",
                                 "nand.slc.read=\"20us\"", "nand.slc.program=\"150us\"",
                                 fmt::format("nand.geometry.blocks={}", 24 + draws.below("blocks", 20)),
                                 "ssd.over_provisioning=0.7"});
    }
    // Few word lines, if a drive may have so few: a cut may take all pages of a block.
    const bool fewest = draws.chance("fewest word lines", 0.8);
    for (std::uint64_t lines = 2; fewest && lines > 0; --lines) {
        torture = with_if_legal(torture, {fmt::format("nand.geometry.pages={}", lines * bits)});
    }
    return torture;
}

/// A recovery log with trims and checkpoints at short intervals. Programs of unequal length on several dies
/// do not end in the order in which they began, so a checkpoint waits while further trims are noted. All
/// drawn settings are replaced.
TortureCase with_recovery_log(const Draws& draws, TortureCase torture) {
    static const std::vector<std::string> slower{"2ms", "5ms"};
    torture.settings = {
        "nand.timing.program=[\"50us\", \"" + draws.pick("slower", slower) + "\"]",
        fmt::format("nand.geometry.channels={}", 2U << draws.below("channels", 2)),
        "nand.geometry.dies=2",
        fmt::format("firmware.allocation.programs_per_die={}", 1 + draws.below("programs", 5)),
        "firmware.trim.persist=\"journal\"",
        "firmware.recovery.checkpoint_interval=\"64KiB\"",
        "ssd.over_provisioning=0.7"};
    torture.workload = {"mix", fmt::format("writes={}", 20 + draws.below("writes", 60)),
                        fmt::format("units={}", draws.chance("units", 0.5)),
                        fmt::format("trims={}", 5 + draws.below("trims", 30))};
    return torture;
}

/// Word lines that are written as a whole, at once or page by page, with or without a map or a log
/// in SLC mode.
TortureCase with_word_lines(const Draws& draws, TortureCase torture) {
    static const std::vector<std::string> cells{"mlc", "tlc", "qlc"};
    static const std::vector<std::string> maps{"full_table", "dftl", "tpftl", "full_page"};
    static const std::vector<std::string> trims{"lazy", "journal", "immediate"};
    std::uint64_t bits = 2 + draws.below("cell", cells.size());
    std::uint64_t dies = 0;  // under one parity
    give(torture.settings, {"nand.timing.program=\"900us\""});
    if (draws.chance("at once", 0.5)) {
        give(torture.settings, {"nand.programming=\"one_shot\""});
        if (draws.chance("parity", 0.5)) {
            dies = 2 + draws.below("dies", 2);
            give(torture.settings,
                 {fmt::format("nand.geometry.channels={}", dies), "nand.geometry.planes=2"});
        }
    } else {
        bits = std::max<std::uint64_t>(bits, 3);  // pages of mlc do not follow each other
        give(torture.settings, {"nand.programming=\"page\"", "nand.power_cut=\"word_line\"",
                                "firmware.word_lines.protect=\"pad\""});
    }
    give(torture.settings,
         {"nand.cell=\"" + cells[bits - 2] + '"',
          fmt::format("nand.geometry.pages={}", bits * (2 + draws.below("word lines", 6))),
          fmt::format("nand.geometry.blocks={}", 16 + draws.below("blocks", 20)), "nand.timing.read=\"40us\"",
          "nand.slc.read=\"20us\"", "nand.slc.program=\"150us\"", "firmware.translation=\"page_map\"",
          "firmware.slc_cache.mode=\"none\"", fmt::format("firmware.reliability.parity_dies={}", dies),
          "firmware.gc.copy_back=false", "firmware.map_cache.policy=\"" + draws.pick("map", maps) + '"',
          "firmware.trim.persist=\"" + draws.pick("trim", trims) + '"', "firmware.write_buffer.size=\"1MiB\"",
          "ssd.over_provisioning=0.7"});
    return torture;
}

/// Most writes go to few addresses of a full drive, on sound flash and without power cuts: wear levelling has
/// much to do, and erase counts, which a boot takes from flash, last.
TortureCase with_hot_data(const Draws& draws, TortureCase torture) {
    give(torture.settings,
         {fmt::format("firmware.wear.static_threshold={}", 1 + draws.below("threshold", 6)),
          fmt::format("firmware.wear.dynamic={}", draws.chance("dynamic", 0.5)),
          "firmware.translation=\"page_map\"", "faults.script=\"\"", "faults.program_failure=0",
          "faults.erase_failure=0", "faults.bit_errors=false", "faults.lifetime.cycles=0",
          "nand.rules.endurance_cycles=0",
          fmt::format("nand.geometry.blocks={}", 16 + draws.below("blocks", 16)),
          fmt::format("nand.geometry.pages={}", 8 + draws.below("pages", 9)),
          fmt::format("ssd.over_provisioning={}", draws.chance("tight", 0.5) ? "0.3" : "0.6")});
    torture.precondition = {"fill=1", "random=0"};
    torture.load.front() = fmt::format("requests={}", 1000 + draws.below("requests", 2000));
    torture.workload = {"mix",
                        "reads=5",
                        fmt::format("writes={}", 20 + draws.below("writes", 40)),
                        fmt::format("trims={}", draws.below("trims", 3)),
                        fmt::format("ranges={}", 1 + draws.below("ranges", 2)),
                        fmt::format("range_sectors={}", 64U << draws.below("range sectors", 3))};
    return torture;
}

/// Layers that merge blocks, which go with few other settings. All drawn settings are replaced.
TortureCase with_merged_blocks(const Draws& draws, TortureCase torture) {
    std::vector<std::string_view> layers;
    for (const fw::TranslationLayer* layer : fw::translation_layers()) {
        layers.push_back(layer->name);
    }
    torture.settings = {fmt::format("firmware.translation=\"{}\"", draws.pick_by_name("layer", layers)),
                        "firmware.unit=\"4KiB\"",
                        "nand.geometry.page_size=\"4KiB\"",
                        fmt::format("nand.geometry.channels={}", 1 + draws.below("channels", 3)),
                        fmt::format("nand.geometry.dies={}", 1 + draws.below("dies", 2)),
                        fmt::format("nand.geometry.blocks={}", 16 + draws.below("blocks", 25)),
                        fmt::format("nand.geometry.pages={}", 2 + draws.below("pages", 30)),
                        fmt::format("ssd.over_provisioning={}", draws.chance("tight", 0.5) ? "0.5" : "0.8")};
    return torture;
}

/// A combination, and how many of the drives get it that have got none before it.
struct Combination {
    std::string_view name;
    DrawnCase::Focus focus;
    TortureCase (*with)(const Draws&, TortureCase);
    double share;
    /// Drives that get it with another share; null: none.
    bool (*special)(const platform::Configuration&) = nullptr;
    double special_share = 0.0;
};

bool deduplicates(const platform::Configuration& drive) {
    return drive.firmware.dedup.any();
}

constexpr std::array<Combination, 9> kCombinations{
    {{"paired pages", DrawnCase::Focus::paired_pages, with_paired_pages, 0.3, deduplicates, 0.0},
     {"shared pages", DrawnCase::Focus::shared_pages, with_shared_pages, 0.3, deduplicates, 0.6},
     {"long transfers", DrawnCase::Focus::long_transfers, with_long_transfers, 0.1},
     {"lost pages", DrawnCase::Focus::lost_pages, with_lost_pages, 0.12},
     {"recovery log", DrawnCase::Focus::recovery_log, with_recovery_log, 0.12},
     {"slc cache", DrawnCase::Focus::slc_cache, with_slc_cache, 0.2},
     {"word lines", DrawnCase::Focus::word_lines, with_word_lines, 0.2},
     {"hot data", DrawnCase::Focus::hot_data, with_hot_data, 0.1},
     {"merged blocks", DrawnCase::Focus::merged_blocks, with_merged_blocks, 0.3}}};

}  // namespace

void draw_focus(const Draws& draws, const std::vector<std::string>& pinned, DrawnCase& drawn) {
    if (!pinned.empty()) {
        return;
    }
    const platform::Configuration drive = configuration_of(drawn.torture.preset, drawn.torture.settings);
    const auto wanted = std::ranges::find_if(kCombinations, [&](const Combination& each) {
        const bool special = each.special != nullptr && each.special(drive);
        return draws.in(each.name).chance("wanted", special ? each.special_share : each.share);
    });
    if (wanted == kCombinations.end()) {
        return;
    }
    TortureCase torture = wanted->with(draws.in(wanted->name), drawn.torture);
    if (legal(torture) && fits(torture)) {
        drawn.torture = std::move(torture);
        drawn.focus = wanted->focus;
    }
}

}  // namespace solidtlm::testbench
