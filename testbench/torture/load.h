// SPDX-License-Identifier: Apache-2.0
//
// The load of a case, ready to run: its lists read and checked.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/keys.h"
#include "testbench/run/spec.h"
#include "testbench/simulation/event_cutter.h"
#include "testbench/torture/torture_case.h"
#include "testbench/workload/random_mix.h"

namespace solidtlm::testbench {

/// How the host sends the workload's requests.
struct Load {
    std::uint64_t requests = 300;
    std::uint32_t queue_depth = 32;
    std::uint32_t max_sectors = 2560;  ///< of one command
    double unqueued = 0;               ///< share of reads, writes and trims
    double beyond = 0;                 ///< share of reads, writes and trims that leave the device
    std::string client = "host";       ///< the sender of requests: the host itself, or a client of tb_disk
    std::string write_cache = "as_it_is";  ///< SET FEATURES at the start
    bool error_log_by_dma = false;         ///< READ LOG DMA EXT after an error of a queued command
    double questions = 0;                  ///< share of commands after which SMART or a log is asked for
    double uncorrectable = 0;              ///< of writes and trims after which sectors are made uncorrectable
    double pauses = 0;                     ///< share of requests before which the host is idle, if it can be
    bool compare = false;            ///< with the same run in step with the kernel, without closed forms
    hal::Ps power_off{100'000'000};  ///< from a cut to the next power-on
    std::uint64_t seed = 1;          ///< of all shares and `mix`
};

/// The workload `mix`: RandomMix and what it writes.
struct Mix {
    RandomMix::Shares shares;
    bool repetitive = false;
};

[[nodiscard]] const std::vector<platform::Key<Load>>& load_keys();
[[nodiscard]] const std::vector<platform::Key<Mix>>& mix_keys();

struct PreparedCase {
    RunSpec run;  ///< without the workload, if it is a mix; power cuts at times, which need no probe
    Load load;
    std::optional<Mix> mix;
    std::vector<EventCut> cuts;  ///< at events, which a probe sees; not both

    [[nodiscard]] bool cuts_power() const { return !cuts.empty() || run.power_cuts.any(); }
    [[nodiscard]] bool by_disk_client() const { return load.client == "disk"; }
};

/// Throws InputError or platform::ConfigurationError if the case is not legal.
[[nodiscard]] PreparedCase prepare(const TortureCase& torture);

/// The preset with these settings. Throws platform::ConfigurationError.
[[nodiscard]] platform::Configuration configuration_of(const std::string& preset,
                                                       const std::vector<std::string>& settings);

/// Classes of requests by their size: each has an upper bound, which is included.
struct SizeClass {
    std::string_view name;
    std::uint64_t most_sectors;
};
inline constexpr std::array<SizeClass, 5> kSizeClasses{{{"512 B - 4 KiB", 8},
                                                        {"- 32 KiB", 64},
                                                        {"- 128 KiB", 256},
                                                        {"- 512 KiB", 1024},
                                                        {"more", ~std::uint64_t{0}}}};

/// Requests sent, by what they are.
struct SentRequests {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t trims = 0;
    std::uint64_t flushes = 0;
    std::uint64_t fua = 0;
    std::uint64_t unqueued = 0;
    std::uint64_t beyond = 0;
    std::uint64_t questions = 0;
    std::uint64_t marks = 0;                                 ///< WRITE UNCORRECTABLE EXT
    std::array<std::uint64_t, kSizeClasses.size()> sizes{};  ///< reads and writes, without reading back
};

/// The case's requests. `sent` is kept up to date and outlives the source. Throws InputError.
[[nodiscard]] std::unique_ptr<RequestSource> make_source(const PreparedCase& prepared, SentRequests& sent);

}  // namespace solidtlm::testbench
