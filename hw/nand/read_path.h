// SPDX-License-Identifier: Apache-2.0
//
// Moves the data of reads from the page register over the bus and through the ECC decoder.
#pragma once

#include "hw/nand/ecc.h"
#include "hw/nand/flash_request.h"
#include "hw/nand/timing.h"

namespace solidtlm::hw {

class ReadPath {
  public:
    /// `timing` must outlive it.
    ReadPath(const NandConfig& config, const BusTiming& timing);

    struct Ends {
        Ps left{0};     ///< the bus is free again
        Ps decoded{0};  ///< the last codeword has left ECC; not before `left`
    };
    /// The data of `request` begins to leave the die at `begin`. The request keeps its bursts until they have
    /// left.
    Ends begin(const FlashRequest& request, Ps begin);
    /// Power is lost at `at`: codewords that have not been decoded by then never are.
    void power_cut(Ps at);

    [[nodiscard]] Ps decoder_busy() const { return decoder_.busy(); }

  private:
    /// The last phase, and the state of the decoder before it.
    struct Phase {
        const FlashRequest* request = nullptr;
        Ps begin{0};
        Ps end{0};
        EccPipeline decoder;
    };
    Ends move(const FlashRequest& request, Ps begin);
    Ps decode(const Burst& burst, Ps begin);

    const BusTiming& timing_;
    bool selects_;  ///< the plane is also selected before data of one plane
    EccPipeline decoder_;
    Phase last_;
};

}  // namespace solidtlm::hw
