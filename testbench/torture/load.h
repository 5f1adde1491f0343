// SPDX-License-Identifier: Apache-2.0
//
// The load of a case, ready to run: its items are read and checked.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/keys.h"
#include "testbench/sim/event_cutter.h"
#include "testbench/sim/load/random_mix.h"
#include "testbench/sim/spec/spec.h"
#include "testbench/torture/torture_case.h"

namespace solidtlm::testbench {

/// How the host sends the workload's requests.
struct Load {
    std::uint64_t requests = 300;
    std::uint32_t queue_depth = 32;
    std::uint32_t max_sectors = 2560;      ///< most sectors of one command
    double unqueued = 0;                   ///< share of reads, writes and trims sent as non-queued commands
    double beyond = 0;                     ///< share of reads, writes and trims that reach beyond the device
    std::string client = "host";           ///< sender of requests: the host itself, or a client of tb_disk
    std::string write_cache = "as_it_is";  ///< set by SET FEATURES at the start
    bool error_log_by_dma = false;         ///< use READ LOG DMA EXT after an error of a queued command
    double questions = 0;            ///< share of commands followed by a question for SMART data or a log
    double uncorrectable = 0;        ///< share of writes and trims after which sectors are made uncorrectable
    double pauses = 0;               ///< share of requests before which the host idles, if it can
    double rewrites = 0;             ///< share of writes that repeat an earlier one, contents included
    bool compare = false;            ///< with a run in step with the kernel whose protocols are checked
    bool check_protocol = false;     ///< on every TLM socket, so that payloads take the place of calls
    hal::Ps power_off{100'000'000};  ///< from a cut to the next power-on
    std::uint64_t seed = 1;          ///< for all shares and `mix`
};

/// The workload `mix`: the shares of RandomMix, and its contents.
struct Mix {
    RandomMix::Shares shares;
    bool repetitive = false;
};

[[nodiscard]] const std::vector<platform::Key<Load>>& load_keys();
[[nodiscard]] const std::vector<platform::Key<Mix>>& mix_keys();

/// The end of a session: how the drive is shut down and saved. The next one loads it.
struct SessionEnd {
    Shutdown shutdown = Shutdown::sleep;
    bool boots_timed = false;  ///< the next session begins with a boot that takes its time

    /// The firmware that is loaded has not come from a boot.
    [[nodiscard]] bool keeps_firmware() const { return shutdown == Shutdown::sleep && !boots_timed; }
};

struct PreparedCase {
    RunSpec run;  ///< without a workload if it is `mix`; holds the power cuts at times, which need no probe
    Load load;
    std::optional<Mix> mix;
    /// power cuts at events, which need a probe; never together with cuts at times
    std::vector<EventCut> cuts;
    std::vector<SessionEnd> sessions;  ///< all but the last one
    /// The drive is read back before the end, which leaves it time to finish its work.
    bool reads_back = true;

    /// Its firmware finds its state on flash at some time.
    [[nodiscard]] bool boots() const {
        return cuts_power() || !std::ranges::all_of(sessions, &SessionEnd::keeps_firmware);
    }
    [[nodiscard]] bool cuts_power() const { return !cuts.empty() || run.power_cuts.any(); }
    [[nodiscard]] bool by_disk_client() const { return load.client == "disk"; }
};

/// Throws InputError or platform::ConfigurationError if the case is not legal.
[[nodiscard]] PreparedCase prepare(const TortureCase& torture);
/// Whether commands may fail because blocks wear out or flash fails.
[[nodiscard]] bool media_may_fail(const hw::NandConfig& nand);

/// The preset with these settings applied. Throws platform::ConfigurationError.
[[nodiscard]] platform::Configuration configuration_of(const std::string& preset,
                                                       const std::vector<std::string>& settings);

/// A class of requests by size; the upper bound is inclusive.
struct SizeClass {
    std::string_view name;
    std::uint64_t most_sectors;
};
inline constexpr std::array<SizeClass, 5> kSizeClasses{{{"512 B - 4 KiB", 8},
                                                        {"- 32 KiB", 64},
                                                        {"- 128 KiB", 256},
                                                        {"- 512 KiB", 1024},
                                                        {"more", ~std::uint64_t{0}}}};

/// Number of requests sent, by kind.
struct SentRequests {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t trims = 0;
    std::uint64_t flushes = 0;
    std::uint64_t fua = 0;
    std::uint64_t unqueued = 0;
    std::uint64_t beyond = 0;
    std::uint64_t questions = 0;
    std::uint64_t marks = 0;  ///< WRITE UNCORRECTABLE EXT commands
    /// reads and writes by size class, without reading back
    std::array<std::uint64_t, kSizeClasses.size()> sizes{};
};

/// The case's requests. `sent` is updated and must outlive the source. Throws InputError.
[[nodiscard]] std::unique_ptr<RequestSource> make_source(const PreparedCase& prepared, SentRequests& sent);

}  // namespace solidtlm::testbench
