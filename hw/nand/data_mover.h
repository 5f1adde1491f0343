// SPDX-License-Identifier: Apache-2.0
//
// Data of flash operations between DRAM and the controller, and through the ECC encoder: fetched and encoded
// for programs while they wait for their die, stored for reads.
#pragma once

#include "hw/nand/config.h"
#include "hw/nand/ecc.h"
#include "hw/nand/flash_agenda.h"
#include "hw/tlm/dram_socket.h"

namespace solidtlm::hw {

class DataMover : private DramClient {
  public:
    /// All references must outlive it.
    DataMover(const NandConfig& config, const PagePlanner& planner, DramSocket& dram,
              FlashRequestPool& requests, FlashAgenda& agenda);

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
    // DramClient
    void dram_granted(std::uint64_t id, Ps end, const DramTimes& times) override;

    void issue(FlashRequest& request, bool write, std::vector<std::byte>& content);
    void record(FlashRequest& request, std::size_t access, Ps end, Ps transfer);
    void encode(FlashRequest& request);

    const PagePlanner& planner_;
    DramSocket& dram_;
    FlashRequestPool& requests_;
    FlashAgenda& agenda_;
    EccPipeline encoder_;
};

}  // namespace solidtlm::hw
