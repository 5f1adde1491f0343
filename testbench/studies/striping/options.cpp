// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/striping/options.h"

#include <algorithm>
#include <bit>

#include "testbench/studies/parts/options.h"
#include "testbench/workload/units.h"

namespace solidtlm::testbench::striping {
namespace {

constexpr std::uint64_t kLargestRequest = 1U << 20U;

/// A power of two, so that requests fall on whole pages or whole parts of a page.
std::uint32_t size_of(const char* name, const std::string& text, std::uint64_t least,
                      std::vector<std::string>& errors) {
    const auto bytes = parse_size(text);
    if (!bytes || !std::has_single_bit(*bytes) || *bytes < least || *bytes > kLargestRequest) {
        errors.push_back(std::string(name) + ": found " + text + "; allowed: a power of two from " +
                         std::to_string(least) + " (firmware.unit) to 1MiB, " + std::string(kSizeExample));
        return static_cast<std::uint32_t>(least);
    }
    return static_cast<std::uint32_t>(*bytes);
}

}  // namespace

void Options::add_to(CLI::App& app) {
    app.add_option("--study", study, "sweep, or jasmine: the board with published numbers")
        ->check(one_of({"sweep", "jasmine"}))
        ->capture_default_str()
        ->group(kSweepGroup);
    constexpr std::uint64_t kMost = 64;
    add_list(app, "--channels", sweep.channels, "Numbers of channels")->check(whole_number(1, kMost));
    add_list(app, "--dies", sweep.dies, "Numbers of dies a channel")->check(whole_number(1, kMost));
    add_list(app, "--orders", sweep.orders, "Striping orders, first letter varies fastest")
        ->check(permutation_of_cwdp());
    add_list(app, "--striping", sweep.striping, "full, none")->check(one_of({"full", "none"}));
    add_list(app, "--allocation", sweep.allocation, "static, dynamic")->check(one_of({"static", "dynamic"}));
    add_list(app, "--patterns", sweep.patterns, "sequential, random")
        ->check(one_of({"sequential", "random"}));
    add_list(app, "--operations", sweep.operations, "read, write")->check(one_of({"read", "write"}));
    app.add_option("--size", size, "Bytes of a sequential request; 128k if not given")->group(kSweepGroup);
    app.add_option("--random-size", random_size,
                   "Bytes of a random request; 4k or firmware.unit if not given")
        ->group(kSweepGroup);
    app.add_option("--requests", requests,
                   "Requests measured at a point; 1500 sequential, 12000 random ones if not given")
        ->check(whole_number(100, 10'000'000))
        ->group(kSweepGroup);
    app.add_flag("--details", details, "A line for every point, also of a large sweep")->group(kSweepGroup);
}

std::vector<std::string> Options::check(const CommandLine& line) {
    std::vector<std::string> errors;
    if (line.precondition || line.warm_up != 0) {
        errors.emplace_back(
            "--precondition and --warm-up: tb_striping fills the device and warms it up itself");
    }
    if (!line.traces.empty() || !line.workload.empty()) {
        errors.emplace_back("--trace and --workload: tb_striping makes its own requests; use tb_replay");
    }
    check_once("--channels", sweep.channels, errors);
    check_once("--dies", sweep.dies, errors);
    check_once("--orders", sweep.orders, errors);
    check_once("--striping", sweep.striping, errors);
    check_once("--allocation", sweep.allocation, errors);
    check_once("--patterns", sweep.patterns, errors);
    check_once("--operations", sweep.operations, errors);
    // Smaller writes would have to read what they do not cover, which is another study.
    const std::uint64_t unit = line.configuration.firmware.unit_bytes;
    if (!size.empty()) {
        sweep.sequential_bytes = size_of("--size", size, unit, errors);
    }
    sweep.random_bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(sweep.random_bytes, unit));
    if (!random_size.empty()) {
        sweep.random_bytes = size_of("--random-size", random_size, unit, errors);
    }
    sweep.depth = line.queue_depth.value_or(line.configuration.sata.queue_depth);
    return errors;
}

std::uint64_t Options::requests_for(const Stream& stream) const {
    return requests != 0 ? requests : stream.sequential ? kSequentialRequests : kRandomRequests;
}

}  // namespace solidtlm::testbench::striping
