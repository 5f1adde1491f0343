// SPDX-License-Identifier: Apache-2.0
//
// The text form of a workload: a table of keys, then checks that need several of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "testbench/workload/size_picker.h"
#include "testbench/workload/study_models.h"
#include "testbench/workload/suggest.h"
#include "testbench/workload/units.h"
#include "testbench/workload/workload.h"

namespace solidtlm::testbench {
namespace {

constexpr double kLongestSeconds = 9e6;  ///< what an arrival in picoseconds can hold
constexpr std::uint64_t kDefaultCount = 100'000;
constexpr std::uint64_t kLongestTrim = std::numeric_limits<std::uint32_t>::max();
constexpr std::array<std::string_view, 10> kPatterns{"sequential", "random",        "zipf",   "hotcold",
                                                     "pc",         "tpcc_a",        "tpcc_b", "financial",
                                                     "iozone",     "pc_application"};
constexpr std::array<std::string_view, 3> kArrivals{"none", "fixed", "exponential"};

struct Parsed {
    WorkloadConfig config;
    std::uint64_t device_sectors = 0;
    bool has_align = false;
    bool has_arrival = false;
};

std::optional<std::uint64_t> parse_sectors(std::string_view text) {
    const auto bytes = parse_size(text);
    if (!bytes || *bytes % hal::kSectorBytes != 0) {
        return std::nullopt;
    }
    return *bytes / hal::kSectorBytes;
}

/// Keeps what `parsed` holds; false when it holds nothing.
template <class Value, class Target>
bool keep(const std::optional<Value>& parsed, Target& target) {
    if (parsed) {
        target = static_cast<Target>(*parsed);
    }
    return parsed.has_value();
}

template <std::size_t N, class Enum>
bool keep_name(std::string_view text, const std::array<std::string_view, N>& names, Enum& target) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found != names.end()) {
        target = static_cast<Enum>(found - names.begin());
    }
    return found != names.end();
}

/// "4k" or "4k:3/64k:1": sizes with weights.
bool set_sizes(std::string_view text, std::vector<SizeShare>& sizes) {
    sizes.clear();
    while (true) {
        const std::size_t slash = text.find('/');
        const std::string_view item = text.substr(0, slash);
        const std::size_t colon = item.find(':');
        const auto sectors = parse_sectors(item.substr(0, colon));
        const auto weight =
            colon == std::string_view::npos ? std::optional(1.0) : parse_real(item.substr(colon + 1));
        if (!sectors || *sectors == 0 || !weight || *weight <= 0) {
            return false;
        }
        sizes.push_back({*sectors, *weight});
        if (slash == std::string_view::npos) {
            return true;
        }
        text.remove_prefix(slash + 1);
    }
}

/// A position of the range: bytes, or a percentage of the device.
std::optional<std::uint64_t> parse_position(std::string_view text, std::uint64_t device_sectors) {
    if (text.empty() || text.back() != '%') {
        return parse_sectors(text);
    }
    const auto share = parse_share(text);
    return share ? std::optional(static_cast<std::uint64_t>(*share * static_cast<double>(device_sectors)))
                 : std::nullopt;
}

bool set_range(std::string_view text, Parsed& parsed) {
    const std::size_t dash = text.find('-');
    if (dash == std::string_view::npos) {
        return false;
    }
    return keep(parse_position(text.substr(0, dash), parsed.device_sectors), parsed.config.first_sector) &&
           keep(parse_position(text.substr(dash + 1), parsed.device_sectors), parsed.config.end_sector);
}

bool set_yes_no(std::string_view text, bool& target) {
    target = text == "yes" || text == "true" || text == "1";
    return target || text == "no" || text == "false" || text == "0";
}

bool set_interval(std::string_view text, WorkloadConfig& config) {
    const auto interval = parse_duration(text);
    if (!interval || interval->count() == 0) {
        return false;
    }
    config.rate = 1 / std::chrono::duration<double>(*interval).count();
    return true;
}

/// Patterns that know a key, a bit each.
using Scope = std::uint32_t;
constexpr Scope bit(Pattern pattern) {
    return Scope{1} << static_cast<std::uint32_t>(pattern);
}
constexpr Scope kAll = ~Scope{0};
constexpr Scope kGeneric = bit(Pattern::pc) - 1;
constexpr Scope kStudies = ~kGeneric;
constexpr Scope kTpcc = bit(Pattern::tpcc_a) | bit(Pattern::tpcc_b);

struct Key {
    std::string_view name;
    Scope scope;
    std::string_view expected;
    std::string_view help;
    bool (*set)(std::string_view value, Parsed& parsed);
};

constexpr std::string_view kScaleOfDevice = "device";
constexpr std::string_view kShare = "a share such as 0.3 or 30%";
constexpr std::string_view kSizes =
    "sizes in multiples of 512 bytes, with weights if several: 4k or 4k:3/64k:1";

using View = std::string_view;
constexpr std::array kKeys{
    Key{"pattern", kAll,
        "sequential, random, zipf, hotcold, or a study's workload: pc, tpcc_a, tpcc_b, financial, iozone, "
        "pc_application",
        "where requests go; may come first without the key; a study has defaults of its own, see "
        "docs/workloads.md",
        [](View v, Parsed& p) { return keep_name(v, kPatterns, p.config.pattern); }},
    Key{"read", kAll, kShare, "reads among reads and writes [1]",
        [](View v, Parsed& p) { return keep(parse_share(v), p.config.read_share); }},
    Key{"size", kAll, kSizes, "length of reads and writes [4KiB]",
        [](View v, Parsed& p) { return set_sizes(v, p.config.sizes); }},
    Key{"align", kGeneric, "a size in multiples of 512 bytes",
        "alignment of every start [4KiB, or the smallest size if less]",
        [](View v, Parsed& p) {
            p.has_align = true;
            return keep(parse_sectors(v), p.config.align_sectors) && p.config.align_sectors > 0;
        }},
    Key{"range", kGeneric, "first-end in bytes or percent of the device: 0-8GiB, 50%-100%",
        "where on the device [all of it]", set_range},
    Key{"fua", kAll, kShare, "FUA among writes [0]",
        [](View v, Parsed& p) { return keep(parse_share(v), p.config.fua_share); }},
    Key{"flush", kAll, "a number of writes", "a flush after so many writes [never]",
        [](View v, Parsed& p) { return keep(parse_count(v), p.config.flush_every); }},
    Key{"trim", kGeneric, kShare, "trims among all requests but flushes [0]",
        [](View v, Parsed& p) { return keep(parse_share(v), p.config.trim_share); }},
    Key{"trim_size", kGeneric, kSizes, "length of trims [4KiB]",
        [](View v, Parsed& p) { return set_sizes(v, p.config.trim_sizes); }},
    Key{"trim_queued", kGeneric, "yes or no",
        "trims as SEND FPDMA QUEUED instead of DATA SET MANAGEMENT [no]",
        [](View v, Parsed& p) { return set_yes_no(v, p.config.queued_trim); }},
    Key{"count", kAll, "a number of requests such as 100000 or 100k",
        "requests in all [100000 if bytes is not given]",
        [](View v, Parsed& p) { return keep(parse_count(v), p.config.count) && p.config.count > 0; }},
    Key{"bytes", kAll, kSizeExample, "stop when so much has been read and written",
        [](View v, Parsed& p) {
            return keep(parse_size(v), p.config.total_bytes) && p.config.total_bytes > 0;
        }},
    Key{"arrival", kAll, "none, fixed or exponential",
        "when requests arrive [none: as fast as possible; fixed with rate]",
        [](View v, Parsed& p) {
            p.has_arrival = true;
            return keep_name(v, kArrivals, p.config.arrivals);
        }},
    Key{"rate", kAll, "requests per second such as 50000 or 50k", "mean arrival rate",
        [](View v, Parsed& p) { return keep(parse_rate(v), p.config.rate); }},
    Key{"interval", kAll, kDurationExample, "mean time between arrivals, instead of rate",
        [](View v, Parsed& p) { return set_interval(v, p.config); }},
    Key{"streams", kGeneric | kTpcc | bit(Pattern::pc_application), "a number of at least 1",
        "sequential: streams in turn, each in its own part of the range [1]",
        [](View v, Parsed& p) { return keep(parse_count(v), p.config.streams) && p.config.streams > 0; }},
    Key{"theta", kGeneric | bit(Pattern::pc) | bit(Pattern::financial), "a number from 0 to 10",
        "zipf: exponent, 0 is uniform [0.99]",
        [](View v, Parsed& p) {
            return keep(parse_real(v), p.config.theta) && p.config.theta >= 0 && p.config.theta <= 10;
        }},
    Key{"hot_space", kGeneric, kShare, "hotcold: share of the range that is hot [0.2]",
        [](View v, Parsed& p) { return keep(parse_share(v), p.config.hot_space); }},
    Key{"hot_access", kGeneric, kShare, "hotcold: share of the requests that go there [0.8]",
        [](View v, Parsed& p) { return keep(parse_share(v), p.config.hot_access); }},
    Key{"scale", kStudies, "a number above 0 up to 1, or device",
        "studies: of addresses, unique data and requests against the published ones; device: what fits it "
        "[1]",
        [](View v, Parsed&) {
            const auto scale = parse_real(v);
            return v == kScaleOfDevice || (scale && *scale > 0 && *scale <= 1);
        }},
    Key{"run", bit(Pattern::pc) | bit(Pattern::pc_application), "a number of at least 1",
        "pc, pc_application: mean requests of a forward run [3.5, 32]",
        [](View v, Parsed& p) { return keep(parse_real(v), p.config.study.run) && p.config.study.run >= 1; }},
    Key{"head", bit(Pattern::pc), kShare, "pc: visits that look at the document's head first [0.5]",
        [](View v, Parsed& p) { return keep(parse_share(v), p.config.study.head); }},
    Key{"density", kTpcc, "a share above 0 such as 0.3 or 30%",
        "tpcc_a, tpcc_b: share of the pages that a sweep writes [0.3]",
        [](View v, Parsed& p) {
            return keep(parse_share(v), p.config.study.density) && p.config.study.density > 0;
        }},
    Key{"small", bit(Pattern::iozone) | bit(Pattern::pc_application), kShare,
        "iozone, pc_application: share of small requests [0.0907, 0.83665]",
        [](View v, Parsed& p) { return keep(parse_share(v), p.config.study.small); }},
    Key{"small_size", bit(Pattern::iozone) | bit(Pattern::pc_application), kSizes,
        "length of small requests [4k:2/8k:1, 4k:0.6/8k:0.25/16k:0.15]",
        [](View v, Parsed& p) { return set_sizes(v, p.config.study.small_sizes); }},
    Key{"reuse", bit(Pattern::pc_application), kShare,
        "pc_application: small requests to a place used before [0.32]",
        [](View v, Parsed& p) { return keep(parse_share(v), p.config.study.reuse); }},
    Key{"file", bit(Pattern::iozone), "a size in multiples of 4 KiB", "iozone: length of a file [128MiB]",
        [](View v, Parsed& p) {
            return keep(parse_sectors(v), p.config.study.file_sectors) && p.config.study.file_sectors > 0 &&
                   p.config.study.file_sectors % kSectorsPerPage == 0;
        }},
    Key{"passes", bit(Pattern::iozone), "a number of at least 1", "iozone: times a file is written [2]",
        [](View v, Parsed& p) {
            return keep(parse_count(v), p.config.study.passes) && p.config.study.passes > 0;
        }},
    Key{"seed", kAll, "a whole number", "of the random numbers [1]",
        [](View v, Parsed& p) { return keep(parse_count(v), p.config.seed); }},
};

std::string_view stripped(std::string_view text) {
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    while (!text.empty() && text.back() == ' ') {
        text.remove_suffix(1);
    }
    return text;
}

std::string in_quotes(std::string_view text) {
    return "'" + std::string(text) + "'";
}

std::string unknown_key(std::string_view key) {
    std::array<std::string_view, kKeys.size()> names{};
    std::transform(kKeys.begin(), kKeys.end(), names.begin(), [](const Key& k) { return k.name; });
    return "unknown key " + in_quotes(key) + did_you_mean(key, names) + "; known keys: " + join_names(names);
}

struct Item {
    std::string_view text;
    std::string_view key;  ///< empty: not of the form key=value
    std::string_view value;
};

/// `key=value`s, or a bare pattern where it comes first.
std::vector<Item> split(std::string_view spec) {
    std::vector<Item> items;
    for (std::string_view rest = spec;;) {
        const std::size_t comma = rest.find(',');
        const std::string_view text = rest.substr(0, comma);
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos) {
            items.push_back({text, stripped(text.substr(0, equals)), stripped(text.substr(equals + 1))});
        } else {
            items.push_back({text, items.empty() ? "pattern" : "", stripped(text)});
        }
        if (comma == std::string_view::npos) {
            return items;
        }
        rest.remove_prefix(comma + 1);
    }
}

std::string_view value_of(const std::vector<Item>& items, std::string_view key) {
    const auto found =
        std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.key == key; });
    return found != items.end() ? found->value : std::string_view{};
}

/// Keys that a pattern knows.
std::string keys_of(Pattern pattern) {
    std::vector<std::string_view> names;
    for (const Key& key : kKeys) {
        if ((key.scope & bit(pattern)) != 0) {
            names.push_back(key.name);
        }
    }
    return join_names(names);
}

/// Returns what is wrong with the item, or nothing.
std::string read_item(const Item& item, Parsed& parsed, std::vector<std::string_view>& seen) {
    const auto& [text, key, value] = item;
    if (key.empty()) {
        return "found " + in_quotes(text) + ", expected key=value";
    }
    const auto known = std::find_if(kKeys.begin(), kKeys.end(),
                                    [&](const Key& known_key) { return known_key.name == item.key; });
    if (known == kKeys.end()) {
        return unknown_key(key);
    }
    const Pattern pattern = parsed.config.pattern;
    if ((known->scope & bit(pattern)) == 0) {
        return std::string(key) + ": not for " + std::string(kPatterns[static_cast<std::size_t>(pattern)]) +
               "; its keys: " + keys_of(pattern);
    }
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
        return std::string(key) + ": given twice";
    }
    seen.push_back(known->name);
    if (known->set(value, parsed)) {
        return {};
    }
    const std::string hint = key == "pattern" ? did_you_mean(value, kPatterns) : std::string{};
    return std::string(key) + ": found " + in_quotes(value) + ", expected " + std::string(known->expected) +
           hint;
}

std::uint64_t smallest(const std::vector<SizeShare>& sizes) {
    return std::min_element(sizes.begin(), sizes.end(),
                            [](const SizeShare& a, const SizeShare& b) { return a.sectors < b.sectors; })
        ->sectors;
}

/// What single keys cannot tell.
class Checks {
  public:
    Checks(const Parsed& parsed, std::vector<std::string>& errors) : parsed_(parsed), errors_(errors) {}

    void run() {
        if (is_study(config().pattern)) {
            check_study();
        } else {
            check_range();
        }
        check_timing();
        if (config().total_bytes > 0 && config().count == 0 && config().trim_share >= 1) {
            errors_.emplace_back("bytes: trims move no data, expected trim below 1 or a count");
        }
        if (config().trim_share > 0 && largest_sectors(config().trim_sizes) > kLongestTrim) {
            errors_.emplace_back("trim_size: expected less than 2 TiB");
        }
    }

  private:
    [[nodiscard]] const WorkloadConfig& config() const { return parsed_.config; }

    void check_range() {
        const std::string range = std::to_string(config().first_sector * hal::kSectorBytes) + "-" +
                                  std::to_string(config().end_sector * hal::kSectorBytes);
        if (config().end_sector > parsed_.device_sectors) {
            errors_.push_back("range: found " + range + ", expected an end within the device of " +
                              std::to_string(parsed_.device_sectors * hal::kSectorBytes) + " bytes");
        }
        if (config().first_sector >= config().end_sector) {
            errors_.push_back("range: found " + range + ", expected first below end");
            return;
        }
        const std::uint64_t places =
            (config().end_sector - config().first_sector) / config().align_sectors / parts();
        std::uint64_t longest = largest_sectors(config().sizes);
        if (config().trim_share > 0) {
            longest = std::max(longest, largest_sectors(config().trim_sizes));
        }
        if (places == 0 || places * config().align_sectors < longest) {
            errors_.push_back("range: found " + range + ", expected room for a request of " +
                              std::to_string(longest * hal::kSectorBytes) + " bytes" +
                              (parts() > 1 ? " in every stream's part" : ""));
        } else if (config().pattern == Pattern::hotcold && places < 2) {
            errors_.push_back("range: found " + range + ", expected room for a hot and a cold part");
        }
    }

    void check_study() {
        const std::uint64_t places = config().end_sector / kSectorsPerTranslationPage;
        const std::uint64_t least =
            (config().pattern == Pattern::tpcc_a || config().pattern == Pattern::tpcc_b)
                ? std::max<std::uint64_t>(2, config().streams)
                : 2;
        if (config().end_sector > parsed_.device_sectors) {
            errors_.push_back("scale: found " + std::to_string(config().study.scale) + ", which needs " +
                              std::to_string(config().end_sector * hal::kSectorBytes) +
                              " bytes, expected addresses within the device of " +
                              std::to_string(parsed_.device_sectors * hal::kSectorBytes) +
                              " bytes, as with scale=device");
        } else if (places < least) {
            errors_.push_back("scale: found " + std::to_string(config().study.scale) +
                              ", expected room for " + std::to_string(least) + " times 4 MiB");
        }
        if (largest_sectors(config().sizes) > kSectorsPerTranslationPage / 4 ||
            largest_sectors(config().study.small_sizes) > kSectorsPerTranslationPage / 4) {
            errors_.emplace_back("size: expected at most 1 MiB in a study's workload");
        }
    }

    [[nodiscard]] std::uint64_t parts() const {
        return config().pattern == Pattern::sequential ? config().streams : 1;
    }

    void check_timing() {
        if (config().arrivals != Arrivals::none && config().rate == 0) {
            errors_.emplace_back("arrival: fixed and exponential arrivals need rate or interval");
        }
        if (config().arrivals == Arrivals::none && config().rate > 0) {
            errors_.emplace_back("arrival: found 'none' together with rate or interval");
        }
        if (config().rate > 0 && static_cast<double>(config().count) / config().rate > kLongestSeconds) {
            errors_.emplace_back("rate: the workload would last longer than 104 days");
        }
    }

    const Parsed& parsed_;
    std::vector<std::string>& errors_;
};

/// Takes the defaults of the study that is the pattern. A scale that cannot be read is reported with its key.
void set_study(std::string_view scale, Parsed& parsed) {
    parsed.config = study_defaults(parsed.config.pattern);
    const double device = static_cast<double>(parsed.device_sectors * hal::kSectorBytes) /
                          static_cast<double>(parsed.config.study.address_bytes);
    const double wanted = scale == kScaleOfDevice ? device : parse_real(scale).value_or(1);
    if (wanted > 0 && wanted < 1) {
        scale_study(parsed.config, wanted);
    }
}

/// Makes the range a whole number of alignment units.
void align_range(WorkloadConfig& config) {
    const std::uint64_t align = config.align_sectors;
    config.first_sector = (config.first_sector + align - 1) / align * align;
    config.end_sector = config.end_sector / align * align;
}

}  // namespace

WorkloadConfig parse_workload(std::string_view spec, std::uint64_t device_sectors) {
    Parsed parsed;
    parsed.device_sectors = device_sectors;
    parsed.config.end_sector = device_sectors;
    const std::vector<Item> items = split(spec);
    // The defaults depend on the pattern, wherever it stands.
    if (keep_name(value_of(items, "pattern"), kPatterns, parsed.config.pattern) &&
        is_study(parsed.config.pattern)) {
        set_study(value_of(items, "scale"), parsed);
    }
    std::vector<std::string> errors;
    std::vector<std::string_view> seen;
    for (const Item& item : items) {
        std::string error = read_item(item, parsed, seen);
        if (!error.empty()) {
            errors.push_back(std::move(error));
        }
    }
    WorkloadConfig& config = parsed.config;
    if (config.count == 0 && config.total_bytes == 0) {
        config.count = is_study(config.pattern) ? config.study.requests : kDefaultCount;
    }
    if (!parsed.has_arrival && config.rate > 0) {
        config.arrivals = Arrivals::fixed;
    }
    if (errors.empty()) {
        if (!parsed.has_align) {
            config.align_sectors = std::min<std::uint64_t>(config.align_sectors, smallest(config.sizes));
        }
        align_range(config);
        Checks(parsed, errors).run();
    }
    if (!errors.empty()) {
        std::string text = "--workload " + in_quotes(spec) + ":";
        for (const std::string& error : errors) {
            text += "\n  " + error;
        }
        throw InputError(text);
    }
    return config;
}

std::string workload_help() {
    std::string text;
    for (const Key& key : kKeys) {
        constexpr std::size_t kIndent = 13;
        std::string name(key.name);
        name.resize(std::max(kIndent, name.size() + 1), ' ');
        text += name + std::string(key.help) + "; " + std::string(key.expected) + "\n";
    }
    return text;
}

}  // namespace solidtlm::testbench
