// SPDX-License-Identifier: Apache-2.0
//
// The device's data phases: DRAM <-> FIS buffers <-> link (Serial ATA 3.x, clause 10.5.9 and 13.6).
//
// Invariants. Data phases begin in the order their first transfer was asked for, and a phase is open until
// the command's last byte has gone: there are no non-zero buffer offsets. Reads have two FIS buffers: one is
// on the link while the other is filled from DRAM, across commands too. Writes have two: one is received
// while the other is emptied. One DRAM access at a time, writes first. A Data FIS of a read carries what
// firmware has asked for when its DRAM access begins, at most 8 KiB.
//
// Ledgers are marked when an interval is over: link_wait until the DRAM access (reads) or between frames,
// dram_wait and dram_transfer as the DRAM says, link_transfer while a frame of the command is on the wire.
// Overlapping stages are not counted twice: each is charged only for the time after the previous one ended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/sata/config.h"
#include "hw/sata/fis.h"
#include "hw/sata/frame_sender.h"
#include "hw/sata/frame_timing.h"
#include "hw/sata/slot.h"
#include "hw/tlm/ring.h"
#include "hw/tlm/stretch.h"

namespace solidtlm::hw {

class PhaseStretch;
class ReadStretch;
class SataLink;
class WriteStretch;

/// What the data path needs of the device around it.
class DataPathPort {
  public:
    /// Ends with DataPath::dram_done().
    virtual void access_dram(bool write, const TransferQueue::Run& run, std::byte* content) = 0;
    /// The access under way ends at `at`, with DataPath::dram_done().
    virtual void dram_ends(Ps at, const DramTimes& times) = 0;
    /// DataPath::stretch_due() is to be called at `at`, once; kNever: not any more.
    virtual void stretch_due(Ps at) = 0;
    /// All of slot.internal_data has arrived.
    virtual void internal_data_arrived(Slot& slot) = 0;

  protected:
    ~DataPathPort() = default;
};

class DataPath {
  public:
    /// All references must outlive it.
    DataPath(const SataConfig& config, FrameSender& sender, DataPathPort& port);
    ~DataPath();

    void set_auto_activate(bool enabled) { auto_activate_ = enabled; }
    /// Firmware asks to move data. REQUIRES: slot.transfers took the transfer, slot not aborted.
    void transfer_asked(Slot& slot);
    /// A write whose data go to slot.internal_data.
    void begin_internal(Slot& slot);

    /// From the link, in the sender's call: takes the content of a Data FIS. False: nobody waits for it.
    bool accept_data(const std::byte* content, std::uint32_t bytes);
    /// The FIS that accept_data() took, in the device's process. `gathered`: FisExtension.
    void data_received(Ps gathered);
    /// A DMA Setup, DMA Activate or Data FIS of this data path has gone over the wire. `held`: FisExtension.
    void frame_sent(FisType type, bool device_to_host, Ps held);
    void dram_done(const DramTimes& times);

    /// Ends the transfers of an aborted slot; with a DRAM access of it under way, at the end of that.
    void abort(Slot& slot);
    /// Forgets all phases, after every slot was aborted. FISes the link has already go out.
    void reset();
    /// Forgets everything, DRAM access and frames included.
    void power_cut();

    /// Data phases may go in stretches. All references must outlive it.
    void allow_stretches(SataLink& link, StretchDram& dram, StretchHost& host);
    /// What a stretch has done so far is seen. Before firmware asks for more.
    void catch_up();
    /// A command's data move, or wait for the link or the DRAM.
    [[nodiscard]] bool in_data_phase() const { return !phases_.empty(); }
    /// There is none any more, until the next one begins.
    void cut_stretch();
    /// The stretch may have come to its end.
    void stretch_due();

  private:
    friend class PhaseStretch;
    friend class ReadStretch;
    friend class WriteStretch;
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
        bool first = false;  // of its command
        Interval setup;
        std::array<Access, kMaxRuns> accesses{};
        std::size_t access_count = 0;
        std::vector<std::byte> content;
    };
    struct WriteFis {
        Slot* slot = nullptr;
        std::uint32_t bytes = 0;
        std::uint32_t stored = 0;
        Interval activation;
        Ps gathered{0};
        Interval data;
        std::vector<std::byte> content;
    };
    /// The DRAM access under way.
    struct Dma {
        bool busy = false;
        bool write = false;
        Slot* slot = nullptr;      // null: a read whose buffer was dropped
        Slot* to_abort = nullptr;  // its transfers end with the access
        std::uint32_t bytes = 0;
        Ps issued{0};
    };

    void advance();
    bool push_read(Slot& slot);
    bool push_write(Slot& slot);
    bool begin_stretch();
    void start_dram();
    bool start_store();
    bool start_load();
    Slot* next_to_load();
    void finish_load(const Access& access);
    void finish_store(const Access& access);
    void retire_read(const Interval& data, Ps held);
    void issue(bool write, Slot& slot, std::uint32_t at_most, std::byte* content);
    [[nodiscard]] Interval ended_now(std::uint32_t fis_bytes) const;
    [[nodiscard]] std::size_t content_offset(std::uint32_t bytes) const;
    [[nodiscard]] std::byte* content_or_none(std::byte* content) const {
        return content_ == hal::ContentMode::none ? nullptr : content;
    }
    ReadFis& read_at(std::size_t index) { return reads_[(read_head_ + index) % kBuffers]; }
    WriteFis& write_at(std::size_t index) { return writes_[(write_head_ + index) % kBuffers]; }

    const hal::ContentMode content_;
    const FrameTiming timing_;
    FrameSender& sender_;
    DataPathPort& port_;
    bool auto_activate_;

    Ring<Slot*> phases_{ata::kMostSlots};  // the front one has the link
    std::array<ReadFis, kBuffers> reads_;
    std::size_t read_head_ = 0;
    std::size_t read_count_ = 0;
    std::size_t read_queued_ = 0;  // of them, handed to the link
    std::array<WriteFis, kBuffers> writes_;
    std::size_t write_head_ = 0;
    std::size_t write_count_ = 0;
    bool awaiting_data_ = false;  // the host may send a Data FIS
    bool setup_pending_ = false;  // a write's DMA Setup has not gone yet; DMA Activate must not overtake it
    std::uint32_t accepted_bytes_ = 0;
    Interval activation_;
    Dma dma_;
    std::unique_ptr<ReadStretch> read_stretch_;  // null: none is allowed
    std::unique_ptr<WriteStretch> write_stretch_;
    PhaseStretch* stretch_ = nullptr;  // the one that is under way
};

}  // namespace solidtlm::hw
