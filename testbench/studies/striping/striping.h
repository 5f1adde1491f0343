// SPDX-License-Identifier: Apache-2.0
//
// How striping and bus contention affect throughput and latency: channels x dies x order x striping x
// allocation x pattern x operation, each point beside the limit from data sheets; and the one board with
// published numbers of striping. docs/striping.md explains the results.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/load/random.h"
#include "testbench/studies/kit/flash_cost.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::striping {

/// One kind of traffic in a steady state: reads of data on flash, or writes to a fresh device.
struct Stream {
    Operation operation = Operation::read;  ///< read or write
    bool sequential = true;                 ///< false: uniformly random, aligned to `bytes`
    std::uint32_t bytes = 131072;           ///< bytes per request, a multiple of 512
    std::uint32_t depth = 32;               ///< requests outstanding
};

/// The amounts of a stream. Bytes are multiples of Stream::bytes.
struct StreamPlan {
    std::uint64_t region_bytes = 0;  ///< addresses from 0
    std::uint64_t fill_bytes = 0;    ///< written first, 128 KiB at a time, and flushed; 0: a fresh device
    std::uint64_t warm_up = 0;       ///< requests of the stream before the measured ones
    std::uint64_t measured = 0;      ///< measured requests
    /// Whether the stream waits until the fill is on flash. A SATA host waits for a flush anyway; NVMe does
    /// not order commands.
    bool waits = false;

    /// Number of commands before the first measured one, including the fill and its flush.
    [[nodiscard]] std::uint64_t commands_before() const;
};

/// Reads: fills at least twice the write buffer, such that every parallel unit gets the same number of whole
/// superblocks (striping none) or superpages (full). Writes: warms up until the write buffer is full, and
/// stops before garbage collection begins; `fill_share` (0 to 1) is by how much the link fills the buffer
/// faster than flash empties it. `measured`: most requests to measure. Throws InputError if the device is too
/// small.
[[nodiscard]] StreamPlan plan_stream(const platform::Configuration& configuration, const Stream& stream,
                                     std::uint64_t measured, double fill_share);

/// The requests of a plan.
class StreamSource : public RequestSource, private SourceFeedback {
  public:
    StreamSource(const Stream& stream, const StreamPlan& plan, std::uint64_t seed)
        : stream_(stream), plan_(plan), random_(seed) {}

    bool next(Request& request) override;
    [[nodiscard]] SourceFeedback* feedback() override { return plan_.waits ? this : nullptr; }

  private:
    // Implements SourceFeedback.
    void advance(Ps /*now*/) override {}
    void completed(std::uint64_t /*token*/, bool /*ok*/, Ps /*now*/) override { ++completed_; }
    [[nodiscard]] bool ended() const override { return made_ == plan_.warm_up + plan_.measured; }
    [[nodiscard]] std::optional<Ps> wakes_at() const override { return std::nullopt; }
    [[nodiscard]] std::vector<std::pair<std::string, double>> counters() const override { return {}; }

    /// Whether a request of the fill, or its flush, has not ended.
    [[nodiscard]] bool filling() const;

    Stream stream_;
    StreamPlan plan_;
    Random random_;
    std::uint64_t filled_ = 0;
    bool flushed_ = false;
    std::uint64_t completed_ = 0;  ///< requests; only counted with StreamPlan::waits
    std::uint64_t made_ = 0;
};

// The highest speed of a stream, from data sheets alone: min(link, channels x bus rate, dies x die rate), and
// DRAM and core, which are seldom the limit.
//
// A die holds one operation from its first command cycle to its last data or status cycle, because the page
// register is in use all that time: its rate is a superpage over command + array + data cycles.
//
// Requests reach only some dies at a time. Outstanding sequential requests are adjacent; random reads may
// want the same die. That is counted in dies, see Window.

enum class Resource : std::uint8_t { link, channels, dies, dram, core };
constexpr std::size_t kResources = 5;
constexpr std::array<std::string_view, kResources> kResourceNames{"link", "channels", "dies", "dram", "core"};

struct Bounds {
    std::array<double, kResources> mb_per_s{};  ///< if the other resources were infinitely fast
    double least = 0.0;                         ///< MB/s: the minimum at each place, averaged
    /// Name of the limiting resource.
    [[nodiscard]] std::string_view binding() const;
    /// By how much the link fills a write buffer faster than flash empties it, as a share of the link's rate.
    [[nodiscard]] double fill_share() const {
        return 1.0 - least / mb_per_s[static_cast<std::size_t>(Resource::link)];
    }
};
[[nodiscard]] Bounds bounds_of(const platform::Configuration& configuration, const Stream& stream);

/// Every combination of these values is a point.
struct Sweep {
    std::vector<std::uint32_t> channels{1, 2, 4, 8, 16};
    std::vector<std::uint32_t> dies{1, 2, 4, 8};  ///< dies per channel
    std::vector<std::string> orders{"PCWD", "CWDP"};
    std::vector<std::string> striping{"full", "none"};
    std::vector<std::string> allocation{"static", "dynamic"};
    std::vector<std::string> patterns{"sequential", "random"};
    std::vector<std::string> operations{"read", "write"};
    std::uint32_t sequential_bytes = 131072;  ///< bytes per request
    std::uint32_t random_bytes = 4096;
    std::uint32_t depth = 32;
    std::uint64_t requests = 0;  ///< measured at each point; 0: 1500 if sequential, 12000 if random
};

struct SweepPoint {
    Json parameters;  ///< Point::parameters
    platform::Configuration configuration;
    Stream stream;
    Bounds bounds = {};
    StreamPlan plan = {};

    /// Simulates and measures. It is also a fault if a read did not come from flash or if garbage collection
    /// ran: such a point measures something else.
    [[nodiscard]] StudyJob job() const;
};

/// All points, panel by panel, ordered by dies and then by channels. The points of a panel differ only in
/// channels and dies; each panel has a table and a heat map. Throws platform::ConfigurationError with all
/// impossible combinations, each mistake once, or InputError.
[[nodiscard]] std::vector<SweepPoint> points_of(const Sweep& sweep, const platform::Configuration& base);

/// Fills in Point::derived and further values for the tables: latencies, waits and busy times in percent.
/// `result`: that of a run with one kind of operation.
void measure(const Json& result, Operation operation, const Bounds& bounds, Measured& point);

/// For each panel, a matrix of throughput and its limit or, with `details`, a line per point.
[[nodiscard]] std::string tables(Points points, bool details, const TextStyle& style);

/// For each panel, heat maps over channels and dies: throughput; throughput in percent of the bound, if it
/// misses the bound somewhere; shares of waiting for channels and dies, if requests wait at all.
[[nodiscard]] std::vector<Figure> heat_maps(Points points);

/// 32 KB two-plane reads on the Jasmine OpenSSD (Indilinx Barefoot) with 1 to 4 ways on one channel, and with
/// two channels of 4 ways, 32 outstanding, one superpage each. platform/presets/jasmine.toml says how array
/// time and bus rate, which are not published, were chosen.
[[nodiscard]] std::vector<StudyJob> jasmine_jobs(const platform::Configuration& base, std::uint64_t requests);
/// Reproduced if within 10 %, partly if within 20 %.
[[nodiscard]] std::vector<Claim> jasmine_claims(Points points);

}  // namespace solidtlm::testbench::striping
