// SPDX-License-Identifier: Apache-2.0
//
// Buffer memory of the controller: one DRAM channel with ports for the host interface, each flash channel,
// the hash unit and the firmware core.
//
// Ports are called (hw/tlm/dram_service.h), or speak the base protocol with nb_transport only, which the DRAM
// turns into calls: data_length = modelled bytes, data_ptr = content (hw/tlm/extensions.h) or null if no
// content moves.
//
// Queued ports (host, flash, hash). nb_transport_fw(BEGIN_REQ, delay 0). An idle DRAM answers TLM_COMPLETED
// with `delay` = time until the data has moved. A busy one acquires the payload, answers TLM_UPDATED/END_REQ
// and, when the request is granted, calls nb_transport_bw(BEGIN_RESP, delay = time to go), which must return
// TLM_COMPLETED. Either way DramExtension (if present) gets wait, counted from arrival, and transfer; their
// sum is the time from arrival to the last data. The content itself is copied when the request is granted.
// The DRAM serves one access at a time, except that the core cuts in.
//
// Core port. nb_transport_fw(BEGIN_REQ, any delay) is answered TLM_COMPLETED, wait + transfer added to the
// delay: like b_transport, which a method process may not call. The core never queues: it interrupts a
// running transfer as soon as quantum_bytes have moved, and the transfer goes on afterwards. The end of the
// running transfer has been announced by then, so the core's time is charged to the next transfer:
// bandwidth is conserved. The core may ask ahead of time (delay > 0). If such an access lies after the end
// of the running transfer it is noted, and transfers granted later flow around it. Approximations: bank
// states change when an access is booked, and an interrupted transfer does not activate its row again.
//
// transport_dbg reads and writes content without time. get_direct_mem_ptr gives the base of the content
// store: its addresses are bytes of content, not of DRAM (hal::content_bytes converts); the pointer stays
// valid over power_cut(). A bad address sets TLM_ADDRESS_ERROR_RESPONSE and is fatal except for
// transport_dbg, which returns 0.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

#include <tlm_utils/passthrough_target_socket.h>

#include "fw/hal/metrics.h"
#include "fw/hal/probe.h"
#include "hw/dram/arbiter.h"
#include "hw/dram/bank_timing.h"
#include "hw/dram/config.h"
#include "hw/dram/content_store.h"
#include "hw/tlm/dram_service.h"
#include "hw/tlm/ring.h"
#include "hw/tlm/time.h"
#include "hw/tlm/wake_up.h"

namespace solidtlm::hw {

struct DramPortStatistics {
    std::uint64_t accesses = 0;
    std::uint64_t delayed = 0;  ///< accesses that had to wait
    std::uint64_t bytes = 0;
    Ps busy{0};  ///< activation and burst; an access that a power cut ends counts until the cut
    Ps wait{0};
    Ps max_wait{0};

    void tell(hal::Metrics& metrics, const std::string& port) const;
};

struct DramStatistics {
    DramPortStatistics core;
    DramPortStatistics host;
    DramPortStatistics hash;
    std::vector<DramPortStatistics> flash;  ///< per channel
    BankTiming::RowCounts rows;             ///< an access counts once per row that it touches
    std::uint64_t cut_ins = 0;              ///< core accesses that cut into a transfer
    std::uint64_t activations = 0;          ///< grants to requests that waited

    /// Time the DRAM was busy for all ports.
    [[nodiscard]] Ps busy() const;
    void tell(hal::Metrics& metrics) const;
};

class Dram final : public AgendaModule, private DramClient {
    using Socket = tlm_utils::passthrough_target_socket_tagged<Dram>;

  public:
    Socket host_target;
    sc_core::sc_vector<Socket> flash_target;
    tlm_utils::passthrough_target_socket_tagged_optional<Dram> hash_target;  ///< may stay unbound
    tlm_utils::passthrough_target_socket_tagged_optional<Dram> core_target;  ///< may stay unbound

    /// A validated config; flash_ports is the number of flash channels, may be 0.
    Dram(const sc_core::sc_module_name& name, const DramConfig& config, std::uint32_t flash_ports);
    ~Dram() override;

    [[nodiscard]] DramStatistics statistics() const;
    /// Null: nothing is recorded.
    void set_probe(hal::Probe* probe) { probe_ = probe; }
    /// Requests that wait now.
    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] const DramConfig& config() const { return config_; }
    /// Content of the sector at `address`; null in mode none.
    [[nodiscard]] std::byte* content(hal::DramAddress address) { return store_.at(address); }
    /// A port for direct calls; flash channel n is port `flash` + n.
    [[nodiscard]] DramService& port(hal::DramPort port, std::uint32_t channel = 0) {
        return ports_[static_cast<std::size_t>(port) + channel];
    }

    /// Power is lost: contents, open rows and waiting requests are forgotten. The initiators lose power in
    /// the same instant: their requests are released and never answered.
    void power_cut();

  private:
    /// Identifies a socket: 0 host, 1 hash, 2 core, 3 and up flash.
    using PortId = int;
    class Port final : public DramService {
      public:
        Port(Dram& dram, PortId id) : dram_(dram), id_(id) {}
        std::optional<DramTimes> access(const DramRequest& request, Ps at) override;

      private:
        Dram& dram_;
        PortId id_;
    };
    /// A waiting request.
    struct Waiting {
        DramRequest request;
        PortId port = 0;
        Ps arrival{0};
        std::uint64_t sequence = 0;
    };
    /// A core access that was requested ahead of time.
    struct Booking {
        Ps begin;
        Ps end;
    };

    tlm::tlm_sync_enum nb_transport_fw(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    unsigned int transport_dbg(int port, tlm::tlm_generic_payload& payload);
    bool get_direct_mem_ptr(int port, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

    /// Ends the access of a payload: answers its initiator.
    void dram_granted(std::uint64_t id, Ps end, const DramTimes& times) override;

    std::optional<DramTimes> access(PortId port, const DramRequest& request, Ps at);
    DramTimes core_access(const DramRequest& request, Ps at);
    void grant();

    void register_port(Socket& socket, PortId port);
    [[nodiscard]] tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const;
    void require_valid(tlm::tlm_generic_payload& payload) const;
    void move_content(const DramRequest& request);
    /// Serves a request of `port`, which arrived at `arrival`, from `at` on.
    DramTimes serve(PortId port, const DramRequest& request, Ps arrival, Ps at);
    /// True if a transfer or a booking may delay a core access that begins at `at`.
    [[nodiscard]] bool in_the_way(Ps at) const {
        return at < state_.free_at || (!state_.bookings.empty() && state_.bookings.back().end > at);
    }
    /// The wait of a core access that begins at `at`; books its `duration`.
    Ps book_core(Ps at, Ps duration);
    [[nodiscard]] Ps after_bookings(Ps at, Ps current);
    void absorb_bookings(Ps from);
    /// Subtracts the part after `at` from busy times that were counted ahead.
    void end_busy(Ps at);
    void record(PortId port, const DramRequest& request, const DramTimes& times);
    [[nodiscard]] DramPortStatistics& port_statistics(PortId port);

    const DramConfig config_;
    BankTiming banks_;
    ContentStore store_;
    const DramArbitration& arbitration_;
    Ps quantum_;  ///< time of quantum_bytes on the bus

    struct Volatile {
        explicit Volatile(std::size_t most_requests)
            : queues{Ring<Waiting>(most_requests), Ring<Waiting>(most_requests),
                     Ring<Waiting>(most_requests)} {}
        std::array<Ring<Waiting>, kDramQueues> queues;
        std::uint64_t next_sequence = 0;
        PortId served_port = 0;         ///< port of the running transfer, or of the last one
        Ps served_begin{0};             ///< begin of that transfer
        Ps data_begin{0};               ///< its quanta are counted from here
        Ps free_at{0};                  ///< end of that transfer, including time taken by the core
        std::vector<Booking> cut_ins;   ///< core accesses within that transfer
        std::vector<Booking> bookings;  ///< in order of their begins; some may have passed
    } state_;
    std::vector<Port> ports_;                   ///< by PortId
    WakeUp grant_{*this, kCall<&Dram::grant>};  ///< armed: a request waits
    DramStatistics statistics_;
    hal::Probe* probe_ = nullptr;
};

}  // namespace solidtlm::hw
