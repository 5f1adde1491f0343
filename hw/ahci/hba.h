// SPDX-License-Identifier: Apache-2.0
//
// An AHCI 1.3.1 host bus adapter: registers with a target socket, an initiator socket for memory, an
// interrupt line, and a SATA link at each port (docs/ahci.md).
//
//   processor --> register_target [ generic registers | port 0 ... ] link_init[n]   --> link.host.target
//   memory   <--- dma_init        [ one access at a time, in turn  ] link_target[n] <-- link.host.init
//                 interrupt <---- [ GHC.IE, IS                     ]
//
// register_target: b_transport of 1, 2, 4 or 8 bytes at addresses that are multiples of that; anything else
// is refused, and so are byte enables. An access waits for the caller's delay and the adapter's own time and
// takes effect then: a status is read at that time. transport_dbg reads without time and side effects, and
// cannot write. dma_init: b_transport from the adapter's own thread, accesses of all ports in the order of
// the requests, each with the memory's delay and those of AhciConfig. link_init, link_target: as
// hw/sata/link.h says of a host. A port without a link has no drive. Drives carry their contents as bytes
// (hal::ContentMode::bytes).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "fw/hal/metrics.h"
#include "hw/ahci/config.h"
#include "hw/ahci/port.h"
#include "hw/ahci/port_bus.h"
#include "hw/tlm/agenda_module.h"
#include "hw/tlm/payload_pool.h"
#include "hw/tlm/ring.h"

namespace solidtlm::hw {

struct AhciStatistics {
    struct Dma {
        std::uint64_t accesses = 0;
        std::uint64_t bytes = 0;
        Ps time{0};
    };
    std::array<Dma, ahci::kDmaKinds> dma{};  ///< by ahci::DmaKind
    std::uint64_t register_reads = 0;
    std::uint64_t register_writes = 0;
    std::uint64_t interrupts = 0;  ///< how often the line has risen

    void tell(hal::Metrics& metrics) const;
};

class AhciHba : public AgendaModule, private ahci::PortBus {
  public:
    using LinkInitiator = tlm_utils::simple_initiator_socket_tagged_optional<AhciHba>;
    using LinkTarget = tlm_utils::passthrough_target_socket_tagged_optional<AhciHba>;

    tlm_utils::simple_target_socket<AhciHba> register_target{"register_target"};
    tlm_utils::simple_initiator_socket<AhciHba> dma_init{"dma_init"};
    sc_core::sc_out<bool> interrupt{"interrupt"};
    sc_core::sc_vector<LinkInitiator> link_init{"link_init"};  ///< by port
    sc_core::sc_vector<LinkTarget> link_target{"link_target"};

    /// REQUIRES: 1-32 ports; a burst size that is 0 or a power of two.
    AhciHba(const sc_core::sc_module_name& name, const AhciConfig& config);

    /// Binds both sockets of a port to those of a link.
    template <class Target, class Initiator>
    void connect(std::uint32_t port, Target& to_link, Initiator& from_link) {
        link_init[port].bind(to_link);
        from_link.bind(link_target[port]);
    }
    [[nodiscard]] const AhciStatistics& statistics() const { return statistics_; }
    /// Provides the ledger of the command in a slot of a port, or null: the adapter marks the command's waits
    /// in it. Called before the start of simulation. REQUIRES: agendas that do not run ahead of the kernel.
    using Ledgers = std::function<hal::Ledger*(std::uint8_t port, std::uint8_t slot)>;
    void set_ledgers(Ledgers ledgers) { ledgers_ = std::move(ledgers); }

  private:
    struct Request {
        std::uint8_t port = 0;
        ahci::DmaAccess access;
    };

    // TLM callbacks.
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    tlm::tlm_sync_enum link_nb_transport_fw(int port, tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void link_b_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    tlm::tlm_sync_enum link_nb_transport_bw(int port, tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time& delay);

    // ahci::PortBus
    void access(std::uint8_t port, const ahci::DmaAccess& access) override;
    void send(std::uint8_t port, const SataFrame& frame) override;
    hal::Ledger* ledger(std::uint8_t port, std::uint8_t slot) const override {
        return ledgers_ ? ledgers_(port, slot) : nullptr;
    }
    void take_frames(std::uint8_t port) override;
    bool connected(std::uint8_t port) const override { return link_init[port].size() > 0; }
    void comreset(std::uint8_t port) override;
    void begin_phy(std::uint8_t port) override;
    void interrupt_changed() override;

    void start_of_simulation() override;
    void dma_thread();
    ahci::DmaResult carry_out(const ahci::DmaAccess& access);

    // Work of the agenda.
    void power_up();
    void frame_arrived(std::uint64_t port);
    void frame_sent(std::uint64_t port_and_lost);
    void phy_found(std::uint64_t port_and_epoch);
    void drive_interrupt();

    // Registers.
    [[nodiscard]] ahci::Word read(std::uint32_t offset) const;
    void write(std::uint32_t offset, ahci::Word value, ahci::Word mask);
    void write_control(ahci::Word value);
    std::uint8_t signal(std::uint8_t port, LinkSignal signal);

    const AhciConfig config_;
    std::vector<std::unique_ptr<ahci::Port>> ports_;
    std::vector<tlm::tlm_generic_payload*> held_;  // by port: the frame that waits on the link
    std::vector<std::uint32_t> phy_epoch_;         // by port: COMRESETs so far
    ahci::Word ghc_ = ahci::kGhcAe;
    ahci::Word is_ = 0;
    bool line_asked_ = false;  // drive_interrupt() is scheduled

    Ring<Request> requests_{ahci::kMostPorts};
    sc_core::sc_event dma_event_{"dma_event"};
    PayloadPool<FisExtension> fis_pool_{std::size_t{4} * ahci::kMostPorts};
    Ledgers ledgers_;
    std::vector<std::byte> no_content_;  // for Data FISes without content
    AhciStatistics statistics_;
};

}  // namespace solidtlm::hw
