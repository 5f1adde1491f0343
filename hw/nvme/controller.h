// SPDX-License-Identifier: Apache-2.0
//
// An NVMe controller as a protocol machine: registers, queues and commands, without time and sockets. It asks
// its Surroundings for accesses to host memory and hands commands to firmware; what they answer drives it.
//
//   write(doorbell) -> arbiter -> fetch of entries -> fields checked -> PRP lists -> firmware, or own data
//                                                                              -> completion -> interrupt
//
// A command holds a slot from its fetch to the end of its completion. While no slot is free nothing is
// fetched, so back pressure lands in the submission queue. Admin commands have some slots of their own. A
// full completion queue holds completions back, unless their submission queue is being deleted.
//
// A reset (CC.EN from 1 to 0, or of the function) waits until nothing is under way any more, firmware's
// commands included; then CSTS.RDY becomes 0. Nothing is answered then. If an entry cannot be fetched or a
// completion cannot be written, CSTS.CFS is set, and only a reset helps.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/nvme/admin_commands.h"
#include "hw/nvme/arbiter.h"
#include "hw/nvme/interrupts.h"
#include "hw/nvme/io_commands.h"
#include "hw/nvme/surroundings.h"

namespace solidtlm::hw::nvme {

class Controller {
  public:
    static constexpr std::uint32_t kFetches = 4;  ///< at a time

    /// REQUIRES: the configuration is within its bounds.
    Controller(const NvmeConfig& config, Surroundings& surroundings);

    // Registers, by byte offset in BAR0. REQUIRES: a multiple of 4. Narrower accesses have no effect.
    [[nodiscard]] Word read(std::uint32_t offset) const;
    void write(std::uint32_t offset, Word value);
    /// The MSI-X capability of configuration space.
    void set_msix(bool enabled, bool masked) {
        interrupts_.set_msix(enabled, masked);
        interrupts_.update_pin(state_.queues);
    }
    /// The function is reset: like CC.EN = 0, and all registers get their defaults.
    void reset_function();

    // Answers of the surroundings.
    /// `ok`: memory answered.
    void ended(const Access& access, bool ok);
    /// What firmware says is what the host hears, unless memory did not take or give all of the data.
    void completed(Slot& slot, hal::HostStatus status);
    void alarm() { interrupts_.alarm(state_.queues); }

    [[nodiscard]] Slot& slot(std::uint16_t index) { return slots_.at(index); }
    [[nodiscard]] std::span<const Slot> slots() const { return slots_; }
    /// Of the controller's own flush, the last one.
    [[nodiscard]] bool own(const Slot& slot) const { return &slot == &slots_.back(); }

    /// Commands that hold a slot, without those that wait for an event.
    [[nodiscard]] std::uint32_t busy() const { return busy_; }

  private:
    static constexpr std::uint32_t kMostInFetch = 64;
    struct Fetch {
        Access access;
        std::vector<std::byte> entries;
        std::vector<std::uint16_t> slots;
        std::uint32_t queue = 0;
        bool busy = false;
    };
    enum class Shutdown : std::uint8_t { none, going_on, flushing, complete };

    // Registers
    void write_control(Word value);
    void write_doorbell(std::uint32_t doorbell, Word value);
    [[nodiscard]] Word status() const;
    [[nodiscard]] std::uint64_t asq() const {
        return admin_queues_[0] | std::uint64_t{admin_queues_[1]} << 32U;
    }
    [[nodiscard]] std::uint64_t acq() const {
        return admin_queues_[2] | std::uint64_t{admin_queues_[3]} << 32U;
    }
    [[nodiscard]] bool may_enable() const;
    void enable();
    void begin_reset();
    void end_reset();
    void fail();
    void raise(ErrorEvent event, std::uint32_t queue);

    // The way of a command
    void go_on();
    void fetch();
    void fetched(Fetch& fetch, bool ok);
    void begin(Slot& slot);
    void dispatch(Slot& slot);
    void gather(Slot& slot);
    void move(Slot& slot);
    void received(Slot& slot);
    void finish(Slot& slot);
    void drop_held(std::uint16_t queue);
    void post(Slot& slot);
    void posted(Slot& slot);
    void release(Slot& slot);
    void release_waiting();
    void start(Slot& slot, Access::Kind kind, bool write, std::uint64_t address, std::span<std::byte> bytes);
    bool abort(std::uint16_t queue, std::uint16_t id);
    [[nodiscard]] CompletionQueue& completion_queue(const Slot& slot);
    /// Nothing that ends may be answered or go on.
    [[nodiscard]] bool dead() const { return resetting_ || fatal_; }

    const NvmeConfig config_;
    Surroundings& surroundings_;
    ControllerState state_;
    AdminCommands admin_;
    IoCommands io_;
    Arbiter arbiter_;
    Interrupts interrupts_;

    std::vector<Slot> slots_;  ///< the last one is the controller's own flush
    std::vector<std::vector<std::uint16_t>>
        uses_;  ///< by submission queue and command id: slots with that name
    std::vector<std::uint16_t> free_;
    std::array<Fetch, kFetches> fetches_;
    std::uint32_t accepted_ = 0;  ///< by firmware, for HostCommand::id
    std::uint32_t busy_ = 0;      ///< slots that are not free, parked or held
    std::uint32_t fetching_ = 0;  ///< fetches under way

    Word cc_ = 0;
    Word aqa_ = 0;
    std::array<Word, 4> admin_queues_{};  ///< ASQ, ACQ, the low half of each first
    bool ready_ = false;
    bool fatal_ = false;
    bool resetting_ = false;
    Shutdown shutdown_ = Shutdown::none;
};

}  // namespace solidtlm::hw::nvme
