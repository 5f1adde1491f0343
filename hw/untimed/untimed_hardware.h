// SPDX-License-Identifier: Apache-2.0
//
// Hardware on which everything happens at once: firmware that runs on it ages its flash array without
// simulating time. It works on the flash array and the DRAM content of the timed blocks, under the same
// NAND rules, so that firmware may move from one to the other when it is at rest.
//
// The clock stands still. A flash operation, a digest or a transfer ends, and its `done` is called, before
// submit() or transfer() returns; firmware only records that, and continues in its turn. The host never
// pauses: one command runs at a time, and the next one is there when it ends.
//
// Programs take most of a die's time. On a drive that is written to at full speed, they limit how far the
// host gets ahead of garbage collection. To keep the same limit, a program that is not the host's ends when
// the next program of the host on the same die does; when no other work can continue, one such program ends
// on every die. An alarm goes off when there is no other work at all.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fw/hal/core.h"
#include "fw/hal/dram.h"
#include "fw/hal/flash.h"
#include "fw/hal/flash_image.h"
#include "fw/hal/hash.h"
#include "fw/hal/host.h"
#include "hw/hash/digest.h"
#include "hw/nand/plane_operations.h"
#include "hw/tlm/ring.h"

namespace solidtlm::hw {

struct UntimedStatistics {
    std::array<std::uint64_t, hal::kCauses> reads{};     ///< pages; a copy-back counts one read, one program
    std::array<std::uint64_t, hal::kCauses> programs{};  ///< pages
    std::array<std::uint64_t, hal::kCauses> erases{};    ///< blocks
    std::uint64_t commands = 0;
    std::uint64_t failed = 0;         ///< commands that failed
    std::uint64_t written_bytes = 0;  ///< bytes of write commands

    [[nodiscard]] std::uint64_t total_programs() const;
    [[nodiscard]] std::uint64_t total_erases() const;
};

/// The source of the commands.
class UntimedFeed {
  public:
    virtual ~UntimedFeed() = default;
    /// Fills in opcode, address and length, or ranges (which stay valid until the next call), of a read,
    /// write, trim or flush. False if there are no more commands. `so_far`: the counts of all commands before
    /// it, which are complete.
    virtual bool next(hal::HostCommand& command, const UntimedStatistics& so_far) = 0;
    /// The content of `sectors` sectors of a write, from sector `first` of the command on. Not called in
    /// content mode none.
    virtual void content(const hal::HostCommand& command, std::uint32_t first,
                         std::span<std::byte> sectors) = 0;
    /// The content that a read has found, in the same form.
    virtual void received(const hal::HostCommand& /*command*/, std::uint32_t /*first*/,
                          std::span<const std::byte> /*sectors*/) {}
};

class UntimedHardware final : public hal::Clock,
                              public hal::Flash,
                              public hal::Dram,
                              public hal::Hash,
                              public hal::Host,
                              public hal::FlashImage {
  public:
    /// `arrays`: channel after channel, die after die. `dram`: the content store's base, null in mode none.
    UntimedHardware(const NandConfig& config, std::span<NandArray* const> arrays, std::byte* dram,
                    std::uint64_t dram_bytes);

    /// Lets `program` carry out the commands of `feed`, and all work that follows from them.
    void run(hal::Program& program, UntimedFeed& feed);
    [[nodiscard]] const UntimedStatistics& statistics() const { return statistics_; }

    // hal::Clock.
    [[nodiscard]] Ps now() const override { return Ps{0}; }
    void set_alarm(Ps at, hal::Completion alarm) override;

    // hal::Flash.
    void submit(hal::FlashOp& op) override;
    [[nodiscard]] bool factory_bad(const hal::FlashAddress& block) const override;
    [[nodiscard]] bool all_good() const override { return config_.bad_blocks.factory_fraction <= 0; }
    /// Programs of the die that have not ended.
    [[nodiscard]] std::uint32_t pending(hal::Channel channel, hal::Die die) const override {
        return static_cast<std::uint32_t>(dies_[config_.geometry.die_index(channel, die)].programs.size());
    }

    // hal::FlashImage. Counts no operations.
    void put(const hal::FlashAddress& block, const hal::BlockImage& image) override;

    // hal::Dram.
    Access core_accesses(hal::DramAddress, std::uint32_t, std::uint32_t, bool, Ps) override {
        return {Ps{0}, Ps{0}};
    }
    std::byte* content(hal::DramAddress address) override {
        return dram_ == nullptr ? nullptr : dram_ + hal::content_bytes(config_.content, address.value);
    }
    [[nodiscard]] std::uint64_t size_bytes() const override { return dram_bytes_; }

    // hal::Hash.
    /// REQUIRES: content mode other than none.
    void submit(hal::HashJob& job) override;

    // hal::Host.
    hal::HostCommand* fetch() override;
    void on_arrival(hal::Completion arrived) override { arrived_ = arrived; }
    void transfer(hal::HostTransfer& transfer) override;
    void complete(hal::HostCommand& command, hal::HostStatus status) override;

  private:
    struct Die {
        NandArray* array;
        PlaneOperations operations;
        Ring<hal::Completion> programs;  ///< programs for causes other than the host that have not ended
    };
    bool wake_up();
    void end_program(Die& die);
    void execute(hal::FlashOp& op, PlaneOperations& die);
    template <class Place>
    void read(hal::FlashOp& op, PlaneOperations& die, const Place& place);
    void accumulate(hal::FlashOp& op, PlaneOperations& die);
    void count(const hal::FlashOp& op);

    const NandConfig& config_;
    std::vector<Die> dies_;
    std::byte* dram_;
    std::uint64_t dram_bytes_;
    Digest digest_;
    UntimedFeed* feed_ = nullptr;
    hal::HostCommand command_;
    hal::Ledger ledger_;
    bool busy_ = false;
    hal::Completion arrived_;
    hal::Completion alarm_;
    std::uint32_t unended_ = 0;  // programs
    UntimedStatistics statistics_;
};

}  // namespace solidtlm::hw
