// SPDX-License-Identifier: Apache-2.0
//
// The command layer of the device: accepts, answers, completes and aborts commands (Serial ATA 3.x
// clause 13.6, ACS-3).
//
// Errors of NCQ commands (ACS-3 4.16.5): a command that fails upon receipt (bad address, tag out of range or
// in use, unsupported, mixed with non-queued ones) ends with a Register FIS with ERR; one that fails later
// ends with a Set Device Bits FIS with ERR and no bit in SActive. Either way the device aborts every
// outstanding command and halts the queue. Reading log 10h ends the halt (the device answers with a Set
// Device Bits FIS with all SActive bits, then the log), and so does a reset; until then the device aborts
// every other command. A FIS that ends a queue waits until the link has sent all frames that it has.
//
// Until such a FIS has gone, BSY is set for the host: a command that comes earlier is an
// SC_REPORT_ERROR("/ssd/sata") and not taken, except those of a halted queue, which are aborted.
//
// An aborted command that firmware has fetched belongs to firmware until firmware completes it: its transfers
// end early with HostTransfer::aborted, its completion is ignored, and its slot is not used before.
//
// Firmware gets commands in the order in which they were accepted: commands after a TRIM wait until the
// TRIM's ranges have arrived.
#pragma once

#include <cstdint>
#include <optional>

#include "fw/hal/host.h"
#include "fw/hal/metrics.h"
#include "hw/sata/command_layer.h"
#include "hw/sata/command_table.h"
#include "hw/sata/config.h"
#include "hw/sata/data_path.h"
#include "hw/sata/error_log.h"
#include "hw/sata/frame_sender.h"
#include "hw/sata/identify.h"
#include "hw/sata/log_pages.h"
#include "hw/sata/page_answer.h"
#include "hw/sata/power_mode.h"
#include "hw/sata/self_test.h"
#include "hw/tlm/ring.h"
#include "hw/tlm/wake_up.h"

namespace solidtlm::hw {

/// The device's counts of commands.
struct DeviceStatistics {
    std::uint64_t accepted = 0;         ///< commands, those the device answers itself included
    std::uint64_t completed = 0;        ///< with good status
    std::uint64_t failed = 0;           ///< with error status, rejected ones included
    std::uint64_t aborted = 0;          ///< because of another command's error, or a reset
    std::uint64_t set_device_bits = 0;  ///< FISes that completed commands
    std::uint64_t read_bytes = 0;       ///< of completed commands
    std::uint64_t written_bytes = 0;
    std::uint32_t max_outstanding = 0;

    void tell(hal::Metrics& metrics) const;
};

class CommandProtocol {
  public:
    /// All references must outlive it.
    CommandProtocol(AgendaModule& device, const SataConfig& config, FrameSender& sender, DataPath& data_path);

    // From the link
    /// A command or a write to the control register. `ledger` may be null.
    void received(const RegisterH2d& fis, hal::Ledger* ledger);
    /// A FIS has gone over the wire. False: the data path may have sent it.
    bool sent(FisType type);

    // From firmware (hal::Host)
    hal::HostCommand* fetch();
    void on_arrival(hal::Completion arrived) { state_.arrived = arrived; }
    /// Adds a transfer to its command's slot. Null: the command was aborted, and end_late_transfer() is to
    /// follow.
    Slot* take_transfer(hal::HostTransfer& transfer);
    void end_late_transfer();
    void completed(Slot& slot, hal::HostStatus status);

    /// All of slot.internal_data has arrived.
    void internal_data_arrived(Slot& slot);
    /// The last frame of a PIO read has gone, after firmware completed it.
    void pio_read_sent(Slot& slot) { finish_ok(slot); }
    /// Aborts every outstanding command. send_signature() is to follow.
    void comreset();
    void send_signature();
    void power_cut();
    void power_on() {
        smart_.errors.power_on(now());
        send_signature();
    }

    [[nodiscard]] const CommandTable& table() const { return table_; }
    [[nodiscard]] std::size_t not_fetched() const { return state_.to_fetch.size(); }
    [[nodiscard]] bool halted() const { return state_.halted; }
    [[nodiscard]] const DeviceStatistics& statistics() const { return statistics_; }
    [[nodiscard]] const PowerMode& power() const { return power_; }
    void set_probe(hal::Probe* probe) { table_.set_probe(probe); }

  private:
    void command_received(const RegisterH2d& fis, hal::Ledger* ledger);
    void control_received(const RegisterH2d& fis);
    [[nodiscard]] bool conflicts(const DecodedCommand& command) const;
    void reject(const RegisterH2d& fis, const DecodedCommand& command, std::uint8_t error);
    void accept(const RegisterH2d& fis, const DecodedCommand& command, hal::Ledger* ledger);
    void enter(Slot& slot, hal::Ledger* ledger);
    void hand_on(Slot& slot);
    void tell_firmware();
    [[nodiscard]] bool may_fetch() const;
    void withdraw(const Slot& slot);
    void finish_ok(Slot& slot);
    void finish_error(Slot& slot, std::uint8_t status, std::uint8_t error, hal::Lba lba);
    void halt(const NcqError& error);
    void send_completions(bool all);
    void abort_all();
    void reset();

    // command_answers.cpp
    void answer_itself(const RegisterH2d& fis, const DecodedCommand& command);
    [[nodiscard]] LogPage log_page(const PagesAsked& asked, std::uint32_t page) const;
    void read_log(const PagesAsked& asked);
    void answer_health(Slot& slot);
    void execute_off_line(const RegisterH2d& fis, const DecodedCommand& command, hal::Ledger* ledger);

    // command_own_work.cpp
    [[nodiscard]] static bool needs_flash(hal::HostOpcode opcode);
    [[nodiscard]] static bool for_firmware(const DecodedCommand& command);
    void change_power(const PowerAsked& asked);
    void wake();
    void arm_standby();
    void restart_standby();
    void standby_due();
    /// Something keeps the device from Standby.
    [[nodiscard]] bool busy() const;
    Slot& take_own(OwnWork work);
    void own_completed(Slot& slot, hal::HostStatus status);
    void test_next_piece();
    void end_self_test(SelfTest::Result result, std::optional<hal::Lba> unreadable = {});
    void stop_self_test();
    void interrupt_self_test();

    const SataConfig& config_;
    FrameSender& sender_;
    DataPath& data_path_;
    CommandTable table_;
    PageAnswer pages_;
    IdentifyState identify_state_;
    PowerMode power_;
    /// What the device keeps over losses of power.
    struct Smart {
        ErrorLog errors;
        SelfTest test;
        std::uint8_t off_line_status = 0;
    } smart_;
    WakeUp standby_due_;
    WakeUp awake_;  ///< armed: the flash is not ready before
    struct Volatile {
        hal::Completion arrived;
        Ring<Slot*> to_fetch{ata::kMostSlots};
        Ring<hal::HostTransfer*> late_transfers{ata::kMostSlots};  // asked for after their command's abort
        Ring<std::uint8_t> completed_tags{ata::kTags};
        bool sdb_in_link = false;
        bool halted = false;
        std::optional<NcqError> error;
        bool in_reset = false;  // SRST is set
        bool after_comreset = false;
        std::uint16_t signatures = 0;  // that followed COMRESET
        std::uint32_t test_piece =
            0;  // id of the piece that firmware reads of the self-test that runs; 0: none
        bool piece_at_firmware = false;  // that one, or one of a test that has ended
    } state_;

    DeviceStatistics statistics_;
    std::uint32_t next_id_ = 1;  // no two commands of a run share an id
};

}  // namespace solidtlm::hw
