// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/age/bulk_fill.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "fw/needs.h"
#include "platform/lay_down_rules.h"

namespace solidtlm::testbench {
namespace {

struct Rule {
    fw::LayDownRefusal refusal;
    /// `command`: units of a write.
    bool (*applies)(const fw::FirmwareConfig& config, const fw::MediaLayout& layout, std::uint64_t command);
};

/// The host is ahead of the flash by two commands: what one brings is programmed, and its slots are free
/// again, before the third one after it takes slots.
constexpr std::uint64_t kCommandsAhead = 3;

/// Where writes in order do not go around all parallel units, superpage by superpage; where they wait; or
/// where they are counted.
constexpr std::array<Rule, 9> kRules{{
    {{"firmware.allocation.mode", "each parallel unit gathers its superpages"},
     [](const fw::FirmwareConfig& config, const fw::MediaLayout&, std::uint64_t) {
         return config.allocation.mode != fw::AllocationMode::dynamic;
     }},
    {{"firmware.allocation.striping", "one superblock is filled after another"},
     [](const fw::FirmwareConfig& config, const fw::MediaLayout&, std::uint64_t) {
         return config.allocation.striping != fw::StripingMode::full;
     }},
    {{"firmware.write_buffer.policy", "each write is padded to a superpage"},
     [](const fw::FirmwareConfig& config, const fw::MediaLayout&, std::uint64_t) {
         return config.write_buffer.policy != fw::WriteCachePolicy::write_back;
     }},
    {{"sata.write_cache, nvme.write_cache", "each write is padded to a superpage"},
     [](const fw::FirmwareConfig& config, const fw::MediaLayout&, std::uint64_t) {
         return !config.write_cache_enabled;
     }},
    {{"firmware.allocation.programs_per_die", "the flash takes less at once than the host brings"},
     [](const fw::FirmwareConfig& config, const fw::MediaLayout& layout, std::uint64_t command) {
         const std::uint64_t round = std::uint64_t{layout.pus()} * layout.units_per_superpage();
         return round * config.allocation.programs_per_die < (kCommandsAhead + 1) * command;
     }},
    {{"firmware.write_buffer.size", "writes wait for slots"},
     [](const fw::FirmwareConfig& config, const fw::MediaLayout& layout, std::uint64_t command) {
         return config.write_buffer.size_bytes / config.unit_bytes <
                (kCommandsAhead + 1) * command + layout.units_per_superpage();
     }},
    {{"firmware.word_lines.protect", "a program takes several operations, so the host is further ahead"},
     [](const fw::FirmwareConfig& config, const fw::MediaLayout&, std::uint64_t) {
         return config.flash.page_by_page;
     }},
    {{"nand.geometry.planes", "superpages have neither 2^n nor 3 x 2^n units"},
     [](const fw::FirmwareConfig&, const fw::MediaLayout& layout, std::uint64_t) {
         const std::uint32_t superpage = layout.units_per_superpage();
         const std::uint32_t odd = superpage >> std::countr_zero(superpage);
         return odd != 1 && odd != 3;
     }},
    {{"firmware.wear.static_threshold", "the superblocks that the fill programs count"},
     [](const fw::FirmwareConfig& config, const fw::MediaLayout&, std::uint64_t) {
         return config.wear.static_threshold > 0;
     }},
}};

/// The order in which the write buffer hands out its slots repeats after 4, 6 or 10 times the least common
/// multiple of command and superpage, where the superpage has 2^n or 3 x 2^n units.
constexpr std::uint64_t kRepeats = 60;

/// Free superblocks below which collection may begin.
std::uint32_t kept_free(const fw::GcConfig& gc) {
    return std::max(gc.background_threshold, gc.idle_threshold);
}

}  // namespace

std::optional<fw::LayDownRefusal> why_not_filled_in_bulk(const platform::Configuration& configuration,
                                                         std::uint64_t command_sectors) {
    if (const auto refusal = platform::why_not_laid_down(configuration)) {
        return refusal;
    }
    const fw::FirmwareConfig& config = configuration.firmware;
    const fw::MediaLayout layout = fw::media_layout(config);
    const std::uint64_t command = command_sectors / layout.sectors_per_unit();
    const auto rule =
        std::ranges::find_if(kRules, [&](const Rule& each) { return each.applies(config, layout, command); });
    return rule == kRules.end() ? std::nullopt : std::optional(rule->refusal);
}

BulkFill::BulkFill(const platform::Configuration& configuration, Verifier& verifier, std::uint64_t sectors,
                   std::uint64_t command_sectors)
    : layout_(fw::media_layout(configuration.firmware)),
      verifier_(verifier),
      command_sectors_(command_sectors) {
    const std::uint64_t superpage = layout_.units_per_superpage();
    const std::uint64_t round = superpage * layout_.pus();
    const std::uint64_t command = command_sectors / unit_sectors();
    const std::uint64_t step = std::lcm(round, kRepeats * std::lcm(superpage, command));
    const std::uint64_t kept = kept_free(configuration.firmware.gc);
    const std::uint64_t superblocks =
        layout_.superblocks() - std::min<std::uint64_t>(layout_.superblocks(), kept);
    const std::uint64_t all = sectors / unit_sectors();
    units_ = std::min(all, superblocks * layout_.pages() * round) / step * step;
    units_ -= all - units_ < step ? std::min(units_, step) : 0;  // the firmware writes the end
}

bool BulkFill::next(fw::AgedSuperblock& superblock) {
    const std::uint32_t pus = layout_.pus();
    if (next_ == pus * layout_.superblocks()) {
        return false;
    }
    const std::uint32_t number = next_ / pus;
    const std::uint32_t position = next_ % pus;
    ++next_;
    const std::uint32_t superpage = layout_.units_per_superpage();
    const std::uint64_t rounds = units_ / (std::uint64_t{superpage} * pus);
    const std::uint64_t first = std::uint64_t{number} * layout_.pages();
    const auto pages = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(rounds - std::min(rounds, first), layout_.pages()));
    superblock.pu = layout_.stripe(position);
    superblock.superblock = fw::Superblock{number};
    superblock.state = pages == 0                ? fw::BlockState::free
                       : pages < layout_.pages() ? fw::BlockState::open
                                                 : fw::BlockState::closed;
    superblock.sequences.resize(pages);
    superblock.names.resize(std::size_t{pages} * superpage);
    auto name = superblock.names.begin();
    for (std::uint32_t page = 0; page < pages; ++page) {
        const std::uint64_t written = (first + page) * pus + position;  // superpages before this one
        superblock.sequences[page] = written + 1;
        const auto lpn = static_cast<std::uint32_t>(written * superpage);
        for (std::uint32_t unit = 0; unit < superpage; ++unit) {
            *name++ = fw::Lpn{lpn + unit};
        }
    }
    return true;
}

void BulkFill::content(fw::Lpn lpn, std::span<std::byte> unit) {
    const std::uint64_t lba = lpn.value * unit_sectors();
    verifier_.preload(lba / command_sectors_ + 1, static_cast<std::uint32_t>(lba % command_sectors_),
                      hal::Lba{lba}, unit);
}

}  // namespace solidtlm::testbench
