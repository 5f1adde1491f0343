// SPDX-License-Identifier: Apache-2.0
//
// One device, one host, one workload: builds them, runs to the end, makes the result. SystemC elaborates once
// a process, so one simulate() a process.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/configuration.h"
#include "platform/start.h"
#include "testbench/host/ata_host.h"
#include "testbench/host/request.h"
#include "testbench/host/warm_up.h"
#include "testbench/precondition/preconditioning.h"
#include "testbench/record/settings.h"
#include "testbench/results/result.h"
#include "testbench/simulation/power_cuts.h"

namespace solidtlm::platform {
class Ssd;
}

namespace solidtlm::testbench {

class Verifier;

/// Gives writes contents of its own and judges what reads return, instead of the shadow model.
class ContentKeeper : public CommandObserver {
  public:
    [[nodiscard]] virtual VerifyCounts counts() const = 0;
    /// What was wrong, in words.
    [[nodiscard]] virtual std::vector<std::string> faults() const = 0;
};

/// Has the host send commands of its own between those of the source, and judges what comes of them.
class Interjector : public CommandObserver, public PowerListener {
  public:
    /// Called once, before anything is issued. The host is there as long as the run lasts.
    virtual void begin(AtaHost& host) = 0;
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

/// How a drive ends that is to be saved.
enum class Shutdown : std::uint8_t {
    sleep,  ///< STANDBY IMMEDIATE; its firmware is saved, too
    clean,  ///< STANDBY IMMEDIATE, then its power is cut
    cut,    ///< its power is cut
};

struct SimulationSettings {
    std::string scenario;
    platform::Configuration configuration;
    HostConfig host;
    bool quiet = false;                                ///< no progress
    std::optional<Preconditioning> precondition = {};  ///< the device is aged first; none: it is new
    /// Not with `precondition`: what is done to the new device first, in no simulated time either
    /// (precondition/ageing.h).
    RequestSource* before = nullptr;
    RecorderSettings record = {};
    /// Commands before this one, in order of issue, bring the device into a steady state. Then the result
    /// covers the time from its issue to the first completion after the source's end: as long as the queue is
    /// as full as pacing lets it be. 0: everything; kUntilSteady: as many as it takes (steady_window.h).
    std::uint64_t warm_up_commands = 0;
    ContentKeeper* contents = nullptr;   ///< none: the shadow model; a new device otherwise
    RunWatcher* watcher = nullptr;       ///< none: nobody
    Interjector* interjector = nullptr;  ///< none: the source's commands alone
    /// Is told of the drive, which is there until the run has ended.
    std::function<void(const BuiltDrive&)> built = {};
    /// Is given what makes the result so far, which is good while the run lasts and the drive has power.
    std::function<void(std::function<Json()>)> running = {};
    PowerCuts power_cuts = {};
    PowerSwitch* power_switch = nullptr;    ///< none: nobody else cuts it
    std::filesystem::path load_state = {};  ///< saved drive to begin with; empty: a new one, or an aged one
    std::optional<platform::Start> start = {};  ///< of the loaded drive; none: see load_drive()
    std::filesystem::path save_state = {};      ///< where the drive is saved at the end; empty: nowhere
    Shutdown shutdown = Shutdown::sleep;        ///< before that
    bool save_at_cut = false;     ///< the first power cut leaves what is saved; the run goes on nevertheless
    bool check_protocol = false;  ///< with a protocol checker on every socket of the TLM base protocol
    bool stationary = false;  ///< the load is the same all the time: a measured time that drifts is a warning
    bool losses_are_faults = true;    ///< false: sectors that do not read back are counted, no more
    bool failures_are_faults = true;  ///< false: so are commands that fail, as on worn-out or faulty flash

    /// The drive boots from flash, after a cut or when it was loaded.
    [[nodiscard]] bool boots() const {
        return power_cuts.any() || power_switch != nullptr || start == platform::Start::boot_timed;
    }
};

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct SimulationOutcome {
    Json result;
    /// What did not hold: mismatches, a ledger residual, NAND rules broken, commands lost, books that
    /// disagree, recordings that could not be written. Empty for a sound run.
    std::vector<std::string> faults;
};

/// The recovery log has no second copy: where ECC may fail on a page of it, what nothing else knows may be
/// lost with the power, trims and shared pages (docs/reliability.md, "What is not").
[[nodiscard]] bool may_lose_log(const platform::Configuration& configuration);

/// Without progress and the rest as it stands above; `depth` requests outstanding at most.
[[nodiscard]] SimulationSettings settings_for(const std::string& scenario,
                                              const platform::Configuration& configuration,
                                              std::uint32_t depth = 32);

/// The drive of a run, built and aged as the settings say when it is first asked for. A process forked after
/// that goes on with a copy of it, so that runs which differ in what comes after the ageing can share it.
class DriveToRun {
  public:
    explicit DriveToRun(SimulationSettings settings);
    ~DriveToRun();
    DriveToRun(const DriveToRun&) = delete;
    DriveToRun& operator=(const DriveToRun&) = delete;

    struct Parts;
    /// Throws as simulate() does.
    Parts& get();

  private:
    SimulationSettings settings_;
    std::unique_ptr<Parts> parts_;
};

/// Runs until `source` is exhausted and everything issued has ended. Throws what the source throws, and
/// platform::ConfigurationError, InputError for a saved drive that cannot be loaded, for power cuts behind an
/// adapter and for those that leave the host no time to send anything, and, when a recording cannot be begun
/// or another run is about to save its drive to the same file, OutputError.
[[nodiscard]] SimulationOutcome simulate(const SimulationSettings& settings, RequestSource& source,
                                         const Pacing& pacing);
/// Likewise, on `drive`. REQUIRES: its settings had the same configuration and ageing; it has not run.
[[nodiscard]] SimulationOutcome simulate(const SimulationSettings& settings, RequestSource& source,
                                         const Pacing& pacing, DriveToRun& drive);

}  // namespace solidtlm::testbench
