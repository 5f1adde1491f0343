// SPDX-License-Identifier: Apache-2.0
//
// Functions common to hosts of all protocols: they work off a RequestSource, split requests into commands,
// and take host time.
//
// A command's ledger runs from its arrival to its completion; Command::residual is the time that the ledger
// does not explain. A request may arrive long before the host takes it from the source: pacing alone decides
// when it arrives, and requests for which there is no room wait in the host.
//
// Host time (HostConfig, none by default). The processor does one thing at a time, in the order in which work
// comes: it submits commands, and handles completions. A status that arrives is posted; its command keeps its
// slot, and is complete when the processor has handled it. Before it is posted, a status may wait for a host
// bus adapter, which serves one at a time, and for the interrupt (HostConfig::hba_read_time,
// interrupt_latency). Errors interrupt at once. If the device loses power, posted commands have completed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fw/hal/metrics.h"
#include "hw/tlm/agenda_module.h"
#include "hw/tlm/ring.h"
#include "hw/tlm/wake_up.h"
#include "testbench/sim/host/admission.h"
#include "testbench/sim/host/command.h"
#include "testbench/sim/host/config.h"
#include "testbench/sim/host/littles_law.h"
#include "testbench/sim/host/pacing.h"
#include "testbench/sim/host/splitter.h"

namespace solidtlm::testbench {

struct HostStatistics {
    std::uint64_t requests = 0;  ///< taken from the source and sent
    std::uint64_t dropped = 0;   ///< taken from the source, but too late for HostConfig::until
    std::uint64_t commands = 0;  ///< commands issued for the first time
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t reissued = 0;
    std::uint64_t recoveries = 0;  ///< recoveries from queue errors
    std::uint64_t interrupts = 0;  ///< interrupts, if they are coalesced
    Ps processor_busy{0};          ///< time spent submitting and completing
    std::uint32_t max_outstanding = 0;
};

class Host : public hw::AgendaModule {
  public:
    /// The drive accepts commands of requests, or did so until an error.
    [[nodiscard]] virtual bool ready() const = 0;
    /// True after an error that stopped the drive's queue, until the host knows which command failed.
    [[nodiscard]] virtual bool recovering() const = 0;
    [[nodiscard]] std::uint32_t outstanding() const { return outstanding_; }
    /// Commands that are issued and not ended, ordered by slot.
    [[nodiscard]] std::vector<const Command*> outstanding_commands() const;
    /// A command waits for a slot, or for its turn after an error.
    [[nodiscard]] virtual bool holds_back() const { return next_ != nullptr; }
    [[nodiscard]] bool finished() const { return finished_; }
    /// The simulation was paused because the source's next request is due after hal::kHorizon.
    [[nodiscard]] bool beyond_horizon() const { return beyond_horizon_; }
    /// When the host stopped taking requests because of a signal (sim/process/interruption.h).
    [[nodiscard]] std::optional<Ps> interrupted_at() const { return interrupted_at_; }
    [[nodiscard]] const HostStatistics& statistics() const { return statistics_; }
    /// The deviation of all latencies from Little's law, after the host has finished. Nothing: the pacing is
    /// not a closed loop, or the source sometimes had no request.
    [[nodiscard]] std::optional<Ps> latency_excess() const;

    /// Completes posted commands, whose status is in the host's memory. Call it before observers count what
    /// the device has done until a power cut.
    void settle();
    /// Makes the drive write back the contents of its memory when no command is outstanding. REQUIRES:
    /// finished().
    virtual void shut_down() = 0;
    /// Whether the drive has written everything back; nothing: it has not finished.
    [[nodiscard]] virtual std::optional<bool> is_shut_down() = 0;
    /// Reports the metrics of the parts between host and drive, if there are any.
    virtual void tell(hal::Metrics& /*metrics*/) const {}
    /// The device lost power: outstanding commands fail, and the host starts again when a drive appears.
    virtual void power_cut() = 0;

  protected:
    struct RequestRecord {
        std::uint64_t number = 0;
        std::uint32_t commands_left = 0;
        bool all_issued = false;
        bool failed = false;
        std::uint64_t token = 0;
        Ps arrival{0};
    };
    enum class Submission : std::uint8_t { none, asked, done };
    struct Job {
        virtual ~Job() = default;
        Command command;
        RequestRecord* request = nullptr;
        Submission submission = Submission::none;
        bool posted = false;  ///< the device has sent its status, which is in `command`
    };

    /// All references must outlive the host. Up to `slots` commands are outstanding.
    Host(const sc_core::sc_module_name& name, const HostConfig& config, RequestSource& source,
         const Pacing& pacing, CommandObserver& observer, hw::Agenda& agenda, std::size_t slots);

    // Implemented by the protocol:
    [[nodiscard]] virtual std::unique_ptr<Job> make_job() const = 0;
    [[nodiscard]] virtual Splitter::Limits limits() const = 0;
    /// Sends everything that can be sent now: something has arrived, or it is time for a request.
    virtual void go_on() = 0;
    /// The protocol has no work of its own left, and commands of requests may be sent.
    [[nodiscard]] virtual bool at_rest() const = 0;
    /// A command's slot is free again.
    virtual void slot_freed(std::uint16_t slot) = 0;

    // Requests and commands (host.cpp)
    /// The drive accepts commands. The source's time begins at the first call.
    void start_source();
    /// The next command to send; null: none at present.
    Job* next_job();
    /// The command of next_job() is being sent.
    void take_next() { next_ = nullptr; }
    /// Whether executing the command and an outstanding one in the wrong order would make a difference.
    [[nodiscard]] bool conflicts(const Command& command) const;
    /// Issues the command in a free slot: makes room for its content, and notifies the observer.
    void issue_in(std::uint16_t slot, Job& job);
    /// The device has reported how the command ended, in Command::status.
    void job_ended(Job& job);
    void complete(Job& job);
    /// Frees the slot of a command that is no longer outstanding.
    void take_back(Job& job);
    /// Power is lost: outstanding commands and those of `lost` fail.
    void lose(std::vector<Job*> lost);
    void check_finished();
    [[nodiscard]] Job* active(std::size_t slot) const { return active_[slot]; }
    [[nodiscard]] std::size_t slots() const { return active_.size(); }

    // Host time (host_time.cpp)
    bool submitted(Job& job);
    void interrupt();
    void forget_work();

    const HostConfig config_;
    HostStatistics statistics_;

  private:
    /// Work of the processor: submits the job, or completes it if it is posted.
    struct Work {
        Job* job = nullptr;  ///< null: a job from before a power cut
        Ps time{0};
    };
    struct Raised {
        Job* job = nullptr;
        Ps at{0};
    };

    bool next_request();
    std::optional<Ps> admit();
    bool pull();
    [[nodiscard]] bool interrupted();
    bool drop_request();
    void sleep_until_source_wakes();
    bool pause_at_horizon();
    Job& take_job();
    RequestRecord& take_record();

    [[nodiscard]] bool coalesces() const { return config_.coalesce_time > Ps{0}; }
    [[nodiscard]] bool has_hba_time() const {
        return config_.hba_read_time > Ps{0} || config_.hba_write_time > Ps{0};
    }
    void status_came(Job& job);
    void begin_hba_work();
    void hba_due();
    void raise_interrupt(Job& job);
    void interrupt_due();
    void post(Job& job);
    void coalescing_due();
    void run_coalescing();
    void ask_processor(Job& job, Ps time);
    void begin_work();
    void work_done();

    RequestSource& source_;
    SourceFeedback* const feedback_;  // feedback of the source, or null
    const Pacing& pacing_;
    CommandObserver& observer_;
    Admission admission_;
    std::optional<LittlesLaw> littles_law_;  // for a closed loop that is always full

    Ps base_{0};  // the source's time 0
    bool started_once_ = false;
    Request request_;  // the request that is being split into commands
    RequestRecord* record_ = nullptr;
    bool request_waits_ = false;  // taken from the source, but not yet arrived
    bool source_waits_ = false;   // the source had no request at the last call
    bool exhausted_ = false;
    Ps wakes_at_{-1};  // latest agenda entry that continues with the source
    bool finished_ = false;
    bool beyond_horizon_ = false;
    std::optional<Ps> interrupted_at_;
    Splitter splitter_;
    Job* next_ = nullptr;       // prepared, but not sent
    std::vector<Job*> active_;  // by slot
    std::uint32_t outstanding_ = 0;

    /// Each command has at most one piece of work; the one under way may be from before a power cut. The
    /// rings have room for one command per slot and as many that wait to be sent again.
    hw::Ring<Work> processor_;  // the front one is under way
    hw::Ring<Job*> hba_;        // the front one is being served
    hw::WakeUp hba_done_{*this, hw::kCall<&Host::hba_due>};
    hw::Ring<Raised> raised_;  // their interrupts are on their way
    hw::WakeUp interrupt_comes_{*this, hw::kCall<&Host::interrupt_due>};
    hw::Ring<Job*> posted_;  // not yet reported by an interrupt
    hw::WakeUp coalescing_{*this, hw::kCall<&Host::coalescing_due>};
    Ps coalescing_left_{0};  // time until the next interrupt, while the timer stands still

    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<Job*> free_jobs_;
    std::vector<std::unique_ptr<RequestRecord>> records_;
    std::vector<RequestRecord*> free_records_;

    std::uint64_t next_sequence_ = 0;
};

}  // namespace solidtlm::testbench
