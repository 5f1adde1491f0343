// SPDX-License-Identifier: Apache-2.0
//
// The host: drives a SATA device with 32 command slots the way Linux's libata does, through a DevicePort. It
// waits for the device's signature, reads IDENTIFY DEVICE (and log 13h where SEND FPDMA QUEUED is supported),
// sets the write cache if asked to, and then works off a RequestSource; none of that is counted.
//
// Rules (libata): a non-queued command waits until no queued one is outstanding, and holds back everything
// after it. If the port does not keep the order of commands, so does a command that touches what an
// outstanding one writes, or writes what an outstanding one touches. After an error of a queued command the
// host reads log 10h, fails the culprit, and issues the other outstanding commands again in their original
// order, before anything new.
//
// A command's ledger runs from its arrival to its completion; Command::residual is the time that the ledger
// does not explain. A request may arrive long before the host takes it from the source: pacing alone decides
// when it arrives, not the room in the port, and requests beyond the command slots wait in the host.
//
// Host time (HostConfig, none by default). The processor does one thing at a time, in the order in which work
// comes: it submits commands, even if the command before still waits for its acceptance, and handles
// completions. A status that arrives is posted; its command keeps its slot, and is complete when the
// processor has handled it. Before it is posted, a status may wait for a host bus adapter, which serves one
// at a time, and for the interrupt (HostConfig::hba_read_time, interrupt_latency). Errors interrupt at once.
// The host's own commands and the recovery from errors take no time. If the device loses power, posted
// commands have completed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hw/sata/ata.h"
#include "hw/sata/fis.h"
#include "hw/sata/identify.h"
#include "hw/tlm/agenda_module.h"
#include "hw/tlm/ring.h"
#include "hw/tlm/wake_up.h"
#include "testbench/host/admission.h"
#include "testbench/host/command.h"
#include "testbench/host/config.h"
#include "testbench/host/littles_law.h"
#include "testbench/host/pacing.h"
#include "testbench/host/pass_through.h"
#include "testbench/host/port/device_port.h"
#include "testbench/host/splitter.h"

namespace solidtlm::testbench {

struct HostStatistics {
    std::uint64_t requests = 0;  ///< taken from the source, and sent
    std::uint64_t dropped = 0;   ///< taken from the source, too late for HostConfig::until
    std::uint64_t commands = 0;  ///< issued for the first time
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t reissued = 0;
    std::uint64_t recoveries = 0;  ///< queue errors
    std::uint64_t interrupts = 0;  ///< where they are coalesced
    Ps processor_busy{0};          ///< submitting and completing
    std::uint32_t max_outstanding = 0;
};

class AtaHost : public hw::AgendaModule, private PortUser {
  public:
    /// All references must outlive the host. `agenda`: the port's.
    AtaHost(const sc_core::sc_module_name& name, const HostConfig& config, DevicePort& port,
            RequestSource& source, const Pacing& pacing, CommandObserver& observer, hw::Agenda& agenda);

    /// Valid once ready().
    [[nodiscard]] const hw::IdentifyFacts& identify() const { return facts_; }
    [[nodiscard]] bool ready() const { return state_ == State::running || state_ == State::recovering; }
    /// From an error of a queued command until log 10h was read.
    [[nodiscard]] bool recovering() const { return state_ == State::recovering; }
    [[nodiscard]] bool queued_trim() const { return queued_trim_; }
    [[nodiscard]] std::uint32_t outstanding() const;
    /// Issued and not ended, in the order of their tags.
    [[nodiscard]] std::vector<const Command*> outstanding_commands() const;
    /// A command waits for a slot, or for its turn after an error.
    [[nodiscard]] bool holds_back() const { return next_ != nullptr || !retries_.empty(); }
    [[nodiscard]] bool finished() const { return finished_; }
    /// When it took no more requests because a signal had come (process/interruption.h).
    [[nodiscard]] std::optional<Ps> interrupted_at() const { return interrupted_at_; }
    [[nodiscard]] const HostStatistics& statistics() const { return statistics_; }
    /// By how much the latencies of all requests miss Little's law, once the host has finished. Nothing: the
    /// pacing is no closed loop, or the source had nothing to send at times.
    [[nodiscard]] std::optional<Ps> latency_excess() const;

    /// Sends `command` once the host is running and nothing is outstanding, before anything new. It is left
    /// alone until it has ended.
    void pass_through(PassThrough& command);

    /// Completes posted commands, whose status lies in the host's memory. Call it before observers count what
    /// the device has done until its power cut.
    void settle();
    /// The device lost power: outstanding commands fail (status register 0), and the host starts again when
    /// it sees a signature.
    void power_cut();

  private:
    enum class State : std::uint8_t { no_device, starting, running, recovering };
    /// A command of the host's own. One at a time, non-queued.
    enum class Internal : std::uint8_t {
        none,
        identify,
        send_receive_log,
        set_write_cache,
        error_log,
        pass_through,
    };
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
        Command command;
        RequestRecord* request = nullptr;
        PortCommand wire;
        std::vector<std::byte> dsm_blocks;
        Submission submission = Submission::none;
        bool posted = false;  ///< its status has left the device, and stands in its command
    };
    /// A piece of work of the processor: submits the job, or completes it if it is posted.
    struct Work {
        Job* job = nullptr;  ///< null: of before a power cut
        Ps time{0};
    };

    // PortUser (ata_host_answers.cpp)
    void drive_came() override;
    void accepted(bool ok) override;
    void queued_ended(std::uint32_t tags, std::uint8_t status, std::uint8_t error) override;
    void ended(const hw::RegisterD2h& answer) override;
    void go_on() override;

    // Commands of the host's own (ata_host_answers.cpp)
    void start_internal(Internal command);
    void internal_done(bool ok);
    void pass_through_done();
    void begin_recovery();
    void finish_recovery();

    // Requests and commands (ata_host.cpp)
    void issue();
    Job* next_job();
    bool next_request();
    std::optional<Ps> admit();
    bool pull();
    [[nodiscard]] bool interrupted();
    bool drop_request();
    [[nodiscard]] bool conflicts(const Command& command) const;
    void send_command(Job& job);
    [[nodiscard]] hw::RegisterH2d registers(const Job& job) const;
    void prepare_content(Job& job);
    void job_ended(Job& job, std::uint8_t status, std::uint8_t error, Lba error_lba = {});
    void complete(Job& job, std::uint8_t status, std::uint8_t error, Lba error_lba = {});
    void take_back(Job& job);
    void check_finished();
    Job& take_job();
    RequestRecord& take_record();

    // Host time (ata_host_time.cpp)
    [[nodiscard]] bool coalesces() const { return config_.coalesce_time > Ps{0}; }
    [[nodiscard]] bool has_hba_time() const {
        return config_.hba_read_time > Ps{0} || config_.hba_write_time > Ps{0};
    }
    void status_came(Job& job);
    void begin_hba_work();
    void hba_due();
    void raise_interrupt(Job& job);
    void interrupt_due();
    bool submitted(Job& job);
    void post(Job& job);
    void coalescing_due();
    void interrupt();
    void run_coalescing();
    void ask_processor(Job& job, Ps time);
    void begin_work();
    void work_done();
    void forget_work();

    const HostConfig config_;
    DevicePort& port_;
    RequestSource& source_;
    SourceFeedback* const feedback_;  // of the source, or null
    const Pacing& pacing_;
    CommandObserver& observer_;
    Admission admission_;
    std::optional<LittlesLaw> littles_law_;  // of a closed loop that is always full

    State state_ = State::no_device;
    Internal internal_ = Internal::none;
    hw::IdentifyFacts facts_;
    bool queued_trim_ = false;
    std::uint32_t depth_ = 1;
    Ps base_{0};  // of the source's times
    bool started_once_ = false;

    Request request_;  // the one whose commands are being made
    RequestRecord* record_ = nullptr;
    bool request_waits_ = false;  // pulled, not admitted
    bool source_waits_ = false;   // it had none when it was asked last
    bool exhausted_ = false;
    Ps wakes_at_{-1};  // the agenda's latest entry for the source to go on
    bool finished_ = false;
    std::optional<Ps> interrupted_at_;
    Splitter splitter_;
    Job* next_ = nullptr;  // made, not sent
    /// Commands under way: one for each tag, and the one that is made.
    static constexpr std::size_t kMostJobs = std::size_t{2} * (hw::ata::kTags + 1);
    hw::Ring<Job*> retries_{kMostJobs};
    std::vector<Job*> aborted_;  // while recovering
    std::array<Job*, hw::ata::kTags + 1> active_{};
    std::uint32_t active_mask_ = 0;  // queued tags
    static constexpr std::size_t kMostPassThrough = 64;
    hw::Ring<PassThrough*> pass_through_{kMostPassThrough};  // the front one may be under way
    PortCommand own_;                                        // the internal command
    std::vector<std::byte> received_;                        // by internal commands

    /// Each command has one piece of work at most; the one under way may be of before a power cut.
    hw::Ring<Work> processor_{kMostJobs + 1};  // the front one is under way
    hw::Ring<Job*> hba_{kMostJobs};            // the front one is served
    hw::WakeUp hba_done_{*this, hw::kCall<&AtaHost::hba_due>};
    struct Raised {
        Job* job = nullptr;
        Ps at{0};
    };
    hw::Ring<Raised> raised_{kMostJobs};  // the interrupt is on its way
    hw::WakeUp interrupt_comes_{*this, hw::kCall<&AtaHost::interrupt_due>};
    hw::Ring<Job*> posted_{kMostJobs};  // no interrupt has told of them
    hw::WakeUp coalescing_{*this, hw::kCall<&AtaHost::coalescing_due>};
    Ps coalescing_left_{0};  // until the next interrupt, while nothing is outstanding

    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<Job*> free_jobs_;
    std::vector<std::unique_ptr<RequestRecord>> records_;
    std::vector<RequestRecord*> free_records_;

    std::uint64_t next_sequence_ = 0;
    HostStatistics statistics_;
};

}  // namespace solidtlm::testbench
