// SPDX-License-Identifier: Apache-2.0
//
// One NAND die (LUN): array, page register, R/B# and status register (ONFI 4.0 chapter 5; timing of the array
// as in part data sheets). Its only initiator is the flash controller of its channel, which speaks
// nand_protocol.h. It has no process: the die executes a command when it is confirmed and returns how long
// its R/B# stays low or, after a read that leaves the other planes to others (plane_reads.h), how long its
// plane is busy.
#pragma once

#include <array>
#include <systemc>
#include <vector>

#include "hw/nand/array.h"
#include "hw/nand/config.h"
#include "hw/nand/nand_protocol.h"
#include "hw/nand/plane_operations.h"
#include "hw/nand/plane_reads.h"
#include "hw/nand/word_lines.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw {

/// What a capacitor was used for.
struct CapacitorUse {
    std::uint64_t pages = 0;  ///< programmed, or brought to the end of their program
    Ps time{0};               ///< that it had to last
};

class Die : public sc_core::sc_module {
  public:
    NandTargetSocket<Die> channel_target{"channel_target"};

    Die(const sc_core::sc_module_name& name, const NandConfig& config, hal::Channel channel, hal::Die die);

    [[nodiscard]] NandArray& array() { return array_; }
    [[nodiscard]] const NandArray& array() const { return array_; }
    /// R/B# rises (or rose) at this instant: all planes are ready.
    [[nodiscard]] Ps ready_at() const { return state_.ready_at; }
    [[nodiscard]] bool suspended() const { return state_.suspended; }
    [[nodiscard]] std::uint8_t status_register(Ps at) const;
    /// tPROG of the operation: of that kind of page, in that mode, on blocks as worn as these.
    [[nodiscard]] Ps program_time(const hal::FlashOp& op) const;

    /// Before a power cut: a capacitor lasts until the program that the array is busy with has ended, if
    /// there is one; one that is suspended goes on. Says what for.
    CapacitorUse finish_program();
    /// Power is lost now: pages being programmed and blocks being erased are torn, and the die is idle. A
    /// command whose cycles had begun counts as begun.
    void power_cut();

  private:
    /// A program or erase in the array.
    struct Running {
        bool erase = false;
        std::uint32_t slots = 0;
        std::array<hal::FlashAddress, hal::kMaxPagesPerOp> address{};
        Ps until{0};
    };

    void b_transport(NandTransaction& command, sc_core::sc_time& delay);
    void execute(NandTransaction& command, Ps at);
    bool refuse(NandTransaction& command, Ps at);
    void read(NandTransaction& command, Ps at);
    void program(NandTransaction& command, Ps at);
    void erase(hal::FlashOp& op, Ps at);
    void copy_back_read(hal::FlashOp& op, Ps at);
    void copy_back_program(hal::FlashOp& op, Ps at);
    void set_features(NandTransaction& command, Ps at);
    void suspend(Ps at);
    void resume(Ps at);
    void remember(const hal::FlashOp& op, bool erase);
    /// True if a program or an erase has begun and not ended.
    [[nodiscard]] bool at_work() const { return state_.suspended || now() < state_.running.until; }
    /// Makes the whole die busy until `ready`.
    void busy_until(Ps ready);
    /// The time at which the planes that the command needs are ready.
    [[nodiscard]] Ps ready_for(const NandTransaction& command) const;
    [[nodiscard]] Ps read_time(hal::Page page, bool slc) const {
        return slc ? slc_.read : word_lines_.time_of(page, timing_.read);
    }
    [[nodiscard]] Ps worn(Ps fresh, double change, const hal::FlashOp& op) const;

    NandArrayTiming timing_;
    NandSlcMode slc_;
    NandPlaneReads plane_reads_;
    WordLines word_lines_;
    hal::Channel channel_;
    hal::Die die_;
    std::uint32_t cycles_before_;
    NandArray array_;
    PlaneOperations operations_;
    struct Volatile {
        Ps ready_at{0};
        std::array<Ps, hal::kMaxPlanesPerOp> plane_ready{};
        std::uint8_t retry_level = 0;
        bool suspended = false;
        Ps suspended_rest{0};  ///< array time that the suspended operation still needs
        bool fail = false;
        Running running;  ///< the last one
    } state_;
};

}  // namespace solidtlm::hw
