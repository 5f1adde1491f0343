// SPDX-License-Identifier: Apache-2.0
//
// A host that drives a SATA device with 32 command slots the way Linux's libata does, through a DevicePort.
// It waits for the device's signature, reads IDENTIFY DEVICE (and log 13h if SEND FPDMA QUEUED is supported),
// sets the write cache if configured, and then works off its source; statistics do not count these commands.
//
// Rules (libata): a non-queued command waits until no queued one is outstanding, and holds back everything
// after it. If the port does not keep the order of commands, a command that conflicts with an outstanding one
// (one of them writes sectors of the other) waits in the same way. After an error of a queued command, the
// host reads log 10h, fails the culprit, and issues the other outstanding commands again in their original
// order, before any new command. The processor submits commands even if the previous one still waits for its
// acceptance. The host's own commands and the recovery from errors take no time of the processor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hw/sata/ata.h"
#include "hw/sata/fis.h"
#include "hw/sata/identify.h"
#include "hw/tlm/ring.h"
#include "testbench/sim/host/host.h"
#include "testbench/sim/host/pass_through.h"
#include "testbench/sim/host/port/device_port.h"

namespace solidtlm::testbench {

class AtaHost final : public Host, private PortUser {
  public:
    /// All references must outlive the host. `agenda`: the port's.
    AtaHost(const sc_core::sc_module_name& name, const HostConfig& config, DevicePort& port,
            RequestSource& source, const Pacing& pacing, CommandObserver& observer, hw::Agenda& agenda);

    /// Valid after ready().
    [[nodiscard]] const hw::IdentifyFacts& identify() const { return facts_; }
    [[nodiscard]] bool queued_trim() const { return queued_trim_; }
    [[nodiscard]] bool ready() const override {
        return state_ == State::running || state_ == State::recovering;
    }
    [[nodiscard]] bool recovering() const override { return state_ == State::recovering; }
    [[nodiscard]] bool holds_back() const override { return Host::holds_back() || !retries_.empty(); }

    /// Sends `command` when the host is running and no command is outstanding, before any new request. The
    /// command must stay unchanged until it has ended.
    void pass_through(PassThrough& command);
    void shut_down() override;
    [[nodiscard]] std::optional<bool> is_shut_down() override;
    void tell(hal::Metrics& metrics) const override { port_.tell(metrics); }
    void power_cut() override;

  private:
    enum class State : std::uint8_t { no_device, starting, running, recovering };
    /// A command of the host's own: non-queued, one at a time.
    enum class Internal : std::uint8_t {
        none,
        identify,
        send_receive_log,
        set_write_cache,
        error_log,
        pass_through,
    };
    struct AtaJob final : Job {
        PortCommand wire;
        std::vector<std::byte> dsm_blocks;
    };

    // Implements Host.
    [[nodiscard]] std::unique_ptr<Job> make_job() const override { return std::make_unique<AtaJob>(); }
    [[nodiscard]] Splitter::Limits limits() const override;
    [[nodiscard]] bool at_rest() const override;
    void slot_freed(std::uint16_t slot) override;

    // Implements PortUser (ata_host_answers.cpp).
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

    void issue();
    void send_command(AtaJob& job);
    [[nodiscard]] hw::RegisterH2d registers(const AtaJob& job) const;
    /// Stores how the job's command has ended.
    static void answered(Job& job, std::uint8_t status, std::uint8_t error, Lba error_lba = {});
    /// The command with this tag, or null.
    [[nodiscard]] AtaJob* job_of(std::size_t tag) const { return static_cast<AtaJob*>(active(tag)); }

    DevicePort& port_;
    State state_ = State::no_device;
    Internal internal_ = Internal::none;
    hw::IdentifyFacts facts_;
    bool queued_trim_ = false;
    std::uint32_t depth_ = 1;

    hw::Ring<Job*> retries_{std::size_t{2} * (hw::ata::kTags + 1)};
    std::vector<Job*> aborted_;      // during recovery
    std::uint32_t active_mask_ = 0;  // tags of outstanding queued commands
    static constexpr std::size_t kMostPassThrough = 64;
    hw::Ring<PassThrough*> pass_through_{kMostPassThrough};  // the front one may already be sent
    PassThrough standby_;
    PortCommand own_;                  // the present internal command
    std::vector<std::byte> received_;  // data of internal commands
};

}  // namespace solidtlm::testbench
