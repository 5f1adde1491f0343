// SPDX-License-Identifier: Apache-2.0
//
// What would seldom meet if everything were drawn by itself.
#include <fmt/format.h>

#include <algorithm>

#include "testbench/torture/draw_steps.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {
namespace {

constexpr double kShared = 0.6;     // of drives that deduplicate
constexpr double kTransfers = 0.1;  // of drives that know closed forms
constexpr double kParity = 0.06;    // of all

/// Few contents on a very small drive, shared in pauses and trimmed: virtual blocks go and come back, and
/// collection moves them before that is on flash.
TortureCase with_shared_pages(DrawRandom& random, TortureCase torture) {
    static const std::vector<std::string> thresholds{"0s", "10us", "1ms"};
    give(torture.settings, "firmware.dedup.idle_threshold=\"" + pick(random, thresholds) + '"');
    give(torture.settings, "firmware.gc.policy=\"random\"");
    give(torture.settings, "nand.geometry.channels=1");
    give(torture.settings, "nand.geometry.dies=1");
    give(torture.load, fmt::format("pauses={}", pick(random, std::vector{"0.05", "0.2", "0.5"})));
    torture.workload = {"mix",
                        "repetitive=true",
                        "units=true",
                        "reads=10",
                        fmt::format("trims={}", 2 + random() % 15),
                        fmt::format("flushes={}", random() % 3),
                        fmt::format("sectors={}", 8U << random() % 4),
                        fmt::format("ranges={}", 1 + random() % 40),
                        fmt::format("range_sectors={}", 8U << random() % 6)};
    return torture;
}

/// As small as it can be.
TortureCase made_small(DrawRandom& random, const TortureCase& torture) {
    for (const char* blocks : {"10", "12", "16", "24"}) {
        TortureCase small = torture;
        give(small.settings, std::string("nand.geometry.blocks=") + blocks);
        give(small.settings, chance(random, 0.5) ? "nand.geometry.pages=4" : "nand.geometry.pages=8");
        if (legal(small) && fits(small)) {
            return small;
        }
    }
    return torture;
}

/// Three or four dies under one parity, of which some part fails: all others are needed to rebuild it.
TortureCase with_lost_pages(DrawRandom& random, TortureCase torture) {
    const std::uint64_t dies = 3 + random() % 2;
    give(torture.settings, fmt::format("nand.geometry.channels={}", dies));
    give(torture.settings, fmt::format("firmware.reliability.parity_dies={}", dies));
    give(torture.settings, "nand.geometry.planes=1");
    give(torture.settings, "ssd.over_provisioning=0.7");
    const std::uint64_t channel = random() % dies;
    const std::string script =
        random() % 3 == 0 ? fmt::format("die {}/0 dies at {}us", channel, 1U << random() % 15)
        : random() % 2 == 0
            ? fmt::format("plane {}/0/0 dies at {}us", channel, 1U << random() % 15)
            : fmt::format("page {}/0/0/{}/{} is uncorrectable", channel, random() % 8, random() % 8);
    give(torture.settings, "faults.script=\"" + script + '"');
    return torture;
}

/// Long requests in long segments, which are moved in closed form; a slow DRAM makes its accesses count.
TortureCase with_long_transfers(DrawRandom& random, TortureCase torture) {
    static const std::vector<std::string> rates{"100", "150", "300", "600", "1600"};
    static const std::vector<std::string> sectors{"100", "300", "600"};
    give(torture.settings, "dram.size=\"64MiB\"");
    give(torture.settings, "dram.data_rate_mt_per_s=" + pick(random, rates));
    give(torture.settings, "firmware.read_segment=\"128KiB\"");
    give(torture.settings, "firmware.write_segment=\"128KiB\"");
    give(torture.load, "compare=true");
    std::erase_if(torture.load, [](const std::string& item) { return item.starts_with("max_sectors="); });
    torture.workload = {"mix", fmt::format("reads={}", 10 + random() % 80),
                        "sectors=" + pick(random, sectors), "trims=1"};
    return torture;
}

}  // namespace

void draw_focus(DrawRandom& random, const std::vector<std::string>& pinned, DrawnCase& drawn) {
    const platform::Configuration configuration =
        configuration_of(drawn.torture.preset, drawn.torture.settings);
    using Focus = DrawnCase::Focus;
    const auto take = [&drawn](TortureCase torture, Focus focus) {
        if (legal(torture) && fits(torture)) {
            drawn.torture = std::move(torture);
            drawn.focus = focus;
        }
    };
    if (!pinned.empty()) {
        return;
    }
    if (configuration.firmware.dedup.any() && chance(random, kShared)) {
        take(made_small(random, with_shared_pages(random, drawn.torture)), Focus::shared_pages);
    } else if (configuration.closed_forms && chance(random, kTransfers)) {
        take(with_long_transfers(random, drawn.torture), Focus::long_transfers);
    } else if (chance(random, kParity)) {
        take(with_lost_pages(random, drawn.torture), Focus::lost_pages);
    }
}

}  // namespace solidtlm::testbench
