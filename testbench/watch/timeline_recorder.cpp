// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/timeline_recorder.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "fw/needs.h"
#include "hw/tlm/time.h"
#include "testbench/show/host_metrics.h"
#include "testbench/watch/signal_words.h"

namespace solidtlm::testbench {

using hal::BusPhase;
using hal::FlashOp;

namespace {

constexpr std::uint32_t kHostProcess = 1;
constexpr std::uint32_t kLinkProcess = 2;
constexpr std::uint32_t kCoreProcess = 3;
constexpr std::uint32_t kDramProcess = 4;
constexpr std::uint32_t kChannelProcess = 5;
constexpr std::uint32_t kDieProcess = 6;

constexpr Track kCoreTrack{kCoreProcess, 1};
constexpr Track kBootTrack{kCoreProcess, 2};
constexpr Track kDramTrack{kDramProcess, 1};
constexpr Track kDramCoreTrack{kDramProcess, 2};

/// Number of the latest commands that flash operations can still be linked to.
constexpr std::uint32_t kOrigins = 1U << 16U;

Track tag_track(std::uint16_t tag) {
    return Track{kHostProcess, tag + 1U};
}

std::string_view phase_name(BusPhase kind) {
    switch (kind) {
        case BusPhase::data_in:
            return "data in";
        case BusPhase::data_out:
            return "data out";
        case BusPhase::status:
            return "status";
        default:
            return "command";
    }
}

std::string_view array_name(const FlashOp& op, bool suspended) {
    if (suspended) {
        return "suspend";
    }
    switch (op.opcode) {
        case hal::FlashOpcode::read:
            return "tR";
        case hal::FlashOpcode::program:
            return "tPROG";
        case hal::FlashOpcode::erase:
            return "tBERS";
        case hal::FlashOpcode::copy_back:
            break;
    }
    return "tR/tPROG";
}

std::string_view cause_name(hal::Cause cause) {
    return hal::kCauseNames[static_cast<std::size_t>(cause)];
}

}  // namespace

TimelineRecorder::TimelineRecorder(const platform::Configuration& configuration, const RecordWindow& window,
                                   StreamedFile& file)
    : window_(window),
      writer_(file),
      stop_(window.to),
      die_tracks_(configuration.nand),
      link_words_(configuration.has_nvme() ? tlp_words() : fis_words()),
      nvme_(configuration.has_nvme()),
      port_words_(dram_port_words(configuration.nand.geometry.channels)),
      channels_(configuration.nand.geometry.channels),
      dies_(die_tracks_.count()),
      origins_(kOrigins),
      outstanding_{kHostProcess, "outstanding commands"},
      free_{kCoreProcess, "free superblocks"},
      buffer_{kCoreProcess, "write buffer slots"},
      free_counts_(fw::media_layout(configuration.firmware).pus(), 0) {
    name_tracks(configuration);
}

void TimelineRecorder::name_tracks(const platform::Configuration& configuration) {
    writer_.name_process(kHostProcess, "host commands");
    if (!nvme_) {
        commands_.resize(hw::ata::kTags + std::size_t{1});
        for (std::uint8_t tag = 0; tag < configuration.sata.queue_depth; ++tag) {
            writer_.name_thread(tag_track(tag), fmt::format("tag {}", tag));
        }
        writer_.name_thread(tag_track(hw::ata::kNoTag), "non-queued");
    }
    writer_.name_process(kLinkProcess, nvme_ ? "PCI Express link" : "SATA link");
    writer_.name_thread(Track{kLinkProcess, 1}, "to device");
    writer_.name_thread(Track{kLinkProcess, 2}, "to host");
    writer_.name_process(kCoreProcess, "firmware");
    writer_.name_thread(kCoreTrack, "core");
    writer_.name_thread(kBootTrack, "boot");
    writer_.name_process(kDramProcess, "DRAM");
    writer_.name_thread(kDramTrack, "host, hash and channels");
    writer_.name_thread(kDramCoreTrack, "core");
    writer_.name_process(kChannelProcess, "channels");
    for (std::uint32_t channel = 0; channel < channels_.size(); ++channel) {
        writer_.name_thread(Track{kChannelProcess, channel + 1}, fmt::format("channel {}", channel));
    }
    writer_.name_process(kDieProcess, "dies");
    for (std::uint32_t die = 0; die < dies_.size(); ++die) {
        writer_.name_thread(Track{kDieProcess, die + 1}, die_tracks_.name(die));
    }
}

bool TimelineRecorder::advance(Ps now) {
    if (state_ == State::before && now >= window_.from) {
        open();
    }
    if (state_ == State::open && now >= window_.to) {
        close(window_.to);
    }
    return state_ != State::over;
}

void TimelineRecorder::open() {
    state_ = State::open;
    for (std::uint16_t tag = 0; tag < tags(); ++tag) {
        if (commands_[tag].open) {
            begin_command(tag, window_.from);
        }
    }
    for (Counter* counter : {&outstanding_, &free_, &buffer_}) {
        count(*counter, window_.from, counter->value);
    }
}

void TimelineRecorder::close(Ps at) {
    stop_ = at;
    for (std::uint32_t i = 0; i < link_.size(); ++i) {
        write(Track{kLinkProcess, i + 1}, link_[i]);
    }
    write(kCoreTrack, core_);
    write(kBootTrack, boot_);
    write(kDramTrack, dram_);
    write(kDramCoreTrack, dram_core_);
    for (std::uint32_t i = 0; i < channels_.size(); ++i) {
        write(Track{kChannelProcess, i + 1}, channels_[i]);
    }
    for (std::size_t die = 0; die < dies_.size(); ++die) {
        write_die(die);
    }
    for (std::uint16_t tag = 0; tag < tags(); ++tag) {
        if (commands_[tag].open) {
            end_command(tag, at);
        }
    }
    state_ = State::over;
}

void TimelineRecorder::finish(Ps at) {
    if (advance(at) && state_ == State::open) {
        close(at);
    }
    writer_.finish();
}

void TimelineRecorder::put(Track track, Pending& pending, Pending next) {
    write(track, pending);
    pending = std::move(next);
}

void TimelineRecorder::write(Track track, Pending& pending) {
    const Ps begin = std::max(pending.begin, window_.from);
    const Ps end = std::min(pending.end, stop_);
    if (pending.valid && begin < end) {
        writer_.begin(track, begin, pending.name, pending.category, pending.args);
        writer_.end(track, end);
    }
    pending.valid = false;
}

void TimelineRecorder::link_frame(Ps begin, Ps end, bool to_device, std::uint8_t type) {
    if (advance(hw::now())) {
        const std::uint32_t lane = to_device ? 0 : 1;
        put(Track{kLinkProcess, lane + 1}, link_[lane],
            Pending{true,
                    begin,
                    end,
                    link_words_[nvme_ ? tlp_word_of(type) : hw::fis_index(type) + 1],
                    "link",
                    {}});
    }
}

void TimelineRecorder::core_slice(Ps begin, Ps stall_begin, Ps end, hal::Cause cause) {
    if (advance(hw::now())) {
        constexpr std::int64_t kPsPerNs = 1000;
        const std::string stall = fmt::format(R"("stall_ns":{})", (end - stall_begin).count() / kPsPerNs);
        put(kCoreTrack, core_, Pending{true, begin, end, std::string(cause_name(cause)), "core", stall});
    }
}

void TimelineRecorder::dram_served(Ps begin, Ps end, std::uint16_t port) {
    if (advance(hw::now())) {
        put(kDramTrack, dram_, Pending{true, begin, end, port_words_[port + 1U], "dram", {}});
    }
}

void TimelineRecorder::dram_stretched(Ps end) {
    dram_.end = end;
}

void TimelineRecorder::dram_core_access(Ps begin, Ps end) {
    if (advance(hw::now())) {
        put(kDramCoreTrack, dram_core_, Pending{true, begin, end, "core", "dram", {}});
    }
}

void TimelineRecorder::bus_held(Ps begin, Ps end, const FlashOp& op, BusPhase kind) {
    if (!advance(hw::now())) {
        return;
    }
    const std::uint32_t channel = op.address[0].channel.value;
    put(Track{kChannelProcess, channel + 1}, channels_[channel],
        Pending{true, begin, end, fmt::format("{}: {}", name_of(op.opcode), phase_name(kind)),
                cause_name(op.cause), fmt::format(R"("die":{})", op.address[0].die.value)});
}

void TimelineRecorder::die_taken(Ps at, const FlashOp& op, hal::PlaneSet planes) {
    if (!advance(hw::now())) {
        return;
    }
    const hal::FlashAddress& address = op.address[0];
    die_tracks_.of(address.channel, address.die, planes, [&](std::size_t index) {
        write_die(index);
        dies_[index].slice =
            Pending{true,
                    at,
                    Ps::max(),
                    std::string(name_of(op.opcode)),
                    cause_name(op.cause),
                    fmt::format(R"("cause":"{}","planes":{},"plane":{},"block":{},"page":{},"command":{})",
                                cause_name(op.cause), op.planes, address.plane.value, address.block.value,
                                address.page.value, op.command_id)};
        dies_[index].command_id = op.command_id;
    });
}

void TimelineRecorder::die_released(Ps at, hal::Channel channel, hal::Die die, hal::PlaneSet planes) {
    if (advance(hw::now())) {
        die_tracks_.of(channel, die, planes, [&](std::size_t index) { dies_[index].slice.end = at; });
    }
}

void TimelineRecorder::array_busy(Ps begin, Ps end, const FlashOp& op, bool suspended) {
    if (!advance(hw::now())) {
        return;
    }
    die_tracks_.of(op, [&](std::size_t index) {
        std::vector<ArrayWork>& array = dies_[index].array;
        if (!array.empty()) {
            array.back().end = std::min(array.back().end, begin);
        }
        array.push_back(ArrayWork{begin, end, array_name(op, suspended)});
    });
}

void TimelineRecorder::write_die(std::size_t index) {
    DieState& die = dies_[index];
    const Track track{kDieProcess, static_cast<std::uint32_t>(index) + 1};
    const Ps begin = std::max(die.slice.begin, window_.from);
    const Ps end = std::min(die.slice.end, stop_);
    if (die.slice.valid && begin < end) {
        writer_.begin(track, begin, die.slice.name, die.slice.category, die.slice.args);
        write_flow(die.command_id, track, begin);
        write_array(die, track, begin, end);
        writer_.end(track, end);
    }
    const Ps done = die.slice.end;
    std::erase_if(die.array, [done](const ArrayWork& work) { return work.end <= done; });
    die.slice.valid = false;
}

/// Writes the array's work between `begin` and `end`.
void TimelineRecorder::write_array(DieState& die, Track track, Ps begin, Ps end) {
    for (const ArrayWork& work : die.array) {
        const Ps from = std::max(work.begin, begin);
        const Ps to = std::min(work.end, end);
        if (from < to) {
            writer_.begin(track, from, work.name, "array", {});
            writer_.end(track, to);
        }
    }
}

/// Draws an arrow from the command to the slice that begins at `at`, if both are shown.
void TimelineRecorder::write_flow(std::uint32_t command_id, Track to, Ps at) {
    const Origin& origin = origins_[command_id % kOrigins];
    if (command_id == 0 || origin.id != command_id || origin.end <= window_.from || origin.begin >= stop_) {
        return;
    }
    writer_.flow(next_flow_++, tag_track(origin.tag), std::max(origin.begin, window_.from), to, at);
}

void TimelineRecorder::issued(Command& command) {
    const Ps now = hw::now();
    if (!advance(now)) {
        return;
    }
    for (std::uint16_t tag = 0; tag < tags(); ++tag) {
        const ActiveCommand& other = commands_[tag];
        if (other.open && (tag == command.tag || other.sequence == command.sequence)) {
            end_command(tag, now);  // an error made the host issue the command again
        }
    }
    ActiveCommand& active = command_of(command.tag);
    active.open = true;
    active.begin = now;
    active.sequence = command.sequence;
    active.id = 0;
    active.name = fmt::format("{}{}", kOperationNames[static_cast<std::size_t>(command.operation)],
                              command.fua ? " FUA" : "");
    active.args = fmt::format(R"("sequence":{},"request":{},"lba":{},"sectors":{})", command.sequence,
                              command.request, command.lba.value, command.sectors);
    if (state_ == State::open) {
        begin_command(command.tag, now);
    }
}

/// Slots of an NVMe host get tracks on first use.
TimelineRecorder::ActiveCommand& TimelineRecorder::command_of(std::uint16_t tag) {
    while (commands_.size() <= tag) {
        const auto next = static_cast<std::uint16_t>(commands_.size());
        writer_.name_thread(tag_track(next), fmt::format("command {}", next));
        commands_.emplace_back();
    }
    return commands_[tag];
}

void TimelineRecorder::completed(Command& command) {
    const Ps now = hw::now();
    if (advance(now) && command_of(command.tag).open) {
        end_command(command.tag, now);
    }
}

void TimelineRecorder::begin_command(std::uint16_t tag, Ps at) {
    writer_.begin(tag_track(tag), at, commands_[tag].name, "command", commands_[tag].args);
}

void TimelineRecorder::end_command(std::uint16_t tag, Ps at) {
    ActiveCommand& command = commands_[tag];
    command.open = false;
    if (command.id != 0 && origins_[command.id % kOrigins].id == command.id) {
        origins_[command.id % kOrigins].end = at;
    }
    if (state_ == State::open) {
        writer_.end(tag_track(tag), at);
    }
}

void TimelineRecorder::command_accepted(Ps at, const hal::HostCommand& command) {
    // otherwise a command of the host itself, not of the load
    const bool known = command.slot < commands_.size();
    if (advance(at) && known && commands_[command.slot].open) {
        commands_[command.slot].id = command.id;
        origins_[command.id % kOrigins] =
            Origin{command.id, command.slot, commands_[command.slot].begin, Ps::max()};
    }
}

void TimelineRecorder::count(Counter& counter, Ps at, std::uint64_t value) {
    counter.value = value;
    if (state_ == State::open) {
        writer_.counter(counter.process, at, counter.name, value);
    }
}

void TimelineRecorder::outstanding(Ps at, std::uint32_t tags, bool non_queued) {
    if (advance(at)) {
        count(outstanding_, at, static_cast<std::uint64_t>(std::popcount(tags)) + (non_queued ? 1 : 0));
    }
}

void TimelineRecorder::under_way(Ps at, std::uint32_t commands) {
    if (advance(at)) {
        count(outstanding_, at, commands);
    }
}

void TimelineRecorder::free_superblocks(std::uint32_t parallel_unit, std::uint32_t count_now) {
    const std::uint64_t others = free_.value - free_counts_[parallel_unit];
    free_counts_[parallel_unit] = count_now;
    const Ps now = hw::now();
    if (advance(now)) {
        count(free_, now, others + count_now);
    }
}

void TimelineRecorder::write_buffer(std::uint32_t slots) {
    const Ps now = hw::now();
    if (advance(now)) {
        count(buffer_, now, slots);
    }
}

void TimelineRecorder::boot_step(Ps begin, std::string_view name) {
    if (advance(hw::now())) {
        put(kBootTrack, boot_, Pending{true, begin, Ps::max(), std::string(name), "boot", {}});
    }
}

void TimelineRecorder::boot_step_ended(Ps at) {
    if (advance(hw::now())) {
        boot_.end = at;
    }
}

}  // namespace solidtlm::testbench
