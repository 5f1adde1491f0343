// SPDX-License-Identifier: Apache-2.0
//
// Cuts the drive's power at the very instant at which one of its blocks is to wake, and 1 ps before and
// after, under load and while it boots. A probe tells when the blocks' operations end; the hash unit's end of
// job and the alarm are queried. As an observer of the host's commands the cutter learns when the drive has
// promised to keep something.
//
// In which order the blocks report what happens at one instant depends on how the model is computed: by calls
// or payloads. So the cutter notes what it is told and judges it when the instant is over, 1 ps later.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fw/hal/probe.h"
#include "fw/hal/types.h"
#include "hw/tlm/wake_up.h"
#include "platform/ssd.h"
#include "testbench/sim/host/command.h"
#include "testbench/sim/power_cycler.h"

namespace solidtlm::testbench {

/// An event is the end of one of these operations, which wakes a part of the model; `time` is not an event
/// but a delay after power-on.
enum class EventKind : std::uint8_t {
    time,
    link_frame,
    core_slice,
    alarm,
    dram_grant,  ///< the end of a grant, after which the next access can start
    dram_host,   ///< an access of the device's front end
    dram_flash,  ///< an access of a flash controller
    hash_job,
    bus_phase,
    die_ready,  ///< R/B#
    array,
    program,     ///< in the array, like those that follow
    erase,       //
    collection,  ///< operations of collection or wear levelling
    unlogged,  ///< a program of collection that moves a shared page, begun while the recovery log has entries
               ///< that exist only in DRAM
    merge,     ///< operations that merge blocks
    map,       ///< operations on translation pages
    recovery,  ///< operations of a boot or of the recovery log
    suspension,
    die_free,
    promise,  ///< the host learns that a FLUSH, FUA or TRIM has ended, or a write of a drive that writes
              ///< through
};
constexpr std::array<std::string_view, 21> kEventKindNames{
    "time",     "link_frame", "core_slice", "alarm",    "dram_grant", "dram_host", "dram_flash",
    "hash_job", "bus_phase",  "die_ready",  "array",    "program",    "erase",     "collection",
    "unlogged", "merge",      "map",        "recovery", "suspension", "die_free",  "promise"};

/// One power cut, counted from the preceding power-on.
struct EventCut {
    EventKind kind = EventKind::time;
    /// How many ends of this kind pass first; for `time`, picoseconds (at least 1).
    std::uint64_t after = 0;
    /// offset from that end: -1, 0 or 1; for `promise`, which is not known in advance, 0 or 1
    int offset_ps = 0;

    auto operator<=>(const EventCut&) const = default;
};

/// "erase 3", "link_frame 12 -1ps", "time 350us".
[[nodiscard]] std::string to_text(const EventCut& cut);
/// Nothing: the text is malformed.
[[nodiscard]] std::optional<EventCut> parse_event_cut(std::string_view text);

/// A cut that has happened.
struct HappenedCut {
    EventCut cut;
    CutInstant instant = CutInstant::idle;
};

/// Makes cuts one after another; each counts from when the drive is back after the previous one. If the run
/// is too short for a cut, the cut does not happen.
class EventCutter : public hal::Probe, public PowerSwitch, public CommandObserver {
  public:
    /// A cut whose event does not come within `patience` frames on the link is skipped, and the next one
    /// counts from there; 0: no limit.
    explicit EventCutter(std::vector<EventCut> cuts, std::uint64_t patience = 0)
        : cuts_(std::move(cuts)), patience_(patience) {}
    void attach(platform::Ssd& ssd, PowerCycler& cycler) override;
    hal::Probe* probe() override { return this; }
    CommandObserver* observer() override { return this; }

    void link_frame(hal::Ps begin, hal::Ps end, bool to_device, std::uint8_t fis_type) override;
    void core_slice(hal::Ps begin, hal::Ps stall_begin, hal::Ps end, hal::Cause cause) override;
    void dram_served(hal::Ps begin, hal::Ps end, std::uint16_t port) override;
    void bus_held(hal::Ps begin, hal::Ps end, const hal::FlashOp& op, hal::BusPhase kind) override;
    void die_released(hal::Ps at, hal::Channel channel, hal::Die die, hal::PlaneSet planes) override;
    void die_busy(hal::Ps begin, hal::Ps ready, hal::Channel channel, hal::Die die) override;
    void array_busy(hal::Ps begin, hal::Ps end, const hal::FlashOp& op, bool suspended) override;

    void issued(Command& /*command*/) override {}
    void completed(Command& command) override;
    void finished() override {}

    void power_cut(CutInstant instant) override;

    [[nodiscard]] const std::vector<HappenedCut>& happened() const { return happened_; }
    [[nodiscard]] std::size_t left() const { return cuts_.size() - next_; }
    /// From the last cut to the first frame of the device after it.
    [[nodiscard]] hal::Ps on_after() const { return on_after_; }

  private:
    /// Picoseconds: of a frame on the link.
    struct Frame {
        hal::Ps begin{0};
        hal::Ps end{0};

        // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted operator
        auto operator<=>(const Frame&) const = default;
    };

    void begin_next(hal::Ps from);
    [[nodiscard]] bool waits_for(EventKind kind) const;
    void judge_after_this_instant();
    void judge();
    /// The next cut may be another one from here on: the drive is heard of again, or patience is at its end.
    void turn(const Frame& frame);
    /// A program of collection begins: might a name that it gives mean another page to flash?
    [[nodiscard]] bool names_shared_pages(const hal::FlashOp& op) const;
    /// What the next cut counts ends at `end`.
    void look(EventKind kind, hal::Ps end);
    void count(hal::Ps noted);
    /// When what was noted of the next cut's kind ends, as it is known now; nothing: it does not count.
    [[nodiscard]] std::optional<hal::Ps> end_of(hal::Ps noted) const;
    /// One more of what the next cut, not planned yet, counts. True: that was the last to wait for.
    [[nodiscard]] bool counted();
    void plan(hal::Ps at, PowerCycler::Place place);

    const std::vector<EventCut> cuts_;
    const std::uint64_t patience_;
    platform::Ssd* ssd_ = nullptr;
    PowerCycler* cycler_ = nullptr;
    std::size_t next_ = 0;
    std::uint64_t skip_ = 0;
    std::uint64_t waited_ = 0;  // frames counted
    bool planned_ = true;       // and until the drive is heard of
    hal::Ps planned_at_{-1};
    hal::Ps on_after_{-1};
    std::vector<hal::Ps> noted_;           // ends, of this instant
    std::optional<Frame> turns_;           // at this instant
    std::optional<hw::WakeUp> judgement_;  // armed: of an instant at which something was noted
    std::vector<HappenedCut> happened_;
};

}  // namespace solidtlm::testbench
