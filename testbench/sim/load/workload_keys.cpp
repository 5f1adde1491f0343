// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/workload_keys.h"

#include <algorithm>
#include <iterator>

#include "platform/units.h"
#include "testbench/sim/load/study_models.h"

namespace solidtlm::testbench {
namespace {

namespace kinds = platform::kinds;
using platform::Allowed;
using platform::Kind;
using platform::Names;

/// Reads "4k" or "4k:3/64k:1".
std::optional<std::vector<SizeShare>> read_sizes(std::string_view text) {
    const Kind<std::uint64_t> length = kinds::size_in(hal::kSectorBytes, hal::kSectorBytes);
    std::vector<SizeShare> sizes;
    while (true) {
        const std::size_t slash = text.find('/');
        const std::string_view item = text.substr(0, slash);
        const std::size_t colon = item.find(':');
        const auto sectors = length.read(item.substr(0, colon));
        const auto weight = colon == std::string_view::npos ? std::optional(1.0)
                                                            : platform::parse_number(item.substr(colon + 1));
        if (!sectors || !weight || *weight <= 0) {
            return std::nullopt;
        }
        sizes.push_back({*sectors, *weight});
        if (slash == std::string_view::npos) {
            return sizes;
        }
        text.remove_prefix(slash + 1);
    }
}

std::string write_sizes(const std::vector<SizeShare>& sizes) {
    std::string text;
    for (const SizeShare& size : sizes) {
        text += (text.empty() ? "" : "/") + platform::format_size(size.sectors * hal::kSectorBytes) +
                (sizes.size() > 1 ? ":" + platform::format_number(size.weight) : "");
    }
    return text;
}

/// Sizes with weights.
Kind<std::vector<SizeShare>> sizes() {
    return {{platform::ValueType::text, "sizes in multiples of 512 bytes, with weights if several",
             ": 4k or 4k:3/64k:1"},
            read_sizes,
            write_sizes};
}

/// Reads a position of the range: bytes, or a percentage of the device.
std::optional<std::uint64_t> read_position(std::string_view text, std::uint64_t device_sectors) {
    if (!text.ends_with('%')) {
        return kinds::size_in(hal::kSectorBytes, 0).read(text);
    }
    const auto share = platform::parse_share(text);
    return share ? std::optional(static_cast<std::uint64_t>(*share * static_cast<double>(device_sectors)))
                 : std::nullopt;
}

bool set_range(std::string_view text, ParsedWorkload& parsed) {
    const std::size_t dash = std::min(text.find('-'), text.size());
    const auto first = read_position(text.substr(0, dash), parsed.device_sectors);
    const auto end = read_position(text.substr(std::min(dash + 1, text.size())), parsed.device_sectors);
    if (!first || !end) {
        return false;
    }
    parsed.config.first_sector = *first;
    parsed.config.end_sector = *end;
    return true;
}

bool set_interval(std::string_view text, ParsedWorkload& parsed) {
    const auto interval = kinds::duration(hal::Ps{1}).read(text);
    if (interval) {
        parsed.config.rate = 1 / std::chrono::duration<double>(*interval).count();
    }
    return interval.has_value();
}

/// The scale is ignored here, because set_study() has already applied it.
bool set_scale(std::string_view text, ParsedWorkload& /*parsed*/) {
    return scale_kind().read(text).has_value();
}

bool set_pattern(std::string_view name, ParsedWorkload& parsed) {
    const auto found = std::ranges::find(patterns(), name, &Pattern::name);
    if (found != patterns().end()) {
        parsed.config.pattern = name;
    }
    return found != patterns().end();
}

Allowed pattern_names() {
    Names plain;
    Names of_studies;
    for (const Pattern* pattern : patterns()) {
        (pattern->traits.model != nullptr ? of_studies : plain).emplace_back(pattern->name);
    }
    Names all = platform::names_of(patterns());
    std::ranges::move(filesystem_patterns(), std::back_inserter(all));
    return {platform::ValueType::text,
            platform::join_names(plain) + ", or a study's workload: " + platform::join_names(of_studies) +
                ", or a benchmark on a file system: " + platform::join_names(filesystem_patterns()),
            "", all};
}

#define CONFIG(member) SOLIDTLM_FIELD(config.member)

std::vector<WorkloadKey> make_keys() {
    using enum KeyScope;
    constexpr double kSteepest = 10;  ///< largest exponent
    return {
        {{"pattern", pattern_names(), set_pattern,
          "where requests go; may come first without the key; a study has defaults of its own, see "
          "docs/workloads.md",
          "random"},
         all},
        {{"read", CONFIG(read_share), kinds::share(), "reads among reads and writes"}, all},
        {{"size", CONFIG(sizes), sizes(), "length of reads and writes; app_install: of files"}, all},
        {{"align", CONFIG(align_sectors), kinds::size_in(hal::kSectorBytes, hal::kSectorBytes),
          "alignment of every start", "4KiB, or the smallest size if less"},
         plain},
        {{"range",
          {platform::ValueType::text, "first-end in bytes or percent of the device", ": 0-8GiB, 50%-100%"},
          set_range,
          "where on the device",
          "all of it"},
         plain},
        {{"fua", CONFIG(fua_share), kinds::share(), "FUA among writes"}, all},
        {{"flush", CONFIG(flush_every), kinds::integer(), "writes between flushes", "never"}, all},
        {{"trim", CONFIG(trim_share), kinds::share(), "trims among all requests but flushes"}, plain},
        {{"trim_size", CONFIG(trim_sizes), sizes(), "length of trims"}, plain},
        {{"trim_queued", CONFIG(queued_trim), kinds::boolean(),
          "trims as SEND FPDMA QUEUED instead of DATA SET MANAGEMENT"},
         plain},
        {{"count", CONFIG(count), kinds::integer(1), "requests in all", "100000 if bytes is not given"}, all},
        {{"bytes", CONFIG(total_bytes), kinds::size(1), "bytes to read and write in all", "never"}, all},
        {{"arrival", CONFIG(arrivals), kinds::enumerator({"none", "fixed", "exponential"}),
          "when requests arrive", "none: as fast as possible; fixed with rate"},
         all},
        {{"rate", CONFIG(rate), kinds::rate(), "mean arrivals per second", "none"}, all},
        {{"interval", kinds::duration(hal::Ps{1}), set_interval,
          "mean time between arrivals, instead of rate", "none"},
         all},
        {{"idle", CONFIG(idle), kinds::duration(), "mean pause between bursts, with rate or interval",
          "none"},
         all},
        {{"burst", CONFIG(burst), kinds::number(1), "mean requests of a burst"}, all},
        {{"duplicates", CONFIG(contents.duplicates), kinds::share(),
          "written blocks of 4 KiB that repeat the contents of another place",
          "0; webvm 0.3, app_install 0.35"},
         plain},
        {{"recency", CONFIG(contents.recency), kinds::number(0, kSteepest),
          "duplicates: of what was written d blocks ago in proportion to d^-recency", "1; webvm 0.8"},
         plain},
        {{"duplicate_run", CONFIG(contents.run), kinds::number(1),
          "duplicates: mean blocks repeated one after another", "1; webvm 1.8"},
         plain},
        {{"collisions", CONFIG(contents.collisions), kinds::share(),
          "blocks written whose contents come in pairs of equal CRC-32"},
         plain},
        {{"streams", CONFIG(streams), kinds::integer(1),
          "sequential: streams in turn, each in its own part of the range; app_install: applications",
          "1, 4"},
         plain},
        {{"theta", CONFIG(theta), kinds::number(0, kSteepest), "zipf: exponent, 0 is uniform"}, plain},
        {{"hot_space", CONFIG(hot_space), kinds::share(), "hotcold: share of the range that is hot"}, plain},
        {{"hot_access", CONFIG(hot_access), kinds::share(), "hotcold: share of the requests that go there"},
         plain},
        {{"scale", scale_kind(), set_scale,
          "studies: of addresses, unique data and requests against the published ones; device: what fits it",
          "1"},
         published},
        {{"run", CONFIG(study.run), kinds::number(1),
          "pc, pc_application, webvm: mean requests of a forward run", "3.5, 32, 8"},
         named},
        {{"head", CONFIG(study.head), kinds::share(), "pc: visits that look at the document's head first",
          "0.5"},
         named},
        {{"density", CONFIG(study.density),
          kinds::where(
              kinds::share(), [](double share) { return share > 0; }, "above 0"),
          "tpcc_a, tpcc_b: share of the pages that a sweep writes", "0.3"},
         named},
        {{"small", CONFIG(study.small), kinds::share(), "iozone, pc_application: share of small requests",
          "0.0907, 0.83665"},
         named},
        {{"small_size", CONFIG(study.small_sizes), sizes(), "length of small requests",
          "4k:2/8k:1, 4k:0.6/8k:0.25/16k:0.15"},
         named},
        {{"reuse", CONFIG(study.reuse), kinds::share(),
          "pc_application: small requests to a place used before", "0.32"},
         named},
        {{"overwrite", CONFIG(study.overwrite), kinds::share(), "webvm: writes to a place written before",
          "0.925"},
         named},
        {{"file", CONFIG(study.file_sectors),
          kinds::size_in(hal::kSectorBytes, kSectorsPerPage * hal::kSectorBytes, kinds::kUnlimited,
                         kSectorsPerPage * hal::kSectorBytes),
          "iozone: length of a file", "128MiB"},
         named},
        {{"passes", CONFIG(study.passes), kinds::integer(1), "iozone: times a file is written", "2"}, named},
        {{"seed", CONFIG(seed), kinds::integer(), "of the random numbers"}, all},
    };
}

#undef CONFIG

}  // namespace

const std::vector<WorkloadKey>& workload_keys() {
    static const std::vector<WorkloadKey> keys = make_keys();
    return keys;
}

bool knows(const Pattern& pattern, const WorkloadKey& key) {
    const PatternTraits& traits = pattern.traits;
    return key.scope == KeyScope::all || (key.scope == KeyScope::plain && traits.picker != nullptr) ||
           (key.scope == KeyScope::published && traits.published_addresses) ||
           std::ranges::find(traits.keys, key.name) != traits.keys.end();
}

Names filesystem_patterns() {
    return {"postmark", "filebench_delete"};
}

Kind<double> scale_kind() {
    return kinds::or_name(kinds::number_above(0, 1), "device", 0.0);
}

}  // namespace solidtlm::testbench
