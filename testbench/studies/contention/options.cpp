// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/contention/options.h"

#include <algorithm>

#include "fw/map_cache/cache_policy.h"
#include "testbench/studies/parts/options.h"
#include "testbench/workload/units.h"

namespace solidtlm::testbench::contention {
namespace {

constexpr const char* kWhole = "whole";

/// Policies that miss: all but full_table.
std::vector<std::string> policies() {
    std::vector<std::string> names;
    for (auto policy = fw::MapCachePolicy::full_page; policy <= fw::MapCachePolicy::tpftl;
         policy = static_cast<fw::MapCachePolicy>(static_cast<int>(policy) + 1)) {
        names.emplace_back(fw::policy_name(policy));
    }
    return names;
}

std::vector<std::uint64_t> parsed_caches(const std::vector<std::string>& texts,
                                         std::vector<std::string>& errors) {
    std::vector<std::uint64_t> sizes;
    for (const std::string& text : texts) {
        const auto bytes = parse_size(text);
        if (text != kWhole && (!bytes || *bytes == 0)) {
            errors.push_back("--caches: found " + text + "; allowed: " + kWhole +
                             " (the whole map in DRAM) or " + std::string(kSizeExample));
            continue;
        }
        sizes.push_back(text == kWhole ? kWholeMap : *bytes);
    }
    check_once("--caches", sizes, errors);
    std::ranges::sort(sizes, {}, [](std::uint64_t bytes) { return bytes - 1; });  // kWholeMap last
    return sizes;
}

}  // namespace

void Options::add_to(CLI::App& app) {
    constexpr std::uint64_t kMost = 64;
    constexpr std::uint64_t kMostDepth = 32;
    add_list(app, "--channels", sweep.channels, "Numbers of channels")->check(whole_number(1, kMost));
    for (const std::uint64_t bytes : sweep.caches) {
        caches.push_back(bytes == kWholeMap ? kWhole : cache_name(bytes));
    }
    add_list(app, "--caches", caches, "Sizes of the map cache; whole: the whole map in DRAM");
    add_list(app, "--orders", sweep.orders, "Striping orders, first letter varies fastest")
        ->check(permutation_of_cwdp());
    add_list(app, "--dies", sweep.dies, "Numbers of dies a channel")->check(whole_number(1, kMost));
    add_list(app, "--policies", sweep.policies, "Policies of the map cache")->check(one_of(policies()));
    add_list(app, "--depths", sweep.depths, "Requests outstanding")->check(whole_number(1, kMostDepth));
    app.add_option("--requests", requests, "Requests measured at a point")
        ->check(whole_number(100, 10'000'000))
        ->capture_default_str()
        ->group(kSweepGroup);
    app.add_flag("--details", details, "A line for every point, also of a large sweep")->group(kSweepGroup);
}

std::vector<std::string> Options::check(const CommandLine& line) {
    std::vector<std::string> errors;
    if (!line.traces.empty()) {
        errors.emplace_back("--trace: tb_contention keeps the queue full of a --workload; use tb_replay");
    }
    if (!line.pacing.empty() && line.pacing != "closed") {
        errors.push_back("--pacing: found " + line.pacing + "; allowed: closed");
    }
    if (line.queue_depth) {
        sweep.depths = {*line.queue_depth};
    }
    check_once("--channels", sweep.channels, errors);
    check_once("--orders", sweep.orders, errors);
    check_once("--dies", sweep.dies, errors);
    check_once("--policies", sweep.policies, errors);
    check_once("--depths", sweep.depths, errors);
    sweep.caches = parsed_caches(caches, errors);
    std::ranges::sort(sweep.channels);
    for (const std::uint32_t depth : sweep.depths) {
        if (depth > line.configuration.sata.queue_depth) {
            errors.push_back("--depths: found " + std::to_string(depth) +
                             "; allowed: at most sata.queue_depth, " +
                             std::to_string(line.configuration.sata.queue_depth));
        }
    }
    return errors;
}

Load Options::load_of(const CommandLine& line) const {
    Load load;
    load.workload = line.workload.empty() ? kWorkload : line.workload;
    load.precondition = line.precondition.value_or(parse_preconditioning(kPrecondition));
    load.warm_up = line.warm_up != 0 ? line.warm_up : kWarmUp;
    load.measured = requests;
    return load;
}

}  // namespace solidtlm::testbench::contention
