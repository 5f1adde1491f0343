// SPDX-License-Identifier: Apache-2.0
//
// Cases as users run them: a preset at its real size with its own options, without observers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <vector>

#include "fw/needs.h"
#include "hw/nand/timing.h"
#include "platform/presets.h"
#include "platform/units.h"
#include "testbench/sim/power_cuts.h"
#include "testbench/torture/draw_steps.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kMostMoved = 24ULL << 20U;  // approximate number of bytes that a case's requests move
constexpr std::uint64_t kMostSent = 400;            // most requests of a case
constexpr std::uint64_t kMostScanned = 120'000;     // most rows that all boots of a case scan
// most bytes of flash of an aged drive, which is in memory as a whole
constexpr std::uint64_t kMostAged = 256ULL << 20U;
constexpr std::uint64_t kMostTimedCuts = 20;
// share of cases with a cut if one boot scans more than kMostScanned
constexpr double kCutsOfTheSlowest = 0.1;

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

/// An option and the probability that it is drawn.
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

/// The amount of data that a case's requests move.
struct Work {
    std::uint64_t bytes = 0;
    std::uint64_t requests = 0;
    std::uint64_t depth = 1;
};

std::uint64_t mean_ps(const std::vector<Ps>& times) {
    const Ps sum = std::accumulate(times.begin(), times.end(), Ps{0});
    return static_cast<std::uint64_t>(sum.count()) / times.size();
}

/// Rough times of a drive, used to draw instants that fall into a run.
class Pace {
  public:
    Pace(const platform::Configuration& configuration, const Work& work, bool aged)
        : layout_(fw::media_layout(configuration.firmware)),
          configuration_(configuration),
          work_(work),
          aged_(aged) {}

    /// Rows of superpages that a boot scans: all rows that may hold data, and the first of each superblock.
    [[nodiscard]] std::uint64_t scanned() const {
        const std::uint64_t superblocks = layout_.total_superblocks();
        return aged_ ? superblocks * layout_.pages() * layout_.rows()
                     : superblocks + programs() * layout_.rows();
    }
    /// Time of a boot, ps.
    [[nodiscard]] std::uint64_t boot() const {
        constexpr std::uint64_t kOverhead = 10'000'000;  // commands, status, decoder
        return scanned() * (mean_ps(configuration_.nand.timing.read) + kOverhead) / layout_.pus();
    }
    /// Time of the requests without power cuts, ps; at least 1.
    [[nodiscard]] std::uint64_t requests() const {
        constexpr std::uint64_t kLinkByte = 2'500;
        constexpr std::uint64_t kOverhead = 30'000'000;  // per command
        const hw::NandConfig& nand = configuration_.nand;
        const auto bus_byte = static_cast<std::uint64_t>(hw::make_bus_timing(nand.bus).byte_in_fs) / 1000 /
                              nand.geometry.channels;
        const std::uint64_t program = mean_ps(nand.timing.program);
        const bool through =
            configuration_.firmware.write_buffer.policy == fw::WriteCachePolicy::write_through;
        const std::uint64_t command = kOverhead + mean_ps(nand.timing.read) + (through ? program : 0);
        return 1 + work_.bytes * std::max(kLinkByte, bus_byte) + programs() * program / layout_.pus() +
               work_.requests * command / work_.depth;
    }

  private:
    [[nodiscard]] std::uint64_t programs() const {
        return work_.requests + work_.bytes / layout_.units_per_superpage() / layout_.unit_bytes();
    }

    fw::MediaLayout layout_;
    const platform::Configuration& configuration_;
    Work work_;
    bool aged_;
};

/// Draws the drive's interface, its contents and its client. True: a client of tb_disk uses the drive.
bool draw_surroundings(const Draws& draws, TortureCase& torture) {
    const double which = static_cast<double>(draws.below("client", 1000)) / 1000;
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
        torture.settings = {fmt::format("content=\"{}\"", draws.pick("content", kModes))};
    }
    constexpr double kNvme = 0.25;  // share of the drives without an adapter
    const bool adapter = which >= kDisk && which < kAdapter;
    TortureCase nvme = torture;
    nvme.settings.emplace_back("host.interface=\"nvme\"");
    if (draws.chance("nvme", kNvme) && !adapter && legal(nvme)) {
        torture = std::move(nvme);
    }
    return which < kDisk;
}

/// Flash of the same size that works in another way, if the preset's firmware supports it.
void draw_flash(const Draws& draws, TortureCase& torture) {
    constexpr double kOther = 0.4;
    static constexpr std::array<std::string_view, 3> kCells{"mlc", "tlc", "qlc"};
    const std::size_t bits = 2 + draws.below("cell", kCells.size());
    if (!draws.chance("other", kOther)) {
        return;
    }
    TortureCase other = torture;
    const std::uint32_t pages = configuration_of(torture.preset, {}).nand.geometry.pages;
    give(other.settings, {"nand.timing.program=\"1500us\""});
    if (draws.chance("at once", 0.5)) {
        give(other.settings, {"nand.programming=\"one_shot\""});
    } else {
        give(other.settings, {"nand.programming=\"page\"", "nand.power_cut=\"word_line\"",
                              fmt::format("firmware.word_lines.protect=\"{}\"",
                                          bits > 2 && draws.chance("padded", 0.6) ? "pad" : "capacitor")});
    }
    give(other.settings, {fmt::format("nand.cell=\"{}\"", kCells[bits - 2]),
                          fmt::format("nand.geometry.pages={}", (pages + bits - 1) / bits * bits),
                          "nand.timing.read=\"60us\""});
    if (legal(other) &&
        configuration_of(other.preset, other.settings).nand.power_cut == hw::NandPowerCut::word_line &&
        draws.chance("copies", 0.4)) {
        TortureCase copying = other;
        give(copying.settings, {"firmware.word_lines.protect=\"backup\"", "firmware.gc.copy_back=false",
                                "nand.slc.read=\"25us\"", "nand.slc.program=\"250us\""});
        if (legal(copying)) {
            other = std::move(copying);
        }
    }
    torture = legal(other) ? std::move(other) : torture;
}

/// Planes that read independently, if a die has several.
void draw_planes(const Draws& draws, TortureCase& torture) {
    constexpr double kIndependent = 0.4;
    TortureCase other = torture;
    other.settings.emplace_back("nand.planes.read=\"independent\"");
    if (draws.chance("independent planes", kIndependent) && legal(other)) {
        torture = std::move(other);
    }
}

/// Long writes that go past the SLC cache, if there is one.
void draw_long_writes(const Draws& draws, TortureCase& torture) {
    constexpr double kPast = 0.4;
    constexpr std::array<std::string_view, 3> kLengths{"4KiB", "64KiB", "256KiB"};
    TortureCase other = torture;
    other.settings.push_back(
        fmt::format("firmware.slc_cache.largest_write=\"{}\"", draws.pick("length", kLengths)));
    if (draws.chance("past", kPast) && legal(other) &&
        configuration_of(other.preset, other.settings).firmware.slc_cache.by_length()) {
        torture = std::move(other);
    }
}

/// Packages of different sizes: some dies are absent or smaller, if the preset's firmware supports it.
void draw_dies(const Draws& draws, TortureCase& torture) {
    constexpr double kDiffer = 0.25;
    const hw::NandGeometry nand = configuration_of(torture.preset, torture.settings).nand.geometry;
    if (!draws.chance("differ", kDiffer) || nand.die_places() == 1) {
        return;
    }
    std::vector<std::uint32_t> blocks(nand.die_places(), nand.blocks);
    const std::uint64_t changes = 1 + draws.below("changes", 3);
    for (std::uint64_t i = 0; i < changes; ++i) {
        const Draws change = draws.in("change").nth(i);
        blocks[change.below("die", blocks.size())] =
            change.chance("absent", 0.5) ? 0 : nand.blocks - nand.blocks / 4;
    }
    TortureCase other = torture;
    other.settings.push_back(fmt::format("nand.geometry.die_blocks=\"{}\"", fmt::join(blocks, ", ")));
    if (legal(other)) {
        torture = std::move(other);
    }
}

/// Draws the sizes of requests. Returns their approximate mean in bytes.
std::uint64_t draw_requests(const Draws& draws, TortureCase& torture) {
    constexpr double kMix = 0.3;
    if (draws.chance("mix", kMix)) {
        const std::uint32_t sectors = draws.pick("sectors", kMixSectors);
        torture.workload = {"mix", "fill=false", fmt::format("sectors={}", sectors),
                            fmt::format("reads={}", 5 + draws.below("reads", 90))};
        return std::uint64_t{sectors} * hal::kSectorBytes / 2;
    }
    const Size& size = draws.pick("size", kSizes);
    torture.workload = draw_pattern(draws.in("pattern"));
    constexpr std::string_view kKey = "size=";
    const bool sized =
        std::erase_if(torture.workload, [&](const std::string& item) { return item.starts_with(kKey); }) > 0;
    if (sized) {
        torture.workload.push_back(std::string(kKey).append(size.item));
    }
    return size.mean_bytes;
}

std::string in_words(std::string_view word, std::uint64_t ps) {
    return fmt::format("{} {}", word, platform::format_duration(Ps{static_cast<std::int64_t>(ps)}));
}

/// Draws a number of cuts that keeps the boots short.
void draw_timed_cuts(const Draws& draws, const Work& work, TortureCase& torture) {
    const platform::Configuration configuration = configuration_of(torture.preset, torture.settings);
    const bool adapter = configuration.host.interface == platform::HostInterface::ahci;
    const Pace pace(configuration, work, !torture.precondition.empty());
    const std::uint64_t scanned = pace.scanned();
    const bool slow = scanned > kMostScanned;
    constexpr double kCuts = 0.85;
    const bool cuts = draws.chance("any", slow ? kCutsOfTheSlowest : kCuts);
    if (!cuts || adapter || configuration.firmware.by_block()) {
        return;
    }
    const std::uint64_t room = cuts_with_room(configuration) / 2;
    const std::uint64_t most = std::min({kMostTimedCuts, slow ? 1 : kMostScanned / scanned, room});
    if (most == 0) {
        return;
    }
    const std::uint64_t count = 1 + draws.below("count", most);
    constexpr double kEvery = 0.4;
    if (draws.chance("every", kEvery) && !slow) {  // unbounded number of cuts
        const std::uint64_t every = pace.requests() / count;
        torture.cuts = {in_words("every", 1 + every / 2 + draws.below("period", every + 1))};
        return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        const Draws cut = draws.in("cut").nth(i);
        const std::uint64_t boots = cut.below("boots", i + 1) * pace.boot();
        torture.cuts.push_back(in_words("at", 1 + cut.below("time", pace.requests() + boots)));
    }
}

}  // namespace

DrawnCase draw_real_case(std::uint64_t seed, const std::string& preset) {
    const Draws draws = Draws(seed).in("real");
    DrawnCase drawn;
    drawn.family = Family::real;
    TortureCase& torture = drawn.torture;
    torture.preset =
        preset.empty()
            ? std::string(draws.pick_by_name("preset", platform::presets(), &platform::Preset::name).name)
            : preset;
    const bool disk = draw_surroundings(draws.in("surroundings"), torture);
    draw_flash(draws.in("flash"), torture);
    draw_planes(draws.in("planes"), torture);
    draw_long_writes(draws.in("long writes"), torture);
    draw_dies(draws.in("dies"), torture);
    Work work;
    work.depth =
        draws.chance("usual depth", 0.5) ? draws.pick("depth", kDepths) : 1 + draws.below("other depth", 32);
    for (std::uint32_t tries = 0; tries <= kWorkloadTries; ++tries) {
        work.bytes = draw_requests(draws.in("requests").nth(tries), torture);
        if (tries == kWorkloadTries) {
            torture.workload = {"mix", "fill=false"};
        }
        if (fits(torture)) {
            break;
        }
        ++drawn.redrawn_load;
    }
    work.requests =
        1 + draws.below("count", std::clamp<std::uint64_t>(kMostMoved / work.bytes, 1, kMostSent));
    work.bytes *= work.requests;
    torture.load = {fmt::format("requests={}", work.requests),
                    fmt::format("seed={}", draws.below("seed", 1'000'000)),
                    fmt::format("queue_depth={}", work.depth)};
    if (disk) {
        torture.load.emplace_back("client=disk");
    }
    for (const Option& option : kLoadOptions) {
        const bool given = draws.chance(option.item, option.chance);
        if (TortureCase more = torture; given) {
            more.load.emplace_back(option.item);
            torture = fits(more) ? std::move(more) : torture;
        }
    }
    constexpr double kAged = 0.3;
    if (draws.chance("aged", kAged) &&
        configuration_of(torture.preset, torture.settings).raw_bytes() <= kMostAged) {
        torture.precondition = {"fill=1", "random=0.2"};
    }
    draw_timed_cuts(draws.in("cuts"), work, torture);
    return drawn;
}

}  // namespace solidtlm::testbench
