// SPDX-License-Identifier: Apache-2.0
//
// The device as waveforms: a probe that writes a VCD file while the simulation runs. docs/waveforms.md
// describes the signals.
#pragma once

#include <cstdint>
#include <vector>

#include "fw/hal/probe.h"
#include "platform/configuration.h"
#include "testbench/watch/change_queue.h"
#include "testbench/watch/die_tracks.h"
#include "testbench/watch/settings.h"
#include "testbench/watch/vcd_writer.h"

namespace solidtlm::testbench {

class VcdRecorder : public hal::Probe {
  public:
    using Ps = hal::Ps;

    /// Declares the signals of the device and writes the header. `file` must outlive the recorder.
    VcdRecorder(const platform::Configuration& configuration, const RecordWindow& window, StreamedFile& file);

    void link_frame(Ps begin, Ps end, bool to_device, std::uint8_t type) override;
    void outstanding(Ps at, std::uint32_t tags, bool non_queued) override;
    void under_way(Ps at, std::uint32_t commands) override;
    void core_slice(Ps begin, Ps stall_begin, Ps end, hal::Cause cause) override;
    void dram_served(Ps begin, Ps end, std::uint16_t port) override;
    void dram_stretched(Ps end) override;
    void dram_core_access(Ps begin, Ps end) override;
    void bus_held(Ps begin, Ps end, const hal::FlashOp& op, hal::BusPhase kind) override;
    void bus_phase(hal::Channel channel, Ps begin, Ps end, hal::BusPhase phase) override;
    void die_taken(Ps at, const hal::FlashOp& op, hal::PlaneSet planes) override;
    void die_released(Ps at, hal::Channel channel, hal::Die die, hal::PlaneSet planes) override;
    void die_busy(Ps begin, Ps ready, hal::Channel channel, hal::Die die) override;
    void array_busy(Ps begin, Ps end, const hal::FlashOp& op, bool suspended) override;
    void free_superblocks(std::uint32_t parallel_unit, std::uint32_t count) override;
    void write_buffer(std::uint32_t slots) override;

    /// Completes the file of a run that has ended at `at`. Returns the end of the dump.
    Ps finish(Ps at);
    /// False if the run ended before the window began.
    [[nodiscard]] bool window_reached() const { return open_; }
    [[nodiscard]] const std::vector<VcdSignal>& signals() const { return writer_.signals(); }

  private:
    using Index = ChangeQueue::SignalIndex;
    struct ChannelSignals {
        Index phase;
        Index die;
        Index cause;
    };
    struct TrackSignals {
        Index operation;
        Index holder;
    };

    void declare_controller(const platform::Configuration& configuration);
    void declare_host_side(const platform::Configuration& configuration);
    void declare_flash(const platform::Configuration& configuration);
    void declare_firmware(const platform::Configuration& configuration);
    Index declare(VcdSignal signal, std::uint64_t value);
    /// Writes the changes that have become final. False once the window is over: nothing more is recorded.
    bool advance(Ps now);
    void write(Ps at, Index signal, std::uint64_t value);
    void end_instant();
    void open();

    RecordWindow window_;
    VcdWriter writer_;
    ChangeQueue queue_;
    ChangeQueue::Sink sink_;
    bool open_ = false;
    std::uint32_t dies_per_channel_;
    DieTracks die_tracks_;
    bool nvme_;

    Index link_direction_{}, link_fis_{}, link_frames_{};
    Index ncq_depth_{}, ncq_tags_{}, non_queued_{};
    Index link_down_{}, link_up_{}, nvme_commands_{};  ///< of an NVMe drive, instead of the six above
    Index core_state_{}, core_cause_{};
    Index dram_busy_{}, dram_port_{}, dram_core_{};
    Index free_total_{}, free_least_{}, buffer_fill_{};
    std::vector<ChannelSignals> channels_;
    std::vector<Index> ready_;          ///< one per die
    std::vector<TrackSignals> tracks_;  ///< one per track of the dies
    std::vector<Index> free_of_unit_;

    Ps instant_{-1};  ///< the instant whose changes are being written
    std::uint32_t frames_ = 0;
    std::uint64_t port_now_ = 0;
    std::uint64_t core_now_ = 0;
    std::uint64_t busy_now_ = 0;
    std::uint64_t dram_value_ = 0;  ///< value for the port that was served last
    Ps dram_end_{0};
    std::vector<std::uint32_t> free_counts_;
    std::uint64_t free_sum_ = 0;
};

}  // namespace solidtlm::testbench
