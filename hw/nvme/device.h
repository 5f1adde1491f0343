// SPDX-License-Identifier: Apache-2.0
//
// The drive's end of NVMe over PCI Express: the controller (controller.h) with sockets and time, and the host
// interface that firmware sees (fw/hal/host.h).
//
//   processor  --> register_target [ registers of BAR0          ]
//   memory    <--> dma_init        [ controller, PCI Express    ] dram_init --> DRAM's host port
//                     interrupt <--[ link (hw/pcie), data path  ]
//
// register_target: b_transport of 4 or 8 bytes at a multiple of that, within BAR0; anything else is refused.
// It waits for the caller's delay. A doorbell takes effect when it has passed the link, which is the delay
// that comes back: the processor need not wait for it. Other accesses take no time, because no driver makes
// them on the way of a command. A host on the device's agenda calls load() and store() instead, because
// agendas run in method processes. dma_init: any memory of the base protocol (memory_socket.h).
//
// A command's ledger is the host's until it has been fetched. From then on the device marks a copy, which
// becomes the host's again when the completion is visible.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <systemc>
#include <tlm>

#include <tlm_utils/simple_target_socket.h>

#include "fw/hal/host.h"
#include "fw/hal/metrics.h"
#include "fw/hal/probe.h"
#include "hw/nvme/controller.h"
#include "hw/nvme/data_path.h"
#include "hw/nvme/memory_socket.h"
#include "hw/pcie/link.h"
#include "hw/tlm/agenda_module.h"
#include "hw/tlm/dram_socket.h"
#include "hw/tlm/ring.h"
#include "hw/tlm/wake_up.h"

namespace solidtlm::hw {

struct NvmeStatistics {
    std::uint64_t doorbells = 0;
    std::uint64_t fetches = 0;          ///< of one or more entries of a submission queue
    std::uint64_t prp_lists = 0;        ///< fetched
    std::uint64_t completions = 0;      ///< written
    std::uint64_t messages = 0;         ///< of MSI-X, sent
    std::uint64_t firmware = 0;         ///< commands that firmware has got
    std::uint64_t failed = 0;           ///< of them
    std::uint64_t transfer_errors = 0;  ///< of those that did not fail, by memory that did not answer
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;

    void tell(hal::Metrics& metrics) const;
};

class NvmeDevice final : public AgendaModule,
                         public hal::Host,
                         private nvme::Surroundings,
                         private nvme::MemoryClient {
  public:
    tlm_utils::simple_target_socket_optional<NvmeDevice> register_target{"register_target"};
    nvme::MemorySocket dma_init;
    DramSocket dram_init;
    sc_core::sc_out<bool> interrupt{"interrupt"};

    /// REQUIRES: configurations within their bounds.
    NvmeDevice(const sc_core::sc_module_name& name, const NvmeConfig& config, const PcieConfig& link);

    // hal::Host
    hal::HostCommand* fetch() override { return state_.to_fetch.empty() ? nullptr : state_.to_fetch.pop(); }
    /// After a loss of power the firmware that was told is gone. What comes before the next one asks waits.
    void on_arrival(hal::Completion arrived) override { state_.arrived = arrived; }
    void transfer(hal::HostTransfer& transfer) override;
    void complete(hal::HostCommand& command, hal::HostStatus status) override;

    // Registers by byte offset in BAR0, at once, as register_target has them. REQUIRES: a multiple of 4.
    [[nodiscard]] nvme::Word load(std::uint32_t offset) const { return controller_->read(offset); }
    /// Returns after which time it takes effect.
    Ps store(std::uint32_t offset, nvme::Word value);

    /// The MSI-X capability of configuration space.
    void set_msix(bool enabled, bool masked) { controller_->set_msix(enabled, masked); }
    /// The function is reset.
    void reset_function() { controller_->reset_function(); }
    /// Power is gone: registers have their defaults, nothing is on its way, and firmware is not called.
    void power_cut();

    /// Of the command with this id in a submission queue, or null. Before the start of simulation.
    using Ledgers = std::function<hal::Ledger*(std::uint16_t queue, std::uint16_t id)>;
    void set_ledgers(Ledgers ledgers) { ledgers_ = std::move(ledgers); }
    /// Called whenever the host can reach the device again: power has come. Before the start of simulation.
    void set_link_up(hal::Completion link_up) { link_up_ = link_up; }
    /// Power is back: the host is told.
    void power_on();
    /// Null: no recorder watches.
    void set_probe(hal::Probe* probe);
    [[nodiscard]] const NvmeStatistics& statistics() const { return statistics_; }
    /// The statistics and those of the socket to memory.
    void tell(hal::Metrics& metrics) const;
    [[nodiscard]] const PcieLink& link() const { return link_; }
    /// Commands that it holds at once.
    [[nodiscard]] static std::uint32_t command_slots(const NvmeConfig& config) {
        return config.command_slots + nvme::kAdminSlots + 1;
    }
    /// Commands that firmware has not fetched.
    [[nodiscard]] std::size_t not_fetched() const { return state_.to_fetch.size(); }
    /// The command of an I/O queue with this id that firmware has, or null.
    [[nodiscard]] const hal::HostCommand* command(std::uint16_t id) const;
    [[nodiscard]] bool in_data_phase() const { return data_path_.busy(); }

  private:
    struct Message {
        std::uint64_t address = 0;
        nvme::Word data = 0;
    };

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

    // nvme::Surroundings
    void start(nvme::Access& access) override;
    void submit(nvme::Slot& slot) override;
    void message(std::uint64_t address, nvme::Word data) override;
    void pin(bool level) override;
    void wake(Ps at) override { alarm_.arm(at); }
    [[nodiscard]] Ps time() const override { return now(); }

    // nvme::MemoryClient
    void memory_answered(std::uint64_t access, bool ok) override;
    void use_memory(nvme::Access& access);

    // Entries of the agenda
    void doorbell_came(std::uint64_t offset_and_value);
    void requested(nvme::Access* access) { use_memory(*access); }
    void written(nvme::Access* access);
    void ended(nvme::Access* access);
    void sent_message();
    void drive_interrupt();
    void transfer_asked(nvme::Slot* slot) { data_path_.transfer_asked(*slot); }
    void completed(nvme::Slot* slot);
    void alarm() { controller_->alarm(); }
    void link_came_up() { link_up_(); }

    void start_of_simulation() override { power_on(); }
    void take_ledger(nvme::Slot& slot, hal::Stage stage);
    void count_under_way(std::int32_t more);

    struct Volatile {
        explicit Volatile(const NvmeConfig& config)
            : to_fetch(command_slots(config)), messages(command_slots(config) + config.vectors) {}
        Ring<nvme::Slot*> to_fetch;
        /// On their way: one behind the completion of each command, because no command is fetched before the
        /// messages asked for earlier have gone; and one of each vector that has waited, masked or for more
        /// completions.
        Ring<Message> messages;
        std::deque<std::array<std::byte, sizeof(nvme::Word)>> without_place;  ///< messages at the root
        bool level = false;                                                   // of the interrupt pin
        hal::Completion arrived;
        std::uint32_t under_way = 0;  ///< commands that firmware has
    };

    const NvmeConfig config_;
    Volatile state_;
    PcieLink link_;
    nvme::DataPath data_path_;
    std::optional<nvme::Controller> controller_;  // a new one after a power cut
    WakeUp alarm_{*this, kCall<&NvmeDevice::alarm>};
    hal::Completion link_up_;
    Ledgers ledgers_;
    hal::Probe* probe_ = nullptr;
    NvmeStatistics statistics_;
};

}  // namespace solidtlm::hw
