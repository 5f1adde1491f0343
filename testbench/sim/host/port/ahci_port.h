// SPDX-License-Identifier: Apache-2.0
//
// A port with an AHCI adapter: memory, the adapter, an interrupt line, and a driver like libahci, which is
// one thread on one processor. Any AtaHost can use it, and its commands become register traffic.
//
//   AtaHost -> begin -> [ driver ] -- registers --> [ hba ] <--> link
//                           |         interrupt <--   |
//                           +------> [ memory ] <-----+
//
// A command: the driver writes its data, FIS, PRD table and header into memory, and its bit into PxSACT (if
// it is queued) and PxCI. An interrupt: the driver reads IS and PxIS and clears PxIS; PxSACT and PxCI show
// which commands have ended; IS is cleared last, so that commands that end meanwhile interrupt again. Errors:
// ST = 0, PxSERR and PxIS cleared, ST = 1; AtaHost does the rest. The driver's accesses to memory take no
// time (caches).
//
// Ledger of a command: host_cpu_wait and host_cpu for the driver, hba_fetch after the write to PxCI, then the
// stages that the adapter, link and drive mark; interrupt_wait from when its status is in memory until the
// driver looks, the last part of it interrupt_latency.
#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include <tlm_utils/simple_initiator_socket.h>

#include "hw/ahci/hba.h"
#include "hw/ahci/registers.h"
#include "hw/sata/fis.h"
#include "hw/tlm/agenda_module.h"
#include "hw/tlm/ring.h"
#include "testbench/examples/virtual_platform/board.h"
#include "testbench/sim/host/port/device_port.h"

namespace solidtlm::testbench {

struct AhciPortConfig {
    hw::AhciConfig adapter;
    std::uint32_t prd_bytes = 65536;   ///< contiguous memory per PRD; an even number
    std::uint32_t max_sectors = 2560;  ///< most sectors per command
    hal::Ps submit_time{0};            ///< processor time per command, in addition to register accesses
    hal::Ps complete_time{0};          ///< processor time per completion
    hal::Ps interrupt_latency{0};      ///< from the interrupt line to the driver; occupies no resource

    /// PRDs in a command table: AHCI_MAX_SG of libahci.
    static constexpr std::uint32_t kMostPrds = 168;
    /// The most sectors that a command can have, at most `max_sectors`.
    [[nodiscard]] std::uint32_t sectors() const;
};

class AhciPort final : public hw::AgendaModule, public DevicePort {
  public:
    /// From now on, `agenda` stays in step with the kernel.
    AhciPort(const sc_core::sc_module_name& name, const AhciPortConfig& config, hw::Agenda* agenda = nullptr);

    /// The adapter. The caller binds its port 0 to a link.
    hw::AhciHba& hba() { return hba_; }

    void set_user(PortUser& user) override { user_ = &user; }
    bool busy() const override { return false; }
    /// The adapter serves slots in turn.
    bool keeps_order() const override { return false; }
    void begin(PortCommand& command) override;
    void forget_queued() override;
    /// REQUIRES: never called, because an adapter does not handle power cuts.
    void power_cut() override;
    void tell(hal::Metrics& metrics) const override { hba_.statistics().tell(metrics); }

  private:
    using Word = hw::ahci::Word;
    using PortRegister = hw::ahci::PortRegister;
    struct News {
        bool queued = false;
        std::uint32_t tags = 0;
        hw::RegisterD2h answer;  ///< status and error of a queued command
    };

    // The driver's thread
    void driver_thread();
    void line_rose();
    void start();
    void submit(PortCommand& command);
    void write_table(std::uint8_t slot, const PortCommand& command);
    void interrupted();
    void recover();
    void finish(std::uint8_t slot, hal::Ps begin, hal::Ps looked);
    void take_data(std::uint8_t slot);
    void tell(const News& news);
    void settle();

    // Called by the agenda
    void tell_user();
    void settled();

    void access(tlm::tlm_command command, std::uint32_t offset, std::span<std::byte> bytes);
    Word load(std::uint32_t offset);
    void store(std::uint32_t offset, Word value);
    Word load(PortRegister which) { return load(hw::ahci::kPortBase + static_cast<std::uint32_t>(which)); }
    void store(PortRegister which, Word value) {
        store(hw::ahci::kPortBase + static_cast<std::uint32_t>(which), value);
    }
    [[nodiscard]] std::uint64_t data_address(std::uint8_t slot) const;
    [[nodiscard]] std::span<std::byte> memory(std::uint64_t address, std::uint64_t bytes);
    [[nodiscard]] hw::RegisterD2h answer();
    [[nodiscard]] const std::uint8_t* received(std::uint32_t offset);
    [[nodiscard]] std::uint32_t issued() const;

    const AhciPortConfig config_;
    const std::uint64_t slot_bytes_;
    Ram memory_;
    hw::AhciHba hba_;
    sc_core::sc_signal<bool> line_{"line"};
    hal::Ps raised_{0};  ///< when the interrupt line rose
    tlm_utils::simple_initiator_socket<AhciPort> register_init_{"register_init"};
    PortUser* user_ = nullptr;

    std::array<PortCommand*, hw::ahci::kSlots> slots_{};  ///< commands held by the drive or the driver
    hw::Ring<PortCommand*> asked_{hw::ahci::kSlots};
    News news_;
    sc_core::sc_event work_{"work_event"};
    sc_core::sc_event settled_{"settled_event"};
};

}  // namespace solidtlm::testbench
