// SPDX-License-Identifier: Apache-2.0
//
// Deduplication in the drive: five systems on the same loads, what writes wait for, how long the search
// takes, what garbage collection is spared, and what a power loss costs. docs/dedup-study.md explains what
// comes out.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/host/request.h"
#include "testbench/run/spec.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::dedup {

constexpr std::uint64_t kPageSectors = 8;  ///< what is deduplicated: 4 KiB

/// Moves the pages that a load touches together, in the order of their addresses, so that the drive need only
/// be as large as the used part of the traced one. Neighbouring pages stay neighbours, and requests keep
/// their length.
class Compaction {
  public:
    /// Pages that are read or written count as touched.
    void touch(const Request& request);
    /// REQUIRES: nothing is touched afterwards.
    void seal();
    [[nodiscard]] std::uint64_t pages() const { return pages_.size(); }
    /// False when nothing is left of the request: a trim of pages never read or written. REQUIRES: sealed.
    [[nodiscard]] bool apply(Request& request) const;

  private:
    /// Touched pages below the page `page`.
    [[nodiscard]] std::uint64_t below(std::uint64_t page) const;
    [[nodiscard]] TrimRange apply(const TrimRange& range) const;

    std::vector<std::uint64_t> pages_;
    bool sealed_ = false;
};

// What the systems are given: a workload or a trace with contents, read once and kept, and the drive that
// fits it.

/// Where a load comes from.
struct LoadSpec {
    std::string name;                 ///< unique in a study
    std::string workload;             ///< as --workload takes it; empty: a trace
    std::string trace;                ///< path
    std::uint64_t limit = 0;          ///< requests at most; 0: all
    double slower = 1.0;              ///< factor on times between arrivals
    std::uint64_t address_bytes = 0;  ///< of the drive that a workload is made for
};

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct Load {
    std::string name;
    std::vector<Request> requests;
    std::uint64_t touched_bytes = 0;  ///< addresses go from 0 to there
    Json properties;                  ///< what is in it, explained in docs/dedup-study.md
};

/// In the order given. Throws InputError, for a trace without contents among others.
[[nodiscard]] std::vector<Load> read_loads(std::span<const LoadSpec> specs, const RunSpec& run);

/// The drive of `base`, with a number of blocks such that the load takes `used` of what it exports; at least
/// kLeastBlocks per plane. Thresholds and tables grow and shrink with it.
[[nodiscard]] platform::Configuration drive_for(const Load& load, double used,
                                                const platform::Configuration& base);
constexpr std::uint32_t kLeastBlocks = 40;

/// Gives the requests of a load, which must outlive it.
class LoadSource : public RequestSource {
  public:
    explicit LoadSource(std::span<const Request> requests) : requests_(requests) {}
    bool next(Request& request) override;
    [[nodiscard]] std::optional<std::uint64_t> size() const override { return requests_.size(); }

  private:
    std::span<const Request> requests_;
    std::size_t next_ = 0;
};

// C6: pages are written, then the same contents to other places, each time followed by a FLUSH. Then power
// goes: at once, before an idle drive has begun to deduplicate, or when it has had the time to.

enum class Moment : std::uint8_t { at_once, idle };
constexpr std::array<std::string_view, 2> kMomentNames{"at_once", "idle"};

constexpr std::uint32_t kPowerLossPages = 16;  ///< written twice
/// Between the duplicates, when they are durable, and the first chance to deduplicate in idle time.
constexpr Ps kAtOnce = std::chrono::milliseconds(5);
constexpr Ps kIdleThreshold = std::chrono::milliseconds(10);

/// A read of other data after the cut keeps the run going; what the drive holds is audited before it.
[[nodiscard]] std::vector<Request> power_loss_requests();
/// When power goes.
[[nodiscard]] Ps power_loss_at(Moment moment);

// The runs, and what is read from their results (Point::derived is explained in docs/dedup-study.md).

/// A drive to run on: its kind of deduplication, and the settings for it.
struct System {
    std::string name;
    std::vector<std::string> settings = {};
};
[[nodiscard]] System system_named(const std::string& name);
/// `online` with one of the ways to keep duplicates over a power loss.
[[nodiscard]] System online_with(const std::string& protection);

/// What the runs have in common.
struct Drive {
    const platform::Configuration& base;
    double used = 1.0;   ///< of the exported capacity, by the load
    double speed = 1.0;  ///< divides arrival times
};

/// The load on the system, arrivals as recorded; part `systems`. The load must outlive the job. Throws
/// platform::ConfigurationError.
[[nodiscard]] StudyJob system_job(const Load& load, const System& system, const Drive& drive);

/// The same with `parameter` at `value`, part `sensitivity`; `settings` on top, for what is no property of
/// the load.
struct Variation {
    std::string parameter;  ///< duplicates, idle, speed, md5, byte_time or table
    double value = 0;
    std::vector<std::string> settings = {};
    double speed = 1.0;  ///< divides arrival times, too
};
[[nodiscard]] StudyJob sensitivity_job(const Load& load, const System& system, const Drive& drive,
                                       const Variation& variation);

/// C6; part `power`.
[[nodiscard]] StudyJob power_job(const System& system, Moment moment, const Drive& drive);

// The claims of study C (docs/dedup-study.md says how each verdict is reached).

/// Claims that nothing was measured for are left out. Verdicts are about the workloads of the study; other
/// loads are told beside them.
[[nodiscard]] std::vector<Claim> claims_of(Points points);

/// The run of a system on a load of part `systems`; null: there was none.
[[nodiscard]] const Measured* find(Points points, const std::string& load, const std::string& system);

/// A value of one system over that of another on the same load; none without both, or over 0.
[[nodiscard]] std::optional<double> ratio(const Measured* over, const Measured* under, const char* value);

/// C4: pages that the CRC32 marked as possibly duplicate, of those that were written.
[[nodiscard]] std::optional<double> candidate_share(const Measured* crc32);

/// Loads of part `systems`, in their order.
[[nodiscard]] std::vector<std::string> loads_of(Points points);

/// What was run and what came out.
[[nodiscard]] std::string tables_of(Points points, std::span<const Load> loads, const TextStyle& style);
/// Those of the study, duplicates over time, and what the results depend on, as far as something was
/// measured.
[[nodiscard]] std::vector<Figure> figures_of(Points points);

}  // namespace solidtlm::testbench::dedup
