// SPDX-License-Identifier: Apache-2.0
//
// Cases as users run them: a preset at its real size, its own options, nothing that watches.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "platform/presets.h"
#include "platform/units.h"
#include "testbench/simulation/power_cuts.h"
#include "testbench/torture/draw_steps.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kMostMoved = 24ULL << 20U;  // moved by the requests of a case, about
constexpr std::uint64_t kMostSent = 400;            // of a case
constexpr std::uint64_t kMostScanned = 120'000;     // superpages that all boots of a case look at
constexpr std::uint64_t kMostAged = 256ULL << 20U;  // of flash of a drive that is aged, all in memory
constexpr std::uint64_t kMostTimedCuts = 20;
constexpr double kCutsOfTheSlowest = 0.1;  // share of cases with a cut where one boot scans more than that

/// Rough times of the drives, in ps, from which instants are drawn that fall into a run.
constexpr std::uint64_t kByteTime = 2'500;
constexpr std::uint64_t kCommandTime = 30'000'000;
constexpr std::uint64_t kScanTime = 2'000'000;  // of a superpage

struct Size {
    std::string_view item;
    std::uint64_t mean_bytes;
};
constexpr std::array<Size, 11> kSizes{{{"512", 512},
                                       {"3584", 3'584},
                                       {"4k", 4'096},
                                       {"16k", 16'384},
                                       {"64k", 65'536},
                                       {"100k", 102'400},
                                       {"128k", 131'072},
                                       {"256k", 262'144},
                                       {"512k", 524'288},
                                       {"1m", 1'048'576},
                                       {"512:1/4k:3/128k:2/1m:1", 188'000}}};
constexpr std::array<std::uint32_t, 7> kDepths{1, 1, 2, 4, 8, 16, 32};
constexpr std::array<std::uint32_t, 5> kMixSectors{8, 64, 256, 1024, 2048};

/// Each with its chance.
struct Option {
    std::string_view item;
    double chance;
};
constexpr std::array<Option, 7> kLoadOptions{{{"unqueued=0.2", 0.1},
                                              {"beyond=0.05", 0.05},
                                              {"write_cache=off", 0.1},
                                              {"power_off=1ps", 0.1},
                                              {"questions=0.1", 0.08},
                                              {"uncorrectable=0.1", 0.05},
                                              {"pauses=0.1", 0.1}}};

std::uint64_t superpages(const platform::Configuration& configuration) {
    const hw::NandGeometry& nand = configuration.nand.geometry;
    return std::uint64_t{nand.channels} * nand.dies * nand.blocks;
}

/// What the drive is connected to, and what its contents are. True: a client of tb_disk uses it.
bool draw_surroundings(DrawRandom& random, TortureCase& torture) {
    const double which = static_cast<double>(random() % 1000) / 1000;
    constexpr double kDisk = 0.2;
    constexpr double kAdapter = 0.3;
    constexpr double kContents = 0.6;
    if (which < kAdapter) {
        torture.settings = {"content=\"bytes\""};
        if (which >= kDisk) {
            torture.settings.emplace_back("host.interface=\"ahci\"");
        }
    } else if (which < kContents) {
        static constexpr std::array<std::string_view, 4> kModes{"bytes", "bytes", "tags", "none"};
        torture.settings = {fmt::format("content=\"{}\"", pick(random, kModes))};
    }
    return which < kDisk;
}

/// Bytes of a request, on average, more or less.
std::uint64_t draw_requests(DrawRandom& random, TortureCase& torture) {
    constexpr double kMix = 0.3;
    if (chance(random, kMix)) {
        const std::uint32_t sectors = pick(random, kMixSectors);
        torture.workload = {"mix", "fill=false", fmt::format("sectors={}", sectors),
                            fmt::format("reads={}", 5 + random() % 90)};
        return std::uint64_t{sectors} * hal::kSectorBytes / 2;
    }
    const Size& size = pick(random, kSizes);
    torture.workload = draw_pattern(random);
    constexpr std::string_view kKey = "size=";
    const bool sized =
        std::erase_if(torture.workload, [&](const std::string& item) { return item.starts_with(kKey); }) > 0;
    if (sized) {
        torture.workload.push_back(std::string(kKey).append(size.item));
    }
    return size.mean_bytes;
}

struct Duration {
    std::uint64_t bytes = 0;
    std::uint64_t requests = 0;
    std::uint64_t depth = 1;

    /// Of the requests without power cuts, roughly; at least 1 ps.
    [[nodiscard]] std::uint64_t ps() const {
        return std::max<std::uint64_t>(1, bytes * kByteTime + requests * kCommandTime / depth);
    }
};

std::string in_words(std::string_view word, std::uint64_t ps) {
    return fmt::format("{} {}", word, platform::format_duration(Ps{static_cast<std::int64_t>(ps)}));
}

/// As many as keep the boots short. `run`: of the requests.
void draw_timed_cuts(DrawRandom& random, const Duration& run, TortureCase& torture) {
    const platform::Configuration configuration = configuration_of(torture.preset, torture.settings);
    const bool adapter = configuration.host.interface == platform::HostInterface::ahci;
    const std::uint64_t scanned = superpages(configuration);
    const bool slow = scanned > kMostScanned;
    constexpr double kCuts = 0.85;
    const bool cuts = chance(random, slow ? kCutsOfTheSlowest : kCuts);
    if (!cuts || adapter || configuration.firmware.by_block()) {
        return;
    }
    const std::uint64_t room = cuts_with_room(configuration) / 2;
    const std::uint64_t most = std::min({kMostTimedCuts, slow ? 1 : kMostScanned / scanned, room});
    if (most == 0) {
        return;
    }
    const std::uint64_t count = 1 + random() % most;
    constexpr double kEvery = 0.4;
    if (chance(random, kEvery) && !slow) {  // their number is not known
        const std::uint64_t every = run.ps() / count;
        torture.cuts = {in_words("every", 1 + every / 2 + random() % (every + 1))};
        return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t off_and_boots = i == 0 ? 0 : random() % (i + 1) * scanned * kScanTime;
        torture.cuts.push_back(in_words("at", 1 + random() % (run.ps() + off_and_boots)));
    }
}

}  // namespace

DrawnCase draw_real_case(std::uint64_t seed, const std::string& preset) {
    DrawRandom random(seed);
    DrawnCase drawn;
    drawn.family = Family::real;
    TortureCase& torture = drawn.torture;
    const auto which = random();  // drawn always, so that the rest of a seed does not depend on it
    torture.preset =
        preset.empty() ? std::string(platform::presets()[which % platform::presets().size()].name) : preset;
    const bool disk = draw_surroundings(random, torture);
    Duration run;
    run.depth = chance(random, 0.5) ? pick(random, kDepths) : 1 + random() % 32;
    for (std::uint32_t tries = 0; tries <= kWorkloadTries; ++tries) {
        run.bytes = draw_requests(random, torture);
        if (tries == kWorkloadTries) {
            torture.workload = {"mix", "fill=false"};
        }
        if (fits(torture)) {
            break;
        }
        ++drawn.redrawn_load;
    }
    run.requests = 1 + random() % std::clamp<std::uint64_t>(kMostMoved / run.bytes, 1, kMostSent);
    run.bytes *= run.requests;
    torture.load = {fmt::format("requests={}", run.requests), fmt::format("seed={}", random() % 1'000'000),
                    fmt::format("queue_depth={}", run.depth)};
    if (disk) {
        torture.load.emplace_back("client=disk");
    }
    for (const Option& option : kLoadOptions) {
        const bool given = chance(random, option.chance);
        if (TortureCase more = torture; given) {
            more.load.emplace_back(option.item);
            torture = fits(more) ? std::move(more) : torture;
        }
    }
    constexpr double kAged = 0.3;
    if (chance(random, kAged) &&
        configuration_of(torture.preset, torture.settings).raw_bytes() <= kMostAged) {
        torture.precondition = {"fill=1", "random=0.2"};
    }
    draw_timed_cuts(random, run, torture);
    return drawn;
}

}  // namespace solidtlm::testbench
