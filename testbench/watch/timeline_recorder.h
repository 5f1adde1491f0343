// SPDX-License-Identifier: Apache-2.0
//
// The device as a timeline: a probe and an observer of the host's commands that writes a trace-event file
// while the simulation runs. docs/waveforms.md describes the tracks and arrows.
//
// A slice is written only when the next one of its track begins, because until then its end may still move.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fw/hal/probe.h"
#include "hw/sata/ata.h"
#include "platform/configuration.h"
#include "testbench/sim/host/command.h"
#include "testbench/watch/die_tracks.h"
#include "testbench/watch/settings.h"
#include "testbench/watch/timeline_writer.h"

namespace solidtlm::testbench {

class TimelineRecorder : public hal::Probe, public CommandObserver {
  public:
    using Ps = hal::Ps;

    /// Declares the tracks. `file` must outlive the recorder.
    TimelineRecorder(const platform::Configuration& configuration, const RecordWindow& window,
                     StreamedFile& file);

    // Implements hal::Probe.
    void link_frame(Ps begin, Ps end, bool to_device, std::uint8_t type) override;
    void command_accepted(Ps at, const hal::HostCommand& command) override;
    void outstanding(Ps at, std::uint32_t tags, bool non_queued) override;
    void under_way(Ps at, std::uint32_t commands) override;
    void core_slice(Ps begin, Ps stall_begin, Ps end, hal::Cause cause) override;
    void dram_served(Ps begin, Ps end, std::uint16_t port) override;
    void dram_stretched(Ps end) override;
    void dram_core_access(Ps begin, Ps end) override;
    void bus_held(Ps begin, Ps end, const hal::FlashOp& op, hal::BusPhase kind) override;
    void die_taken(Ps at, const hal::FlashOp& op, hal::PlaneSet planes) override;
    void die_released(Ps at, hal::Channel channel, hal::Die die, hal::PlaneSet planes) override;
    void array_busy(Ps begin, Ps end, const hal::FlashOp& op, bool suspended) override;
    void free_superblocks(std::uint32_t parallel_unit, std::uint32_t count) override;
    void write_buffer(std::uint32_t slots) override;
    void boot_step(Ps begin, std::string_view name) override;
    void boot_step_ended(Ps at) override;

    // Implements CommandObserver.
    void issued(Command& command) override;
    void completed(Command& command) override;
    void finished() override {}

    /// Completes the file of a run that has ended at `at`.
    void finish(Ps at);
    /// False if the run ended before the window began.
    [[nodiscard]] bool window_reached() const { return state_ != State::before; }

  private:
    enum class State : std::uint8_t { before, open, over };
    /// A slice that is not written yet.
    struct Pending {
        bool valid = false;
        Ps begin{0};
        Ps end{0};
        std::string name;
        std::string_view category;
        std::string args;
    };
    /// A command on its tag's track.
    struct ActiveCommand {
        bool open = false;
        Ps begin{0};
        std::uint64_t sequence = 0;
        std::uint32_t id = 0;  ///< 0: not accepted yet
        std::string name;
        std::string args;
    };
    /// Where the arrows of a command begin.
    struct Origin {
        std::uint32_t id = 0;
        std::uint16_t tag = 0;
        Ps begin{0};
        Ps end = Ps::max();
    };
    struct ArrayWork {
        Ps begin;
        Ps end;
        std::string_view name;
    };
    struct DieState {  ///< state of a die, or of a plane
        Pending slice;
        std::uint32_t command_id = 0;
        std::vector<ArrayWork> array;  ///< ordered by time; work in the pending slice or later
    };
    struct Counter {
        std::uint32_t process;
        std::string_view name;
        std::uint64_t value = 0;
    };

    void name_tracks(const platform::Configuration& configuration);
    /// False if nothing is to be recorded at present.
    bool advance(Ps now);
    void open();
    void close(Ps at);
    void put(Track track, Pending& pending, Pending next);
    void write(Track track, Pending& pending);
    void write_die(std::size_t die);
    void write_array(DieState& die, Track track, Ps begin, Ps end);
    void write_flow(std::uint32_t command_id, Track to, Ps at);
    [[nodiscard]] std::uint16_t tags() const { return static_cast<std::uint16_t>(commands_.size()); }
    ActiveCommand& command_of(std::uint16_t tag);
    void begin_command(std::uint16_t tag, Ps at);
    void end_command(std::uint16_t tag, Ps at);
    void count(Counter& counter, Ps at, std::uint64_t value);

    RecordWindow window_;
    TimelineWriter writer_;
    State state_ = State::before;
    Ps stop_;  ///< end of the window
    DieTracks die_tracks_;
    std::vector<std::string> link_words_;
    bool nvme_;
    std::vector<std::string> port_words_;

    std::array<Pending, 2> link_;
    Pending core_;
    Pending boot_;
    Pending dram_;
    Pending dram_core_;
    std::vector<Pending> channels_;
    std::vector<DieState> dies_;  ///< one per track of the dies

    std::vector<ActiveCommand> commands_;  ///< by tag; with SATA, the last entry is the non-queued command
    std::vector<Origin> origins_;          ///< of the latest commands, by id
    std::uint64_t next_flow_ = 1;

    Counter outstanding_;
    Counter free_;
    Counter buffer_;
    std::vector<std::uint32_t> free_counts_;
};

}  // namespace solidtlm::testbench
