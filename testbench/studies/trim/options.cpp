// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/trim/options.h"

#include <algorithm>
#include <limits>

#include "testbench/studies/parts/options.h"
#include "testbench/studies/trim/claims.h"
#include "testbench/workload/units.h"

namespace solidtlm::testbench::trim {
namespace {

constexpr std::uint64_t kLargestRange = 1ULL << 30U;

/// In bytes; whole sectors from `least` to `most`.
std::uint64_t size_of(const char* name, const std::string& text, std::uint64_t least, std::uint64_t most,
                      std::vector<std::string>& errors) {
    const auto bytes = parse_size(text);
    if (!bytes || *bytes % hal::kSectorBytes != 0 || *bytes < least || *bytes > most) {
        errors.push_back(std::string(name) + ": found " + text + "; allowed: a multiple of 512 bytes from " +
                         std::to_string(least) + " to " + std::to_string(most) + ", " +
                         std::string(kSizeExample));
        return least;
    }
    return *bytes;
}

}  // namespace

void Options::add_to(CLI::App& app) {
    add_list(app, "--parts", parts, "ranges, filesystem, latency, ageing")
        ->check(one_of({"ranges", "filesystem", "latency", "ageing"}));
    add_list(app, "--drives", drives, "given: as --preset, --config and --set say; or presets")
        ->check(one_of({"given", "jasmine", "default", "enterprise", "agrawal", "tiny"}));
    add_list(app, "--mappings", mappings, "page: whole map in DRAM; cached: dftl; hybrid: fast")
        ->check(one_of({"page", "cached", "hybrid"}));
    add_list(app, "--partials", partials, "Sectors of units trimmed in part: zeroed (RZAT) or kept")
        ->check(one_of({"zeroed", "kept"}));
    add_list(app, "--sizes", sizes, "Sizes of a range");
    add_list(app, "--ranges", ranges, "Numbers of ranges a command")->check(whole_number(1, kStudyRanges));
    add_list(app, "--counts", counts, "Numbers of scattered, aligned ranges of 16 KiB a command")
        ->check(whole_number(1, kStudyRanges));
    add_list(app, "--placements", placements, "contiguous, scattered")
        ->check(one_of({"contiguous", "scattered"}));
    add_list(app, "--starts", starts, "aligned, unaligned")->check(one_of({"aligned", "unaligned"}));
    const auto add = [&app](const char* name, auto& value, const char* text) {
        return app.add_option(name, value, text)->capture_default_str()->group(kSweepGroup);
    };
    add("--region", region, "Written, then trimmed");
    add("--grain", grain, "Ranges that are not aligned begin at odd multiples of it");
    add("--trimmed", trimmed, "Ranges at most at each point of ranges; 256 MiB at most")
        ->check(whole_number(1, 1'000'000));
    app.add_option("--benchmark", benchmarks,
                   "A benchmark on a file system as in tb_replay --workload; may be repeated")
        ->allow_extra_args(false)
        ->capture_default_str()
        ->group(kSweepGroup);
    add_list(app, "--discards", discards, "none, per_extent, batched, queued, fstrim")
        ->check(one_of({"none", "per_extent", "batched", "queued", "fstrim"}));
    add("--reads", reads, "Reads of the latency runs")->check(whole_number(100, 100'000'000));
    add("--interval", interval, "Mean time between two of these reads");
    add_list(app, "--trim-percent", trim_percent, "Shares of TRIMs among the requests of the ageing runs")
        ->check(whole_number(0, 90));
    add("--rounds", rounds, "Times the capacity written while ageing")->check(CLI::Range(0.0, 100.0));
}

std::vector<std::string> Options::check(const CommandLine& line) {
    std::vector<std::string> errors;
    if (line.precondition || line.warm_up != 0 || !line.traces.empty() || !line.workload.empty()) {
        errors.emplace_back(
            "--precondition, --warm-up, --trace, --workload: tb_trim writes its region and makes its "
            "requests "
            "itself; use tb_replay");
    }
    if (line.queue_depth) {
        errors.emplace_back("--queue-depth: each part of tb_trim has its own; see docs/trim.md");
    }
    const std::uint64_t step = size_of("--grain", grain, hal::kSectorBytes, kLargestRange, errors);
    for (const std::string& size : sizes) {
        size_of("--sizes", size, hal::kSectorBytes, kLargestRange, errors);
    }
    constexpr std::uint64_t kSmallestRegion = 1ULL << 20U;
    size_of("--region", region, std::max(step, kSmallestRegion), std::numeric_limits<std::int64_t>::max(),
            errors);
    const auto between = parse_duration(interval);
    if (!between || between->count() <= 0) {
        errors.push_back("--interval: found " + interval + "; allowed: " + std::string(kDurationExample));
    }
    check_once("--parts", parts, errors);
    check_once("--drives", drives, errors);
    check_once("--mappings", mappings, errors);
    check_once("--partials", partials, errors);
    check_once("--sizes", sizes, errors);
    check_once("--ranges", ranges, errors);
    check_once("--counts", counts, errors);
    check_once("--placements", placements, errors);
    check_once("--starts", starts, errors);
    check_once("--discards", discards, errors);
    check_once("--trim-percent", trim_percent, errors);
    return errors;
}

bool Options::has(const std::string& part) const {
    return std::ranges::find(parts, part) != parts.end();
}

std::uint64_t Options::region_bytes() const {
    return *parse_size(region);
}

MixedSource::Load Options::load() const {
    return {region_bytes(), reads, *parse_duration(interval)};
}

std::vector<Shape> Options::shapes() const {
    std::vector<Shape> shapes;
    for (const std::string& placement : placements) {
        for (const std::string& start : starts) {
            for (const std::uint32_t count : ranges) {
                for (const std::string& size : sizes) {
                    shapes.push_back(Shape{*parse_size(size), count, placement == "contiguous",
                                           start == "aligned", *parse_size(grain)});
                }
            }
        }
    }
    for (const std::uint32_t count : counts) {
        const Shape shape{kStudyRangeBytes, count, false, true, *parse_size(grain)};
        const bool known =
            std::ranges::any_of(shapes, [&shape](const Shape& other) { return other == shape; });
        if (!known) {
            shapes.push_back(shape);
        }
    }
    return shapes;
}

}  // namespace solidtlm::testbench::trim
