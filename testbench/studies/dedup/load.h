// SPDX-License-Identifier: Apache-2.0
//
// What the systems of the study are given: a workload or a trace with contents, read once and kept, and the
// drive that fits it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/host/request.h"
#include "testbench/results/result.h"

namespace solidtlm::testbench::dedup {

/// Where a load comes from.
struct LoadSpec {
    std::string name;                 ///< unique in a study
    std::string workload;             ///< as --workload takes it; empty: a trace
    std::string trace;                ///< path
    std::uint64_t limit = 0;          ///< requests at most; 0: all
    double slower = 1.0;              ///< times between arrivals, times this
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
[[nodiscard]] std::vector<Load> read_loads(std::span<const LoadSpec> specs, const CommandLine& line);

/// The drive of `base` with so many blocks that the load takes `used` of what it exports, at least
/// kLeastBlocks a plane; thresholds and tables grow and shrink with it.
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

}  // namespace solidtlm::testbench::dedup
