// SPDX-License-Identifier: Apache-2.0
//
// The device side of SATA: transport and command layer (Serial ATA 3.x clauses 10 and 13.6, ACS-3), and the
// host interface that firmware sees (fw/hal/host.h).
//
// Errors of NCQ commands (ACS-3 4.16.5): a command that fails upon receipt (bad address, tag out of range or
// in use, unsupported, mixed with non-queued ones) ends with a Register FIS with ERR; one that fails later
// ends with a Set Device Bits FIS with ERR and no bit in SActive. Either way every outstanding command is
// aborted and the queue halts: READ LOG EXT of log 10h (answered by a Set Device Bits FIS with all SActive
// bits, then the log) or a reset ends that, anything else is aborted. FISes that end a queue wait until what
// the link has already taken has gone.
//
// Aborted commands belong to firmware until it completes them: their transfers end at once with
// HostTransfer::aborted, their completion is ignored, their slot is not used before.
//
// Firmware gets commands in the order in which they were accepted: what follows a TRIM waits until its ranges
// have arrived.
//
// A FIS that cannot be part of the protocol is an SC_REPORT_ERROR("/ssd/sata").
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <tlm>
#include <vector>

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "fw/hal/host.h"
#include "fw/hal/probe.h"
#include "hw/sata/command_layer.h"
#include "hw/sata/config.h"
#include "hw/sata/data_path.h"
#include "hw/sata/fis.h"
#include "hw/sata/identify.h"
#include "hw/sata/log_pages.h"
#include "hw/sata/slot.h"
#include "hw/tlm/payload_pool.h"
#include "hw/tlm/ring.h"
#include "hw/tlm/timed_queue.h"

namespace solidtlm::hw {

struct DeviceStatistics {
    std::uint64_t accepted = 0;         ///< commands, those the device answers itself included
    std::uint64_t completed = 0;        ///< with good status
    std::uint64_t failed = 0;           ///< with error status, rejected ones included
    std::uint64_t aborted = 0;          ///< because of another command's error, or a reset
    std::uint64_t set_device_bits = 0;  ///< FISes that completed commands
    std::uint64_t read_bytes = 0;       ///< of completed commands
    std::uint64_t written_bytes = 0;
    std::uint32_t max_outstanding = 0;
};

class SataDevice : public sc_core::sc_module, public hal::Host, private DataPathPort {
  public:
    tlm_utils::passthrough_target_socket<SataDevice> link_target;  ///< from the link
    tlm_utils::simple_initiator_socket<SataDevice> link_init;      ///< to the link
    tlm_utils::simple_initiator_socket<SataDevice> dram_init;      ///< to the DRAM's host port

    /// REQUIRES: config.exported_sectors > 0, queue_depth 1-32.
    SataDevice(const sc_core::sc_module_name& name, const SataConfig& config);

    // hal::Host
    hal::HostCommand* fetch() override;
    void on_arrival(hal::Completion arrived) override { arrived_ = arrived; }
    void transfer(hal::HostTransfer& transfer) override;
    void complete(hal::HostCommand& command, hal::HostStatus status) override;

    [[nodiscard]] const DeviceStatistics& statistics() const { return statistics_; }
    [[nodiscard]] const SataConfig& config() const { return config_; }
    /// Null: nobody watches.
    void set_probe(hal::Probe* probe) { probe_ = probe; }
    /// Commands accepted and not answered.
    [[nodiscard]] std::uint32_t outstanding() const;
    /// The command accepted under `tag` (32: non-queued) and not answered, or null. For reports.
    [[nodiscard]] const hal::HostCommand* command(std::uint8_t tag) const { return by_tag_[tag]; }
    /// Slots that firmware or device still hold, aborted commands included.
    [[nodiscard]] std::size_t slots_in_use() const { return slots_.size() - free_slots_.size(); }
    [[nodiscard]] bool halted() const { return halted_; }

    /// COMRESET: everything outstanding is aborted, the signature is sent when the link is free.
    void comreset();
    /// Power is gone: nothing is outstanding any more and firmware is not called. Cut the link's power too.
    void power_cut();
    /// Sends the signature, as at the start of simulation. Firmware has called on_arrival() again.
    void power_on();

  private:
    enum class Event : std::uint8_t { frame_received, frame_sent, dram_done, transfer, complete };
    struct Work {
        Event event{};
        FisType type{};               // frame_sent
        bool device_to_host = false;  // frame_sent
        hal::HostStatus status{};     // complete
        std::uint32_t life = 0;       // of the device between power cuts
        void* object = nullptr;
    };

    static constexpr const char* kReport = "/ssd/sata";

    // TLM callbacks
    tlm::tlm_sync_enum link_nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay);
    void link_b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    tlm::tlm_sync_enum link_nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay);
    tlm::tlm_sync_enum dram_nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay);

    // Processes
    void start_of_simulation() override;
    void device_method();

    // DataPathPort
    void send_fis(const FisHeader& header, std::byte* content, std::uint32_t bytes) override;
    void access_dram(tlm::tlm_command command, const TransferQueue::Run& run, std::byte* content) override;
    void internal_data_arrived(Slot& slot) override;

    // Frames (device.cpp)
    void schedule(Ps at, Event event, void* object);
    void frame_received(tlm::tlm_generic_payload& payload);
    void frame_sent(const Work& work);
    void dram_done(tlm::tlm_generic_payload& payload);
    void send_when_drained(const FisHeader& header);
    void flush_deferred();
    void hand_to_link(const FisHeader& header, std::byte* content, std::uint32_t bytes);

    // Commands (device_commands.cpp)
    void control_received(const RegisterH2d& fis);
    void command_received(const RegisterH2d& fis, hal::Ledger* ledger);
    [[nodiscard]] bool conflicts(const DecodedCommand& command) const;
    void reject(const RegisterH2d& fis, const DecodedCommand& command, std::uint8_t error);
    void accept(const RegisterH2d& fis, const DecodedCommand& command, hal::Ledger* ledger);
    void answer_itself(const RegisterH2d& fis, const DecodedCommand& command);
    void read_log(const RegisterH2d& fis, const DecodedCommand& command);
    void send_pio_block();
    void pio_block_sent();
    void tell_firmware();
    void withdraw(const Slot& slot);
    void transfer_asked(Slot* slot);
    void command_completed(Slot& slot, hal::HostStatus status);
    void finish_ok(Slot& slot);
    void finish_error(Slot& slot, std::uint8_t status, std::uint8_t error, hal::Lba lba);
    void halt(const NcqError& error);
    void send_completions(bool all);
    void send_status(std::uint8_t status, std::uint8_t error, hal::Lba lba, std::uint16_t count);
    void abort_all();
    void send_signature();
    Slot& take_slot();
    void free_slot(Slot& slot);
    void tell_outstanding();
    void return_ledger(Slot& slot);

    const SataConfig config_;
    DataPath data_path_;
    IdentifyState identify_state_;
    hal::Completion arrived_;

    TimedQueue<Work> agenda_{"agenda_event"};
    std::uint32_t life_ = 0;
    PayloadPool<FisExtension> fis_pool_;
    PayloadPool<DramExtension> dram_pool_;
    tlm::tlm_generic_payload* dram_access_ = nullptr;
    Ring<tlm::tlm_generic_payload*> received_;

    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<Slot*> free_slots_;
    std::array<Slot*, ata::kTags + 1> by_tag_{};  // the last: the non-queued command
    std::uint32_t sactive_ = 0;                   // tags the host has not been told the end of
    Ring<Slot*> to_fetch_;
    Ring<hal::HostTransfer*> late_transfers_;  // asked for after the abort of their command
    Ring<std::uint8_t> completed_tags_;
    bool sdb_in_link_ = false;

    bool halted_ = false;
    std::optional<NcqError> error_;
    bool in_reset_ = false;  // SRST is set
    Ring<FisHeader> deferred_;
    std::uint32_t frames_in_link_ = 0;

    std::vector<LogPage> pio_pages_;  // PIO data-in under way
    std::size_t pio_next_ = 0;
    bool pio_active_ = false;
    bool pio_data_in_link_ = false;

    DeviceStatistics statistics_;
    std::uint32_t next_id_ = 1;
    hal::Probe* probe_ = nullptr;
};

}  // namespace solidtlm::hw
