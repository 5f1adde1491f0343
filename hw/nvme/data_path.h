// SPDX-License-Identifier: Apache-2.0
//
// Moves the data of commands between DRAM and host memory, in chunks: what lies together in DRAM, and in one
// page of the host if its sectors do.
//
//   read    DRAM access -> write to the host (up the link, memory)
//   write   read from the host (requests up, memory, data down) -> DRAM access
//
// A few chunks of each direction are under way, so DRAM and link work at once; there is one DRAM access at a
// time. Chunks are served in the order in which firmware asked for them. With tags as contents, a sector's
// identity lies in the host's memory where the sector begins.
#pragma once

#include <vector>

#include "hw/nvme/memory_socket.h"
#include "hw/nvme/slot.h"
#include "hw/pcie/link.h"
#include "hw/tlm/agenda_module.h"
#include "hw/tlm/dram_socket.h"
#include "hw/tlm/ring.h"

namespace solidtlm::hw::nvme {

class DataPath final : private DramClient, private MemoryClient {
    // Under way at once. More reads would hold up the fetches of commands behind them on the link; writes
    // have to cover the round trip of the root.
    static constexpr std::size_t kReadChunks = 4;
    static constexpr std::size_t kWriteChunks = 8;

  public:
    /// Of host memory at once: those of all chunks, whose sectors may each lie in two pages.
    static constexpr std::size_t kMostAccesses =
        (kReadChunks + kWriteChunks) * 2 * (kPageBytes / hal::kSectorBytes);

    /// At most `slots` commands move data. All references outlive this.
    DataPath(AgendaModule& module, hal::ContentMode content, std::size_t slots, PcieLink& link,
             MemorySocket& memory, DramSocket& dram);

    /// Firmware has asked for a transfer of the slot's command.
    void transfer_asked(Slot& slot);
    [[nodiscard]] bool busy() const;
    /// Forgets everything.
    void power_cut();

  private:
    struct Chunk {
        Slot* slot = nullptr;
        std::uint64_t offset = 0;  ///< in the command's data
        TransferQueue::Run run;
        std::vector<std::byte> content;
        Ps link_begin{0};
        Ps dram_asked{0};
        Ps dram_begin{0};
        Ps dram_end{0};
        std::uint32_t accesses = 0;  ///< of host memory that have not ended
        bool used = false;
        bool behind_dram = false;  ///< until it was claimed, others waited for DRAM, not for the link
    };
    /// Of reads or of writes.
    struct Direction {
        Direction(std::size_t slots, std::size_t most, const Chunk& chunk)
            : waiting(slots), chunks(most, chunk), at_root(most) {}
        Ring<Slot*> waiting;  ///< that have something to claim, the oldest first
        std::vector<Chunk> chunks;
        /// Chunks go on in their order, in whichever order memory answers: transfers end in their order.
        Ring<Chunk*> at_root;
    };

    struct Volatile {
        Direction reads;
        Direction writes;
        Ring<Chunk*> accesses{kReadChunks + kWriteChunks};  ///< of DRAM; the front one is under way
    };

    [[nodiscard]] Volatile at_power_on() const;
    void go_on();
    /// The next chunk of a direction, or null: nothing waits, or too much is under way.
    Chunk* claim(Direction& direction);
    void ask_dram(Chunk& chunk);
    void begin_access();
    void dram_granted(std::uint64_t id, Ps end, const DramTimes& times) override;
    void retire(Chunk& chunk);
    /// It is part of a read command.
    [[nodiscard]] static bool reads(const Chunk& chunk) {
        return chunk.slot->opcode == hal::HostOpcode::read;
    }
    [[nodiscard]] static std::uint32_t length_at(const Slot& slot, std::uint64_t offset);
    /// Calls `part(piece)` for the places in host memory.
    template <class Part>
    static void each_piece(const Chunk& chunk, Part part);
    /// A direction of the link is used by a piece.
    struct Use {
        Ps end{0};
        TlpTiming::Wire wire;
    };
    template <class Ask>
    Ps use_link(Chunk& chunk, Ask ask);
    void memory_answered(std::uint64_t id, bool ok) override;
    void access_ended(Chunk& chunk);
    void leave_root(Chunk& chunk);
    [[nodiscard]] Direction& direction_of(const Chunk& chunk) {
        return reads(chunk) ? state_.reads : state_.writes;
    }

    // Entries of the agenda
    void move_content(Chunk* chunk);
    void received(Chunk* chunk) { ask_dram(*chunk); }
    void dram_done();

    AgendaModule& module_;
    const hal::ContentMode content_;
    const std::size_t slots_;
    PcieLink& link_;
    MemorySocket& memory_;
    DramSocket& dram_;
    Volatile state_;
};

}  // namespace solidtlm::hw::nvme
