// SPDX-License-Identifier: Apache-2.0
//
// Data of flash operations between DRAM and the controller, and through the ECC encoder: fetched and encoded
// for programs while they wait for their die, stored for reads.
//
// DRAM: base protocol. nb_transport_fw(BEGIN_REQ) with a DramExtension is answered TLM_COMPLETED with the
// delay, or later by nb_transport_bw(BEGIN_RESP).
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include "hw/nand/config.h"
#include "hw/nand/ecc.h"
#include "hw/nand/flash_agenda.h"
#include "hw/tlm/extensions.h"
#include "hw/tlm/payload_pool.h"

namespace solidtlm::hw {

class DataMover {
  public:
    using Socket = tlm_utils::simple_initiator_socket<DataMover>;

    /// All references must outlive it.
    DataMover(const NandConfig& config, Socket& dram, FlashRequestPool& requests, FlashAgenda& agenda);

    /// Fetches a program's data from DRAM.
    void load(FlashRequest& request);
    /// Is a program's data ready for the bus?
    [[nodiscard]] bool ready(const FlashRequest& request) const {
        return request.loaded && request.encoded_at <= now();
    }
    /// A program that is not ready() has its die and waits for its data: WakeKind::encoded tells the end.
    void wait_for(FlashRequest& request);
    /// Read data has left ECC: stores it. False: there is none.
    bool store(FlashRequest& request);
    /// WakeKind::dram. True: a read's data is stored; false: a program's is being encoded, or a read's has
    /// been added to what DRAM held, which is to be stored.
    bool accesses_done(FlashRequest& request);

    void power_cut();
    [[nodiscard]] Ps encoder_busy() const { return encoder_.busy(); }

  private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void plan(FlashRequest& request, bool write) const;
    void issue(FlashRequest& request, bool write, std::vector<std::byte>& content);
    void record(FlashRequest& request, std::size_t access, Ps end, Ps transfer);
    void encode(FlashRequest& request);

    hal::ContentMode content_;
    Socket& dram_;
    FlashRequestPool& requests_;
    FlashAgenda& agenda_;
    PayloadPool<DramExtension> payloads_{4 * hal::kMostFlashOperations};  ///< several pieces each
    EccPipeline encoder_;
};

}  // namespace solidtlm::hw
