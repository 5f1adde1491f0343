// SPDX-License-Identifier: Apache-2.0
//
// Builds one device, one host and one workload, runs them to the end, and makes the result. SystemC
// elaborates once per process, so a process can call simulate() only once.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/configuration.h"
#include "testbench/show/result.h"
#include "testbench/sim/host/host.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/power_cuts.h"
#include "testbench/sim/spec/spec.h"

namespace solidtlm::platform {
class Ssd;
}

namespace solidtlm::testbench {

class Verifier;

/// Replaces the shadow model: gives writes their contents and judges what reads return.
class ContentKeeper : public CommandObserver {
  public:
    [[nodiscard]] virtual VerifyCounts counts() const = 0;
    /// The errors found, as text.
    [[nodiscard]] virtual std::vector<std::string> faults() const = 0;
};

/// Makes the host send further commands between those of the source, and judges their answers.
class Interjector : public CommandObserver, public PowerListener {
  public:
    /// Called once, before any command is issued. The host exists during the whole run.
    virtual void begin(Host& host) = 0;
    /// Number of the source's commands that must fail because of interjected commands.
    [[nodiscard]] virtual std::uint64_t expected_failures() const = 0;
    /// The errors found, as text.
    [[nodiscard]] virtual std::vector<std::string> faults() const = 0;
};

/// Watches a run: it is notified of each command after it was counted, and may then read the device's
/// counters.
class RunWatcher : public CommandObserver {
  public:
    /// Called once, before any command is issued. `collect` returns the device's counters of the run so far,
    /// and is valid during the run.
    virtual void begin(std::function<DeviceTelemetry()> collect) = 0;
};

/// A drive before its first command, aged if requested, with its contents.
struct BuiltDrive {
    const platform::Ssd& ssd;
    const Verifier& verifier;  ///< empty if a ContentKeeper replaces the shadow model
};

/// What an executable adds to the description of a run.
struct RunHooks {
    std::string scenario = "run";  ///< name of the scenario in the result
    bool quiet = true;             ///< show no progress
    /// Carried out on the new device first, unless an aged drive is given. Takes no simulated time, like
    /// ageing (sim/age/ageing.h).
    RequestSource* before = nullptr;
    /// Host settings that a run does not have: sectors per command, write cache, how the error log is read.
    HostConfig host = {};
    ContentKeeper* contents = nullptr;   ///< null: the shadow model; otherwise the device must be new
    RunWatcher* watcher = nullptr;       ///< may be null
    Interjector* interjector = nullptr;  ///< null: only the source's commands are sent
    /// Receives the drive, which exists until the run has ended.
    std::function<void(const BuiltDrive&)> built = {};
    /// Receives a function that makes the result so far; it is valid during the run while the drive has
    /// power.
    std::function<void(std::function<Json()>)> running = {};
    PowerSwitch* power_switch = nullptr;  ///< null: only the power cuts of the run
    /// the drive is saved as the first power cut leaves it; the run still continues
    bool save_at_cut = false;
    bool check_protocol = false;    ///< put a protocol checker on every socket of the TLM base protocol
    bool losses_are_faults = true;  ///< false: sectors that read back wrong are only counted
    /// false: failing commands are only counted, as on worn-out or faulty flash
    bool failures_are_faults = true;
};

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct SimulationOutcome {
    Json result;
    /// What did not hold: mismatches, a ledger residual, NAND rules broken, commands lost, books that
    /// disagree, recordings that could not be written. Empty for a sound run.
    std::vector<std::string> faults;
    /// By name, what the run's load has seen itself; no part of the result.
    Json noted = Json::object();
};

/// The recovery log has no second copy. If ECC may fail on a page of it, a power cut may lose what only the
/// log knows: trims and shared pages (docs/reliability.md, "What is not").
[[nodiscard]] bool may_lose_log(const platform::Configuration& configuration);

/// A run of this drive with at most `depth` requests outstanding; its load comes from elsewhere.
[[nodiscard]] RunSpec run_of(const platform::Configuration& configuration, std::uint32_t depth = 32);

/// The drive of a run, built and aged on first use. A process that is forked after that continues with a
/// copy, so runs that differ only after the ageing can share it.
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

/// Runs until `source`, which is the run's load, is exhausted and every issued command has ended. Throws what
/// the source throws; platform::ConfigurationError; InputError for a saved drive that cannot be loaded, for
/// power cuts behind an adapter, and for power cuts that leave the host no time to send anything; and
/// OutputError if a recording cannot be opened, or if another run is about to save its drive to the same
/// file.
[[nodiscard]] SimulationOutcome simulate(const RunSpec& run, RequestSource& source, const Pacing& pacing,
                                         const RunHooks& hooks = {});
/// As above, on `drive`. REQUIRES: its run had the same configuration and ageing, and the drive has not been
/// run.
[[nodiscard]] SimulationOutcome simulate(const RunSpec& run, RequestSource& source, const Pacing& pacing,
                                         const RunHooks& hooks, DriveToRun& drive);

}  // namespace solidtlm::testbench
