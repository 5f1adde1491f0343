// SPDX-License-Identifier: Apache-2.0
//
// Moves the data of commands in the device's data phases: DRAM <-> FIS buffers <-> link (Serial ATA 3.x,
// clauses 10.5.9 and 13.6).
//
// Invariants. Data phases begin in the order in which firmware asked for their first transfers. A phase is
// open until the command's last byte has gone, so every buffer offset is zero. Reads have two FIS buffers:
// one is on the link while the other is filled from DRAM, across commands too. Writes have two: one is
// received while the other is emptied. One DRAM access is under way at a time; writes go first. A Data FIS of
// a read carries the bytes that firmware has asked for when its DRAM access begins, at most 8 KiB.
//
// PIO (clause 10.5.11). Each DRQ block is a PIO Setup FIS and one Data FIS. A block of a read is gathered
// from DRAM as firmware asks for its parts, which are done when they have left DRAM, because a block may have
// parts of two of firmware's windows. The end of the last block ends the command for the host; so that block
// waits until firmware has completed the command.
//
// Ledgers are marked when an interval is over: link_wait until the DRAM access (reads) or between frames,
// dram_wait and dram_transfer as the DRAM says, link_transfer while a frame of the command is on the wire.
// Overlapping stages are not counted twice: each is charged only for the time after the previous one ended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/sata/config.h"
#include "hw/sata/fis.h"
#include "hw/sata/frame_sender.h"
#include "hw/sata/frame_timing.h"
#include "hw/sata/slot.h"
#include "hw/tlm/dram_socket.h"
#include "hw/tlm/ring.h"
#include "hw/tlm/wake_up.h"

namespace solidtlm::hw {

class SataLink;

class DataPath final : private DramClient {
  public:
    /// The data path belongs to `device`. All references must outlive it.
    DataPath(AgendaModule& device, const SataConfig& config, FrameSender& sender, DramSocket& dram);

    /// Its frames begin on `link` at once, where that is idle and nothing else is due. Call before the
    /// simulation starts.
    void join(SataLink& link) { link_ = &link; }

    void set_auto_activate(bool enabled) { auto_activate_ = enabled; }
    /// Firmware asks to move data. REQUIRES: slot.transfers has the transfer, and the slot is not aborted.
    void transfer_asked(Slot& slot);
    /// Begins a write whose data go to slot.internal_data.
    void begin_internal(Slot& slot);

    /// Takes the content of a Data FIS, within the call in which the link delivers it. False: no command
    /// waits for these data.
    bool accept_data(const std::byte* content, std::uint32_t bytes);
    /// The FIS that accept_data() took has come. `gathered`: see FisExtension. Returns the slot if all of its
    /// internal data have now come, otherwise null.
    Slot* data_received(Ps gathered);
    /// A DMA Setup, DMA Activate, PIO Setup or Data FIS of this data path has gone. `held`: see FisExtension.
    /// Returns the slot if it was the last frame of a PIO read, otherwise null.
    Slot* frame_sent(FisType type, bool device_to_host, Ps held);
    /// Firmware has completed a PIO read: its last block may go.
    void release(Slot& slot);

    /// Aborts a slot: ends its transfers at once, or together with its DRAM access if one is under way.
    void abort(Slot& slot);
    /// Forgets all phases, whose commands have been aborted or have ended. FISes that the link already has
    /// still go out.
    void reset();
    /// Forgets everything, DRAM access and frames included.
    void power_cut();

    /// True if a command's data move, or wait for the link or the DRAM.
    [[nodiscard]] bool in_data_phase() const { return !state_.phases.empty(); }

  private:
    static constexpr std::size_t kBuffers = 2;
    static constexpr std::size_t kMaxRuns = kMaxDataFisBytes / hal::kSectorBytes;
    struct Interval {
        Ps begin{0};
        Ps end{0};
    };
    struct Access {
        Ps issued{0};
        Ps started{0};
        Ps ended{0};
    };
    struct ReadFis {
        Slot* slot = nullptr;  // null: aborted
        std::uint32_t bytes = 0;
        std::uint32_t loaded = 0;
        bool first = false;  // the first of its command
        Interval setup;
        std::array<Access, kMaxRuns> accesses{};
        std::size_t access_count = 0;
        std::vector<std::byte> content;
    };
    /// When a Data FIS of a write came.
    struct Arrival {
        Interval activation;
        Ps gathered{0};
        Interval data;

        void mark(hal::Ledger& ledger) const;
    };
    struct WriteFis {
        Slot* slot = nullptr;
        std::uint32_t bytes = 0;
        std::uint32_t stored = 0;
        Arrival arrival;
        std::vector<std::byte> content;
    };
    /// The DRAM access under way.
    struct Dma {
        bool busy = false;
        bool write = false;
        Slot* slot = nullptr;      // null: a read whose buffer was dropped
        Slot* to_abort = nullptr;  // its transfers end with the access
        std::uint32_t bytes = 0;
        Access times;
    };

    // DramClient
    void dram_granted(std::uint64_t id, Ps end, const DramTimes& times) override;

    // Work of the agenda
    void dram_done();

    void advance_alone();
    void advance();
    bool push_read(Slot& slot);
    bool push_write(Slot& slot);
    void start_dram();
    bool start_store();
    bool start_load();
    Slot* next_to_load();
    void finish_load(const Dma& done);
    void finish_store(const Dma& done);
    Slot* retire_read(Ps held);
    void issue(bool write, Slot& slot, std::uint32_t at_most, std::byte* content);
    /// When a frame that ends now was on the wire.
    [[nodiscard]] Interval frame_until_now(FisType type, std::uint32_t data_bytes) const;
    [[nodiscard]] std::size_t content_offset(std::uint32_t bytes) const;
    [[nodiscard]] std::byte* content_or_none(std::byte* content) const {
        return content_ == hal::ContentMode::none ? nullptr : content;
    }
    ReadFis& read_at(std::size_t index) { return reads_[(state_.read_head + index) % kBuffers]; }
    WriteFis& write_at(std::size_t index) { return writes_[(state_.write_head + index) % kBuffers]; }

    const hal::ContentMode content_;
    const FrameTiming timing_;
    FrameSender& sender_;
    DramSocket& dram_;
    const Ps full_time_;  ///< of a full Data FIS
    SataLink* link_ = nullptr;
    bool auto_activate_;

    struct Volatile {
        Ring<Slot*> phases{ata::kMostSlots};  // the front one has the link
        std::size_t read_phases = 0;          // reads among them
        std::size_t read_head = 0;
        std::size_t read_count = 0;
        std::size_t read_queued = 0;  // Data FISes that the link has
        std::size_t write_head = 0;
        std::size_t write_count = 0;
        bool awaiting_data = false;  // the host may send a Data FIS
        bool setup_pending = false;  // a write's DMA Setup has not gone; DMA Activate must not overtake it
        std::uint32_t accepted_bytes = 0;
        Interval activation;
        Dma dma;
    } state_;
    std::array<ReadFis, kBuffers> reads_;  // read_count of them are in use
    std::array<WriteFis, kBuffers> writes_;
    SataFrame data_frame_;  ///< the part that all Data FISes of reads share
    const SataFrame activate_frame_;
    WakeUp dma_end_;
};

}  // namespace solidtlm::hw
