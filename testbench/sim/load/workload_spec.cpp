// SPDX-License-Identifier: Apache-2.0
//
// Reads the text form of a workload: keys and values, then checks that need several keys.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

#include "fw/hal/horizon.h"
#include "testbench/sim/load/pattern.h"
#include "testbench/sim/load/size_picker.h"
#include "testbench/sim/load/study_models.h"
#include "testbench/sim/load/workload.h"
#include "testbench/sim/load/workload_keys.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kDefaultCount = 100'000;
constexpr std::uint64_t kLongestTrim = std::numeric_limits<std::uint32_t>::max();

std::uint64_t smallest(const std::vector<SizeShare>& sizes) {
    return std::min_element(sizes.begin(), sizes.end(),
                            [](const SizeShare& a, const SizeShare& b) { return a.sectors < b.sectors; })
        ->sectors;
}

/// Checks that need more than one key.
class Checks {
  public:
    Checks(const ParsedWorkload& parsed, Errors& errors)
        : parsed_(parsed), errors_(errors), traits_(hal::named(patterns(), parsed.config.pattern).traits) {}

    void run() {
        if (traits_.published_addresses) {
            check_study();
        } else {
            check_range();
        }
        if (config().contents.given() || (traits_.model != nullptr && !traits_.published_addresses)) {
            check_blocks();
        }
        check_timing();
        if (config().total_bytes > 0 && config().count == 0 && config().trim_share >= 1) {
            errors_.emplace_back("bytes: trims move no data; allowed: trim below 1 or a count");
        }
        if (config().trim_share > 0 && largest_sectors(config().trim_sizes) > kLongestTrim) {
            errors_.emplace_back("trim_size: allowed: less than 2 TiB");
        }
    }

  private:
    [[nodiscard]] const WorkloadConfig& config() const { return parsed_.config; }

    void check_range() {
        const std::string range = std::to_string(config().first_sector * hal::kSectorBytes) + "-" +
                                  std::to_string(config().end_sector * hal::kSectorBytes);
        if (config().end_sector > parsed_.device_sectors) {
            errors_.push_back("range: found " + range + "; allowed: an end within the device of " +
                              std::to_string(parsed_.device_sectors * hal::kSectorBytes) + " bytes");
        }
        if (config().first_sector >= config().end_sector) {
            errors_.push_back("range: found " + range + "; allowed: first below end");
            return;
        }
        const std::uint64_t places =
            (config().end_sector - config().first_sector) / config().align_sectors / parts();
        std::uint64_t longest = largest_sectors(config().sizes);
        if (config().trim_share > 0) {
            longest = std::max(longest, largest_sectors(config().trim_sizes));
        }
        if (places == 0 || places * config().align_sectors < longest) {
            errors_.push_back("range: found " + range + "; allowed: room for a request of " +
                              std::to_string(longest * hal::kSectorBytes) + " bytes" +
                              (parts() > 1 ? " in every stream's part" : ""));
        } else if (const std::string room = traits_.lacks != nullptr ? traits_.lacks(config()) : "";
                   !room.empty()) {
            errors_.push_back("range: found " + range + "; allowed: room for " + room);
        }
    }

    /// Contents exist only for whole blocks.
    void check_blocks() {
        const auto whole = [](const SizeShare& size) { return size.sectors % kSectorsPerPage == 0; };
        if (!std::all_of(config().sizes.begin(), config().sizes.end(), whole)) {
            errors_.emplace_back("size: contents are given for 4 KiB each; allowed: multiples of 4 KiB");
        }
        if (config().align_sectors % kSectorsPerPage != 0) {
            errors_.emplace_back("align: contents are given for 4 KiB each; allowed: a multiple of 4 KiB");
        }
    }

    void check_study() {
        const std::uint64_t places = config().end_sector / kSectorsPerTranslationPage;
        const std::uint64_t least = std::max<std::uint64_t>(2, parts());
        if (config().end_sector > parsed_.device_sectors) {
            errors_.push_back("scale: found " + std::to_string(config().study.scale) + ", which needs " +
                              std::to_string(config().end_sector * hal::kSectorBytes) +
                              " bytes; allowed: addresses within the device of " +
                              std::to_string(parsed_.device_sectors * hal::kSectorBytes) +
                              " bytes, as with scale=device");
        } else if (places < least) {
            errors_.push_back("scale: found " + std::to_string(config().study.scale) +
                              "; allowed: room for " + std::to_string(least) + " times 4 MiB");
        }
        if (largest_sectors(config().sizes) > kSectorsPerTranslationPage / 4 ||
            largest_sectors(config().study.small_sizes) > kSectorsPerTranslationPage / 4) {
            errors_.emplace_back("size: allowed: at most 1 MiB in a study's workload");
        }
    }

    [[nodiscard]] std::uint64_t parts() const {
        return traits_.parts != nullptr ? traits_.parts(config()) : 1;
    }

    void check_timing() {
        if (config().arrivals != Arrivals::none && config().rate == 0) {
            errors_.emplace_back("arrival: fixed and exponential arrivals need rate or interval");
        }
        if (config().arrivals == Arrivals::none && config().rate > 0) {
            errors_.emplace_back("arrival: found 'none' together with rate or interval");
        }
        if (config().arrivals == Arrivals::none && config().idle > hal::Ps{0}) {
            errors_.emplace_back("idle: pauses between bursts need rate or interval, or an arrival");
        }
        if (mean_seconds(config()) > hal::kHorizonSeconds) {
            errors_.push_back("rate: the workload would last longer than " + std::string(hal::kHorizonText));
        }
    }

    const ParsedWorkload& parsed_;
    Errors& errors_;
    const PatternTraits& traits_;
};

/// If the pattern is a study's, takes the study's defaults. An unreadable scale is reported with its key.
void set_study(std::string_view scale, ParsedWorkload& parsed) {
    const Pattern& pattern = hal::named(patterns(), parsed.config.pattern);
    parsed.config = pattern.traits.defaults();
    parsed.config.pattern = pattern.name;
    if (!pattern.traits.published_addresses) {
        constexpr double kUsed = 0.8;  // share of the file system in use; the rest is free
        parsed.config.end_sector =
            static_cast<std::uint64_t>(static_cast<double>(parsed.device_sectors) * kUsed);
        return;
    }
    const double device = static_cast<double>(parsed.device_sectors * hal::kSectorBytes) /
                          static_cast<double>(parsed.config.study.address_bytes);
    const double asked = scale_kind().read(scale).value_or(1);
    const double wanted = asked > 0 ? asked : device;
    if (wanted < 1) {
        scale_study(parsed.config, wanted);
    }
}

/// Sets what the keys leave open: a rate alone means fixed arrivals; without arrivals there is no default
/// rate and no default pause.
void set_arrivals(const std::vector<SpecItem>& items, WorkloadConfig& config) {
    const auto given = [&](std::string_view key) { return !value_of(items, key).empty(); };
    if (!given("arrival") && config.arrivals == Arrivals::none && config.rate > 0) {
        config.arrivals = Arrivals::fixed;
    }
    if (given("arrival") && config.arrivals == Arrivals::none) {
        if (!given("rate") && !given("interval")) {
            config.rate = 0;
        }
        if (!given("idle")) {
            config.idle = hal::Ps{0};
        }
    }
}

/// Makes the range a whole number of alignment units.
void align_range(WorkloadConfig& config) {
    const std::uint64_t align = config.align_sectors;
    config.first_sector = (config.first_sector + align - 1) / align * align;
    config.end_sector = config.end_sector / align * align;
}

}  // namespace

WorkloadConfig parse_workload(std::string_view spec, std::uint64_t device_sectors, std::string_view option) {
    ParsedWorkload parsed;
    parsed.device_sectors = device_sectors;
    parsed.config.end_sector = device_sectors;
    const std::vector<SpecItem> items = split_spec(spec, "pattern");
    // The pattern decides the defaults, wherever it is in the text.
    const auto pattern = std::ranges::find(patterns(), value_of(items, "pattern"), &Pattern::name);
    if (pattern != patterns().end()) {
        parsed.config.pattern = (*pattern)->name;
    }
    if (pattern != patterns().end() && (*pattern)->traits.model != nullptr) {
        set_study(value_of(items, "scale"), parsed);
    }
    Errors errors;
    const Pattern& known = hal::named(patterns(), parsed.config.pattern);
    const bool has_sizes = known.traits.picker != nullptr && known.traits.defaults != nullptr;
    if (has_sizes) {
        parsed.config = known.traits.defaults();
        parsed.config.pattern = known.name;
        parsed.config.end_sector = device_sectors;
    }
    read_items(items, workload_keys(), parsed, errors, known.name,
               [&known](const WorkloadKey& key) { return knows(known, key); });
    WorkloadConfig& config = parsed.config;
    if (config.count == 0 && config.total_bytes == 0) {
        config.count = config.study.requests > 0 ? config.study.requests : kDefaultCount;
    }
    set_arrivals(items, config);
    if (errors.empty()) {
        if (value_of(items, "align").empty() && !(has_sizes && value_of(items, "size").empty())) {
            config.align_sectors = std::min<std::uint64_t>(config.align_sectors, smallest(config.sizes));
        }
        align_range(config);
        Checks(parsed, errors).run();
    }
    throw_spec_errors(option, errors);
    return config;
}

std::string workload_help() {
    return key_help(workload_keys());
}

}  // namespace solidtlm::testbench
