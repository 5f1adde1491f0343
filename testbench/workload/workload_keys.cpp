// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/workload_keys.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "testbench/workload/study_models.h"
#include "testbench/workload/suggest.h"
#include "testbench/workload/units.h"

namespace solidtlm::testbench {
namespace {

constexpr std::array<std::string_view, 3> kArrivals{"none", "fixed", "exponential"};

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

bool set_range(std::string_view text, ParsedWorkload& parsed) {
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

constexpr std::string_view kShare = "a share such as 0.3 or 30%";
constexpr std::string_view kAtLeastOne = "a number of at least 1";
constexpr std::string_view kExponent = "a number from 0 to 10";

bool set_exponent(std::string_view text, double& target) {
    return keep(parse_real(text), target) && target >= 0 && target <= 10;
}

bool set_mean(std::string_view text, double& target) {
    return keep(parse_real(text), target) && target >= 1;
}

constexpr std::string_view kSizes =
    "sizes in multiples of 512 bytes, with weights if several: 4k or 4k:3/64k:1";

using View = std::string_view;

/// Of the plain patterns or of the studies'.
std::string names(bool of_studies) {
    std::vector<std::string_view> found;
    for (const Pattern* pattern : patterns()) {
        if ((pattern->traits.model != nullptr) == of_studies) {
            found.push_back(pattern->name);
        }
    }
    return join_names(found);
}

bool set_pattern(View name, ParsedWorkload& parsed) {
    const auto found = std::ranges::find(patterns(), name, &Pattern::name);
    if (found != patterns().end()) {
        parsed.config.pattern = name;
    }
    return found != patterns().end();
}

constexpr std::array kKeys{
    WorkloadKey{"pattern", KeyScope::all, "",  // workload_keys() lists them
                "where requests go; may come first without the key; a study has defaults of its own, see "
                "docs/workloads.md",
                set_pattern},
    WorkloadKey{"read", KeyScope::all, kShare, "reads among reads and writes [1]",
                [](View v, ParsedWorkload& p) { return keep(parse_share(v), p.config.read_share); }},
    WorkloadKey{"size", KeyScope::all, kSizes, "length of reads and writes; app_install: of files [4KiB]",
                [](View v, ParsedWorkload& p) { return set_sizes(v, p.config.sizes); }},
    WorkloadKey{"align", KeyScope::plain, "a size in multiples of 512 bytes",
                "alignment of every start [4KiB, or the smallest size if less]",
                [](View v, ParsedWorkload& p) {
                    p.has_align = true;
                    return keep(parse_sectors(v), p.config.align_sectors) && p.config.align_sectors > 0;
                }},
    WorkloadKey{"range", KeyScope::plain, "first-end in bytes or percent of the device: 0-8GiB, 50%-100%",
                "where on the device [all of it]", set_range},
    WorkloadKey{"fua", KeyScope::all, kShare, "FUA among writes [0]",
                [](View v, ParsedWorkload& p) { return keep(parse_share(v), p.config.fua_share); }},
    WorkloadKey{"flush", KeyScope::all, "a number of writes", "a flush after so many writes [never]",
                [](View v, ParsedWorkload& p) { return keep(parse_count(v), p.config.flush_every); }},
    WorkloadKey{"trim", KeyScope::plain, kShare, "trims among all requests but flushes [0]",
                [](View v, ParsedWorkload& p) { return keep(parse_share(v), p.config.trim_share); }},
    WorkloadKey{"trim_size", KeyScope::plain, kSizes, "length of trims [4KiB]",
                [](View v, ParsedWorkload& p) { return set_sizes(v, p.config.trim_sizes); }},
    WorkloadKey{"trim_queued", KeyScope::plain, "yes or no",
                "trims as SEND FPDMA QUEUED instead of DATA SET MANAGEMENT [no]",
                [](View v, ParsedWorkload& p) { return set_yes_no(v, p.config.queued_trim); }},
    WorkloadKey{
        "count", KeyScope::all, "a number of requests such as 100000 or 100k",
        "requests in all [100000 if bytes is not given]",
        [](View v, ParsedWorkload& p) { return keep(parse_count(v), p.config.count) && p.config.count > 0; }},
    WorkloadKey{"bytes", KeyScope::all, kSizeExample, "stop when so much has been read and written",
                [](View v, ParsedWorkload& p) {
                    return keep(parse_size(v), p.config.total_bytes) && p.config.total_bytes > 0;
                }},
    WorkloadKey{"arrival", KeyScope::all, "none, fixed or exponential",
                "when requests arrive [none: as fast as possible; fixed with rate]",
                [](View v, ParsedWorkload& p) {
                    p.has_arrival = true;
                    return keep_name(v, kArrivals, p.config.arrivals);
                }},
    WorkloadKey{"rate", KeyScope::all, "requests per second such as 50000 or 50k", "mean arrival rate",
                [](View v, ParsedWorkload& p) { return keep(parse_rate(v), p.config.rate); }},
    WorkloadKey{"interval", KeyScope::all, kDurationExample, "mean time between arrivals, instead of rate",
                [](View v, ParsedWorkload& p) { return set_interval(v, p.config); }},
    WorkloadKey{"idle", KeyScope::all, kDurationExample,
                "mean pause between bursts, with rate or interval [none]",
                [](View v, ParsedWorkload& p) { return keep(parse_duration(v), p.config.idle); }},
    WorkloadKey{"burst", KeyScope::all, kAtLeastOne, "mean requests of a burst [64]",
                [](View v, ParsedWorkload& p) { return set_mean(v, p.config.burst); }},
    WorkloadKey{
        "duplicates", KeyScope::plain, kShare,
        "blocks of 4 KiB written that repeat what another place holds [0; webvm 0.3, app_install 0.35]",
        [](View v, ParsedWorkload& p) { return keep(parse_share(v), p.config.contents.duplicates); }},
    WorkloadKey{"recency", KeyScope::plain, kExponent,
                "duplicates: of what was written d blocks ago in proportion to d^-recency [1; webvm 0.8]",
                [](View v, ParsedWorkload& p) { return set_exponent(v, p.config.contents.recency); }},
    WorkloadKey{"duplicate_run", KeyScope::plain, kAtLeastOne,
                "duplicates: mean blocks repeated one after another [1; webvm 1.8]",
                [](View v, ParsedWorkload& p) { return set_mean(v, p.config.contents.run); }},
    WorkloadKey{"collisions", KeyScope::plain, kShare,
                "blocks written whose contents come in pairs of equal CRC-32 [0]",
                [](View v, ParsedWorkload& p) { return keep(parse_share(v), p.config.contents.collisions); }},
    WorkloadKey{
        "streams", KeyScope::plain, kAtLeastOne,
        "sequential: streams in turn, each in its own part of the range; app_install: applications [1, 4]",
        [](View v, ParsedWorkload& p) {
            return keep(parse_count(v), p.config.streams) && p.config.streams > 0;
        }},
    WorkloadKey{"theta", KeyScope::plain, kExponent, "zipf: exponent, 0 is uniform [0.99]",
                [](View v, ParsedWorkload& p) { return set_exponent(v, p.config.theta); }},
    WorkloadKey{"hot_space", KeyScope::plain, kShare, "hotcold: share of the range that is hot [0.2]",
                [](View v, ParsedWorkload& p) { return keep(parse_share(v), p.config.hot_space); }},
    WorkloadKey{"hot_access", KeyScope::plain, kShare, "hotcold: share of the requests that go there [0.8]",
                [](View v, ParsedWorkload& p) { return keep(parse_share(v), p.config.hot_access); }},
    WorkloadKey{
        "scale", KeyScope::published, "a number above 0 up to 1, or device",
        "studies: of addresses, unique data and requests against the published ones; device: what fits it "
        "[1]",
        [](View v, ParsedWorkload&) {
            const auto scale = parse_real(v);
            return v == kScaleOfDevice || (scale && *scale > 0 && *scale <= 1);
        }},
    WorkloadKey{"run", KeyScope::named, kAtLeastOne,
                "pc, pc_application, webvm: mean requests of a forward run [3.5, 32, 8]",
                [](View v, ParsedWorkload& p) { return set_mean(v, p.config.study.run); }},
    WorkloadKey{"head", KeyScope::named, kShare, "pc: visits that look at the document's head first [0.5]",
                [](View v, ParsedWorkload& p) { return keep(parse_share(v), p.config.study.head); }},
    WorkloadKey{"density", KeyScope::named, "a share above 0 such as 0.3 or 30%",
                "tpcc_a, tpcc_b: share of the pages that a sweep writes [0.3]",
                [](View v, ParsedWorkload& p) {
                    return keep(parse_share(v), p.config.study.density) && p.config.study.density > 0;
                }},
    WorkloadKey{"small", KeyScope::named, kShare,
                "iozone, pc_application: share of small requests [0.0907, 0.83665]",
                [](View v, ParsedWorkload& p) { return keep(parse_share(v), p.config.study.small); }},
    WorkloadKey{"small_size", KeyScope::named, kSizes,
                "length of small requests [4k:2/8k:1, 4k:0.6/8k:0.25/16k:0.15]",
                [](View v, ParsedWorkload& p) { return set_sizes(v, p.config.study.small_sizes); }},
    WorkloadKey{"reuse", KeyScope::named, kShare,
                "pc_application: small requests to a place used before [0.32]",
                [](View v, ParsedWorkload& p) { return keep(parse_share(v), p.config.study.reuse); }},
    WorkloadKey{"overwrite", KeyScope::named, kShare, "webvm: writes to a place written before [0.925]",
                [](View v, ParsedWorkload& p) { return keep(parse_share(v), p.config.study.overwrite); }},
    WorkloadKey{"file", KeyScope::named, "a size in multiples of 4 KiB", "iozone: length of a file [128MiB]",
                [](View v, ParsedWorkload& p) {
                    return keep(parse_sectors(v), p.config.study.file_sectors) &&
                           p.config.study.file_sectors > 0 &&
                           p.config.study.file_sectors % kSectorsPerPage == 0;
                }},
    WorkloadKey{"passes", KeyScope::named, kAtLeastOne, "iozone: times a file is written [2]",
                [](View v, ParsedWorkload& p) {
                    return keep(parse_count(v), p.config.study.passes) && p.config.study.passes > 0;
                }},
    WorkloadKey{"seed", KeyScope::all, "a whole number", "of the random numbers [1]",
                [](View v, ParsedWorkload& p) { return keep(parse_count(v), p.config.seed); }},
};

}  // namespace

std::span<const WorkloadKey> workload_keys() {
    static const std::string patterns = names(false) + ", or a study's workload: " + names(true) +
                                        ", or a benchmark on a file system: postmark, filebench_delete";
    static const std::array keys = [] {
        std::array all = kKeys;
        all.front().expected = patterns;
        return all;
    }();
    return keys;
}

bool knows(const Pattern& pattern, const WorkloadKey& key) {
    const PatternTraits& traits = pattern.traits;
    return key.scope == KeyScope::all || (key.scope == KeyScope::plain && traits.picker != nullptr) ||
           (key.scope == KeyScope::published && traits.published_addresses) ||
           std::ranges::find(traits.keys, key.name) != traits.keys.end();
}

}  // namespace solidtlm::testbench
