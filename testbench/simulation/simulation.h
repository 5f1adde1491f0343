// SPDX-License-Identifier: Apache-2.0
//
// One device, one host, one workload: builds them, runs to the end, makes the result. SystemC elaborates once
// per process, so a process can call simulate() only once.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/configuration.h"
#include "testbench/host/host.h"
#include "testbench/host/request.h"
#include "testbench/results/result.h"
#include "testbench/run/spec.h"
#include "testbench/simulation/power_cuts.h"

namespace solidtlm::platform {
class Ssd;
}

namespace solidtlm::testbench {

class Verifier;

/// Replaces the shadow model: gives writes contents of its own and judges what reads return.
class ContentKeeper : public CommandObserver {
  public:
    [[nodiscard]] virtual VerifyCounts counts() const = 0;
    /// What was wrong, in words.
    [[nodiscard]] virtual std::vector<std::string> faults() const = 0;
};

/// Lets the host send further commands between those of the source, and judges their answers.
class Interjector : public CommandObserver, public PowerListener {
  public:
    /// Called once, before anything is issued. The host exists as long as the run.
    virtual void begin(Host& host) = 0;
    /// Commands of the source that had to fail because of what was sent in between.
    [[nodiscard]] virtual std::uint64_t expected_failures() const = 0;
    /// What was wrong, in words.
    [[nodiscard]] virtual std::vector<std::string> faults() const = 0;
};

/// Watches a run: is told of each command after it was counted, and may look at the device then.
class RunWatcher : public CommandObserver {
  public:
    /// Called once, before anything is issued. `collect` gives the device's counters of the run up to now, as
    /// long as the run lasts.
    virtual void begin(std::function<DeviceTelemetry()> collect) = 0;
};

/// A drive before its first command, aged if that was asked for, and what it holds.
struct BuiltDrive {
    const platform::Ssd& ssd;
    const Verifier& verifier;  ///< knows nothing where the contents have another keeper
};

/// What an executable adds to the description of a run.
struct RunHooks {
    std::string scenario = "run";  ///< in the result: who runs it
    bool quiet = true;             ///< no progress
    /// Done to the new device first, unless an aged drive is given. Takes no simulated time, as ageing
    /// (precondition/ageing.h).
    RequestSource* before = nullptr;
    /// Settings of the host that a run lacks: sectors of a command, write cache, how it reads the error log.
    HostConfig host = {};
    ContentKeeper* contents = nullptr;   ///< none: the shadow model; a new device otherwise
    RunWatcher* watcher = nullptr;       ///< may be null
    Interjector* interjector = nullptr;  ///< none: the source's commands alone
    /// Receives the drive, which exists until the run has ended.
    std::function<void(const BuiltDrive&)> built = {};
    /// Receives a function that makes the result so far, valid while the run lasts and the drive has power.
    std::function<void(std::function<Json()>)> running = {};
    PowerSwitch* power_switch = nullptr;  ///< none: the power cuts of the run alone
    bool save_at_cut = false;     ///< the first power cut leaves what is saved; the run goes on nevertheless
    bool check_protocol = false;  ///< with a protocol checker on every socket of the TLM base protocol
    bool losses_are_faults = true;    ///< false: sectors that do not read back are counted, no more
    bool failures_are_faults = true;  ///< false: so are commands that fail, as on worn-out or faulty flash
};

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct SimulationOutcome {
    Json result;
    /// What did not hold: mismatches, a ledger residual, NAND rules broken, commands lost, books that
    /// disagree, recordings that could not be written. Empty for a sound run.
    std::vector<std::string> faults;
};

/// The recovery log has no second copy. If ECC may fail on a page of it, a power cut may lose what only the
/// log knows: trims and shared pages (docs/reliability.md, "What is not").
[[nodiscard]] bool may_lose_log(const platform::Configuration& configuration);

/// A run of this drive, `depth` requests outstanding at most; its load comes from elsewhere.
[[nodiscard]] RunSpec run_of(const platform::Configuration& configuration, std::uint32_t depth = 32);

/// The drive of a run, built and aged as the run says when it is first used. A process forked after that
/// continues with a copy of it, so that runs which differ only after the ageing can share it.
class DriveToRun {
  public:
    explicit DriveToRun(RunSpec run, RunHooks hooks = {});
    ~DriveToRun();
    DriveToRun(const DriveToRun&) = delete;
    DriveToRun& operator=(const DriveToRun&) = delete;

    struct Parts;
    /// Throws as simulate() does.
    Parts& get();

  private:
    RunSpec run_;
    RunHooks hooks_;
    std::unique_ptr<Parts> parts_;
};

/// Runs until `source`, which is the run's load, is exhausted and everything issued has ended. Throws what
/// the source throws, and platform::ConfigurationError, InputError for a saved drive that cannot be loaded,
/// for power cuts behind an adapter and for those that leave the host no time to send anything, and, when a
/// recording cannot be begun or another run is about to save its drive to the same file, OutputError.
[[nodiscard]] SimulationOutcome simulate(const RunSpec& run, RequestSource& source, const Pacing& pacing,
                                         const RunHooks& hooks = {});
/// As above, on `drive`. REQUIRES: its run had the same configuration and ageing; it has not run.
[[nodiscard]] SimulationOutcome simulate(const RunSpec& run, RequestSource& source, const Pacing& pacing,
                                         const RunHooks& hooks, DriveToRun& drive);

}  // namespace solidtlm::testbench
