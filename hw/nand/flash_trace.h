// SPDX-License-Identifier: Apache-2.0
//
// Reports a flash controller's work to a probe: the bus phases of timing.h cycle by cycle, dies and arrays.
// Without a probe it does nothing.
#pragma once

#include <vector>

#include "fw/hal/probe.h"
#include "hw/nand/flash_request.h"
#include "hw/nand/nand_protocol.h"
#include "hw/nand/plane_reads.h"
#include "hw/nand/timing.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw {

class FlashTrace {
  public:
    /// `timing` must outlive it.
    FlashTrace(const BusTiming& timing, const NandConfig& config, hal::Channel channel)
        : timing_(timing),
          channel_(channel),
          shared_enable_(config.geometry.dies_per_way > 1),
          selects_(always_selects(config)),
          plane_reads_(plane_reads_of(config)),
          ready_(config.geometry.dies) {}

    /// Null: nothing is recorded.
    void set_probe(hal::Probe* probe) { probe_ = probe; }

    void die_taken(const hal::FlashOp& op, hal::PlaneSet planes) const {
        if (probe_ != nullptr) {
            probe_->die_taken(now(), op, planes);
        }
    }
    void die_released(Ps at, hal::Die die, hal::PlaneSet planes) const {
        if (probe_ != nullptr) {
            probe_->die_released(at, channel_, die, planes);
        }
    }
    /// Reports a bus phase of `duration` from now that ends with a command to the die's array.
    void command(const FlashRequest& request, NandCommand code, Ps duration) const {
        if (probe_ != nullptr) {
            tell_command(request, code, duration);
        }
    }
    /// Reports that the array works from `begin`, the end of the cycles of `code`, to `ready`. R/B# is low
    /// until no plane works.
    void array(const hal::FlashOp& op, NandCommand code, Ps begin, Ps ready) {
        if (probe_ != nullptr) {
            tell_array(op, code, begin, ready);
        }
    }
    void data_out(const FlashRequest& request, Ps duration) const {
        if (probe_ != nullptr) {
            tell_data_out(request, duration);
        }
    }
    void status(const hal::FlashOp& op, Ps duration) const {
        if (probe_ != nullptr) {
            tell_status(op, duration);
        }
    }

  private:
    void tell_command(const FlashRequest& request, NandCommand code, Ps duration) const;
    void tell_array(const hal::FlashOp& op, NandCommand code, Ps begin, Ps ready);
    void tell_data_out(const FlashRequest& request, Ps duration) const;
    void tell_status(const hal::FlashOp& op, Ps duration) const;

    const BusTiming& timing_;
    hal::Channel channel_;
    bool shared_enable_;  ///< dies share chip enables and are selected by address
    bool selects_;
    NandPlaneReads plane_reads_;
    std::vector<Ps> ready_;  ///< by die: the last reported rise of R/B#
    hal::Probe* probe_ = nullptr;
};

}  // namespace solidtlm::hw
