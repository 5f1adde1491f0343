// SPDX-License-Identifier: Apache-2.0
//
// What striping and bus contention make of throughput and latency: channels x dies x order x striping x
// allocation x pattern x operation, each point beside what data sheets allow; and the one board with
// published numbers of striping. docs/striping.md explains what comes out.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration.h"
#include "testbench/host/request.h"
#include "testbench/studies/kit/flash_cost.h"
#include "testbench/studies/kit/study.h"
#include "testbench/workload/random.h"

namespace solidtlm::testbench::striping {

/// One kind of traffic: reads of data that lies in flash, or writes to a fresh device, in a steady state.
struct Stream {
    Operation operation = Operation::read;  ///< read or write
    bool sequential = true;                 ///< else uniform random, aligned to `bytes`
    std::uint32_t bytes = 131072;           ///< of a request, a multiple of 512
    std::uint32_t depth = 32;               ///< requests outstanding
};

/// How much of a stream is sent. Bytes are multiples of Stream::bytes.
struct StreamPlan {
    std::uint64_t region_bytes = 0;  ///< addresses from 0
    std::uint64_t fill_bytes = 0;    ///< written first, 128 KiB at a time, and flushed; 0: a fresh device
    std::uint64_t warm_up = 0;       ///< requests of the stream that are not measured
    std::uint64_t measured = 0;      ///< requests that are
    /// Whether the stream begins after the fill is on flash. SATA's host waits for a flush anyway; NVMe
    /// orders nothing.
    bool waits = false;

    /// Commands that come before the first measured one, the fill and its flush included.
    [[nodiscard]] std::uint64_t commands_before() const;
};

/// Reads: fills at least twice the write buffer, such that every parallel unit gets the same number of whole
/// superblocks (striping none) or superpages (full). Writes: warms up until the write buffer is full, and
/// stops before garbage collection begins; the link fills the buffer `fill_share` (0 to 1) faster than the
/// flash empties it. `measured` at most. Throws InputError when the device is too small for it.
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
    // SourceFeedback
    void advance(Ps /*now*/) override {}
    void completed(std::uint64_t /*token*/, bool /*ok*/, Ps /*now*/) override { ++completed_; }
    [[nodiscard]] bool ended() const override { return made_ == plan_.warm_up + plan_.measured; }
    [[nodiscard]] std::optional<Ps> wakes_at() const override { return std::nullopt; }
    [[nodiscard]] std::vector<std::pair<std::string, double>> counters() const override { return {}; }

    /// Whether a request of the fill, or its flush, has still to end.
    [[nodiscard]] bool filling() const;

    Stream stream_;
    StreamPlan plan_;
    Random random_;
    std::uint64_t filled_ = 0;
    bool flushed_ = false;
    std::uint64_t completed_ = 0;  ///< requests, counted with StreamPlan::waits
    std::uint64_t made_ = 0;
};

// How fast a stream can be at most, from data sheets alone: min(link, channels x bus rate, dies x die rate),
// and DRAM and core, which seldom bind.
//
// A die holds one operation from its first command cycle to its last data or status cycle, because the page
// register is in use all that time: its rate is a superpage over command + array + data cycles.
//
// Requests reach only some dies at a time. Of sequential requests those outstanding lie side by side; of
// random reads several may want the same die. That is counted in dies, see Window.

enum class Resource : std::uint8_t { link, channels, dies, dram, core };
constexpr std::size_t kResources = 5;
constexpr std::array<std::string_view, kResources> kResourceNames{"link", "channels", "dies", "dram", "core"};

struct Bounds {
    std::array<double, kResources> mb_per_s{};  ///< if the others were infinitely fast
    double least = 0.0;                         ///< MB/s: the least of them at every place, on average
    /// Name of the resource that binds.
    [[nodiscard]] std::string_view binding() const;
    /// How much faster than the flash the link fills a write buffer, of the link's rate.
    [[nodiscard]] double fill_share() const {
        return 1.0 - least / mb_per_s[static_cast<std::size_t>(Resource::link)];
    }
};
[[nodiscard]] Bounds bounds_of(const platform::Configuration& configuration, const Stream& stream);

/// Every combination of these is a point.
struct Sweep {
    std::vector<std::uint32_t> channels{1, 2, 4, 8, 16};
    std::vector<std::uint32_t> dies{1, 2, 4, 8};  ///< per channel
    std::vector<std::string> orders{"PCWD", "CWDP"};
    std::vector<std::string> striping{"full", "none"};
    std::vector<std::string> allocation{"static", "dynamic"};
    std::vector<std::string> patterns{"sequential", "random"};
    std::vector<std::string> operations{"read", "write"};
    std::uint32_t sequential_bytes = 131072;  ///< of a request
    std::uint32_t random_bytes = 4096;
    std::uint32_t depth = 32;
    std::uint64_t requests = 0;  ///< measured at each point; 0: 1500 sequential ones, 12000 random ones
};

struct SweepPoint {
    Json parameters;  ///< Point::parameters
    platform::Configuration configuration;
    Stream stream;
    Bounds bounds = {};
    StreamPlan plan = {};

    /// Simulates and measures. Faults also when a read did not come from flash or garbage collection ran:
    /// such a point measures something else.
    [[nodiscard]] StudyJob job() const;
};

/// All points, panel by panel, in each by dies and then channels. A panel is everything of a point but
/// channels and dies: one table, one heat map each. Throws platform::ConfigurationError with what is
/// impossible about any of them, each mistake once, or InputError.
[[nodiscard]] std::vector<SweepPoint> points_of(const Sweep& sweep, const platform::Configuration& base);

/// Point::derived and what tables show in addition: latencies, waits and busy times in percent. `result`: of
/// a run with operations of one kind.
void measure(const Json& result, Operation operation, const Bounds& bounds, Measured& point);

/// For each panel a matrix of throughput and what bounds it, or with `details` a line for each point.
[[nodiscard]] std::string tables(Points points, bool details, const TextStyle& style);

/// For each panel heat maps over channels and dies: throughput; throughput in percent of the bound where it
/// misses it anywhere; shares of waiting for channels and dies where requests wait at all.
[[nodiscard]] std::vector<Figure> heat_maps(Points points);

/// 32 KB two-plane reads on the Jasmine OpenSSD (Indilinx Barefoot) with 1 to 4 ways on one channel, and with
/// two channels of 4 ways, 32 outstanding: a superpage each. platform/presets/jasmine.toml says how array
/// time and bus rate, which are not published, were chosen.
[[nodiscard]] std::vector<StudyJob> jasmine_jobs(const platform::Configuration& base, std::uint64_t requests);
/// Reproduced within 10 %, partly within 20 %.
[[nodiscard]] std::vector<Claim> jasmine_claims(Points points);

}  // namespace solidtlm::testbench::striping
