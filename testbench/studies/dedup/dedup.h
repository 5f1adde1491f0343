// SPDX-License-Identifier: Apache-2.0
//
// Deduplication in the drive: five systems on the same loads; what writes wait for, how long the search
// takes, how much garbage collection is saved, and what a power loss costs. docs/dedup-study.md explains the
// results.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/sim/host/request.h"
#include "testbench/sim/spec/spec.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::dedup {

constexpr std::uint64_t kPageSectors = 8;  ///< unit of deduplication: 4 KiB

/// Moves the pages that a load touches together in address order, so that the drive only needs the size of
/// the used part of the traced drive. Adjacent pages stay adjacent, and requests keep their length.
class Compaction {
  public:
    /// Adds the pages of a request; read and written pages count as touched.
    void touch(const Request& request);
    /// REQUIRES: no page is touched afterwards.
    void seal();
    [[nodiscard]] std::uint64_t pages() const { return pages_.size(); }
    /// Moves a request. False: nothing is left of it, because it trims pages that were never read or written.
    /// REQUIRES: sealed.
    [[nodiscard]] bool apply(Request& request) const;

  private:
    /// Number of touched pages below `page`.
    [[nodiscard]] std::uint64_t below(std::uint64_t page) const;
    [[nodiscard]] TrimRange apply(const TrimRange& range) const;

    std::vector<std::uint64_t> pages_;
    bool sealed_ = false;
};

// The loads of the systems: a workload or a trace with contents, read once and kept, and the drive that fits
// it.

/// Where a load comes from.
struct LoadSpec {
    std::string name;                 ///< unique within a study
    std::string workload;             ///< as --workload takes it; empty: a trace
    std::string trace;                ///< path of a trace
    std::uint64_t limit = 0;          ///< most requests; 0: all
    double slower = 1.0;              ///< factor for the times between arrivals
    std::uint64_t address_bytes = 0;  ///< size of the drive that the workload is made for
};

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct Load {
    std::string name;
    std::vector<Request> requests;
    std::uint64_t touched_bytes = 0;  ///< addresses are below this
    Json properties;                  ///< properties of the load, explained in docs/dedup-study.md
};

/// Reads the loads in the given order. Throws InputError, among others for a trace without contents.
[[nodiscard]] std::vector<Load> read_loads(std::span<const LoadSpec> specs, const RunSpec& run);

/// The drive of `base` with the number of blocks for which the load takes the share `used` of the exported
/// capacity; at least kLeastBlocks per plane. Thresholds and tables are scaled with it.
[[nodiscard]] platform::Configuration drive_for(const Load& load, double used,
                                                const platform::Configuration& base);
constexpr std::uint32_t kLeastBlocks = 40;

/// A source of a load's requests. The load must outlive it.
class LoadSource : public RequestSource {
  public:
    explicit LoadSource(std::span<const Request> requests) : requests_(requests) {}
    bool next(Request& request) override;
    [[nodiscard]] std::optional<std::uint64_t> size() const override { return requests_.size(); }

  private:
    std::span<const Request> requests_;
    std::size_t next_ = 0;
};

// C6: pages are written, then the same contents to other places; each write is followed by a FLUSH. Then
// power is lost: either at once, before an idle drive has begun to deduplicate, or when it has had the time
// for it.

enum class Moment : std::uint8_t { at_once, idle };
constexpr std::array<std::string_view, 2> kMomentNames{"at_once", "idle"};

constexpr std::uint32_t kPowerLossPages = 16;  ///< each is written twice
/// Time between the last durable duplicate and the first chance to deduplicate in idle time.
constexpr Ps kAtOnce = std::chrono::milliseconds(5);
constexpr Ps kIdleThreshold = std::chrono::milliseconds(10);

/// The last request is a read of other data after the cut, which keeps the run going; the drive's contents
/// are audited before it.
[[nodiscard]] std::vector<Request> power_loss_requests();
/// When power is lost.
[[nodiscard]] Ps power_loss_at(Moment moment);

// The runs, and the values read from their results (docs/dedup-study.md explains Point::derived).

/// A drive: its kind of deduplication, and the settings for it.
struct System {
    std::string name;
    std::vector<std::string> settings = {};
};
[[nodiscard]] System system_named(const std::string& name);
/// `online` with one of the ways to protect duplicates from a power loss.
[[nodiscard]] System online_with(const std::string& protection);

/// What all runs have in common.
struct Drive {
    const platform::Configuration& base;
    double used = 1.0;   ///< share of the exported capacity that the load uses
    double speed = 1.0;  ///< divides arrival times
};

/// The load on the system, with arrivals as recorded; part `systems`. The load must outlive the job. Throws
/// platform::ConfigurationError.
[[nodiscard]] StudyJob system_job(const Load& load, const System& system, const Drive& drive);

/// Like system_job(), with `parameter` at `value`, part `sensitivity`. `settings` are added for parameters
/// that are not properties of the load.
struct Variation {
    std::string parameter;  ///< duplicates, idle, speed, md5, byte_time or table
    double value = 0;
    std::vector<std::string> settings = {};
    double speed = 1.0;  ///< also divides arrival times
};
[[nodiscard]] StudyJob sensitivity_job(const Load& load, const System& system, const Drive& drive,
                                       const Variation& variation);

/// A job for C6, part `power`.
[[nodiscard]] StudyJob power_job(const System& system, Moment moment, const Drive& drive);

// The claims of study C (docs/dedup-study.md says how each verdict is reached).

/// Claims without measurements are left out. Verdicts are about the workloads of the study; other loads are
/// mentioned beside them.
[[nodiscard]] std::vector<Claim> claims_of(Points points);

/// The run of a system on a load in part `systems`; null if there is none.
[[nodiscard]] const Measured* find(Points points, const std::string& load, const std::string& system);

/// A value of one system divided by that of another on the same load; nothing if one is missing or the
/// divisor is 0.
[[nodiscard]] std::optional<double> ratio(const Measured* over, const Measured* under, const char* value);

/// C4: share of the written pages that the CRC32 marked as possible duplicates.
[[nodiscard]] std::optional<double> candidate_share(const Measured* crc32);

/// Loads of part `systems`, in order.
[[nodiscard]] std::vector<std::string> loads_of(Points points);

/// What was run, and the results.
[[nodiscard]] std::string tables_of(Points points, std::span<const Load> loads, const TextStyle& style);
/// The study's figures, duplicates over time, and what the results depend on, if these were measured.
[[nodiscard]] std::vector<Figure> figures_of(Points points);

}  // namespace solidtlm::testbench::dedup
