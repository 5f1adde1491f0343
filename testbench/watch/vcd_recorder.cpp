// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/vcd_recorder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "fw/needs.h"
#include "hw/nvme/device.h"
#include "hw/tlm/time.h"
#include "testbench/watch/signal_words.h"

namespace solidtlm::testbench {

using hal::Cause;
using hal::Channel;
using hal::Die;
using hal::FlashOp;

namespace {

constexpr std::uint64_t kIdle = 0;

std::uint64_t after_idle(std::size_t index) {
    return index + 1;
}

VcdSignal word(std::string scope, std::string name, std::vector<std::string> words) {
    return VcdSignal{std::move(scope), std::move(name), SignalKind::word, 1, std::move(words)};
}

VcdSignal bit(std::string scope, std::string name) {
    return VcdSignal{std::move(scope), std::move(name), SignalKind::bit, 1, {}};
}

/// A signal wide enough for `largest`, of at least two bits: viewers draw single bits differently.
VcdSignal level(std::string scope, std::string name, std::uint64_t largest) {
    const auto bits = std::max(2U, static_cast<std::uint32_t>(std::bit_width(largest)));
    return VcdSignal{std::move(scope), std::move(name), SignalKind::level, bits, {}};
}

}  // namespace

VcdRecorder::VcdRecorder(const platform::Configuration& configuration, const RecordWindow& window,
                         StreamedFile& file)
    : window_(window),
      writer_(file),
      sink_([this](Ps at, Index signal, std::uint64_t value) { write(at, signal, value); }),
      dies_per_channel_(configuration.nand.geometry.dies),
      die_tracks_(configuration.nand),
      nvme_(configuration.has_nvme()) {
    declare_host_side(configuration);
    declare_controller(configuration);
    declare_flash(configuration);
    declare_firmware(configuration);
    writer_.write_header();
}

VcdRecorder::Index VcdRecorder::declare(VcdSignal signal, std::uint64_t value) {
    writer_.declare(std::move(signal));
    return queue_.add(value);
}

void VcdRecorder::declare_host_side(const platform::Configuration& configuration) {
    constexpr std::uint32_t kTags = 32;
    constexpr std::uint32_t kCounterBits = 32;
    if (nvme_) {
        link_down_ = declare(word("link", "to_device", tlp_words()), kIdle);
        link_up_ = declare(word("link", "to_host", tlp_words()), kIdle);
        nvme_commands_ =
            declare(level("nvme", "commands", hw::NvmeDevice::command_slots(configuration.nvme)), 0);
        return;
    }
    link_direction_ = declare(word("link", "direction", {"idle", "to_device", "to_host"}), kIdle);
    link_fis_ = declare(word("link", "fis", fis_words()), kIdle);
    link_frames_ = declare(VcdSignal{"link", "frames", SignalKind::number, kCounterBits, {}}, 0);
    ncq_depth_ = declare(level("ncq", "depth", kTags), 0);
    ncq_tags_ = declare(VcdSignal{"ncq", "tags", SignalKind::number, kTags, {}}, 0);
    non_queued_ = declare(bit("ncq", "non_queued"), 0);
}

void VcdRecorder::declare_controller(const platform::Configuration& configuration) {
    core_state_ = declare(word("core", "state", {"idle", "execute", "stall"}), kIdle);
    core_cause_ = declare(word("core", "cause", with_none(hal::kCauseNames)), kIdle);
    dram_busy_ = declare(bit("dram", "busy"), 0);
    dram_port_ = declare(word("dram", "port", dram_port_words(configuration.nand.geometry.channels)), kIdle);
    dram_core_ = declare(bit("dram", "core_access"), 0);
}

void VcdRecorder::declare_flash(const platform::Configuration& configuration) {
    const hw::NandGeometry& geometry = configuration.nand.geometry;
    for (std::uint32_t channel = 0; channel < geometry.channels; ++channel) {
        const std::string scope = "channel_" + std::to_string(channel);
        ChannelSignals signals{};
        signals.phase = declare(word(scope, "phase", bus_phase_words()), kIdle);
        signals.die = declare(word(scope, "die", die_words(geometry.dies)), kIdle);
        signals.cause = declare(word(scope, "cause", with_none(hal::kCauseNames)), kIdle);
        channels_.push_back(signals);
        for (std::uint32_t die = 0; die < geometry.dies; ++die) {
            const std::string below = scope + ".die_" + std::to_string(die);
            ready_.push_back(declare(bit(below, "rb_n"), 1));
            for (std::uint32_t track = 0; track < die_tracks_.per_die(); ++track) {
                const std::string where =
                    die_tracks_.per_die() == 1 ? below : below + ".plane_" + std::to_string(track);
                const Index operation = declare(word(where, "operation", array_words()), kIdle);
                const Index holder = declare(word(where, "held_by", with_none(hal::kHolderNames)), kIdle);
                tracks_.push_back(TrackSignals{operation, holder});
            }
        }
    }
}

void VcdRecorder::declare_firmware(const platform::Configuration& configuration) {
    const fw::MediaLayout layout = fw::media_layout(configuration.firmware);
    const std::uint64_t superblocks = layout.total_superblocks();
    const std::uint64_t slots =
        configuration.firmware.write_buffer.size_bytes / configuration.firmware.unit_bytes;
    buffer_fill_ = declare(level("firmware", "write_buffer", slots), 0);
    free_total_ = declare(level("firmware", "free_superblocks", superblocks), 0);
    free_least_ = declare(level("firmware", "least_free_superblocks", layout.superblocks()), 0);
    for (std::uint32_t unit = 0; unit < layout.pus(); ++unit) {
        free_of_unit_.push_back(declare(
            level("firmware.free_of_unit", "unit_" + std::to_string(unit), layout.superblocks(fw::Pu{unit})),
            0));
    }
    free_counts_.assign(layout.pus(), 0);
}

bool VcdRecorder::advance(Ps now) {
    if (!open_) {
        if (now <= window_.from) {
            queue_.settle(now, sink_);
            return true;
        }
        open();
    }
    queue_.settle(std::min(now, window_.to), sink_);
    end_instant();
    return now < window_.to;
}

/// Opens the dump: all values at the window's first instant are known.
void VcdRecorder::open() {
    queue_.settle(window_.from + Ps{1}, sink_);
    busy_now_ = port_now_ != kIdle || core_now_ != 0 ? 1 : 0;
    std::vector<std::uint64_t> values;
    for (Index signal = 0; signal < queue_.size(); ++signal) {
        values.push_back(signal == dram_busy_ ? busy_now_ : queue_.value(signal));
    }
    writer_.write_values(window_.from, values);
    open_ = true;
    instant_ = window_.from;
}

void VcdRecorder::write(Ps at, Index signal, std::uint64_t value) {
    if (open_ && at != instant_) {
        end_instant();
        instant_ = at;
    }
    port_now_ = signal == dram_port_ ? value : port_now_;
    core_now_ = signal == dram_core_ ? value : core_now_;
    if (open_) {
        writer_.write_change(at, signal, value);
    }
}

/// dram.busy follows from the other two DRAM signals, once all changes of an instant are known.
void VcdRecorder::end_instant() {
    const std::uint64_t busy = port_now_ != kIdle || core_now_ != 0 ? 1 : 0;
    if (busy != busy_now_) {
        busy_now_ = busy;
        writer_.write_change(instant_, dram_busy_, busy);
    }
}

hal::Ps VcdRecorder::finish(Ps at) {
    advance(at + Ps{1});
    const Ps end = std::min(at, window_.to);
    if (open_) {
        writer_.write_end(end);
    }
    return end;
}

void VcdRecorder::link_frame(Ps begin, Ps end, bool to_device, std::uint8_t type) {
    if (!advance(hw::now())) {
        return;
    }
    if (nvme_) {
        queue_.set_between(to_device ? link_down_ : link_up_, begin, end, tlp_word_of(type), kIdle);
        return;
    }
    queue_.set_between(link_direction_, begin, end, to_device ? 1 : 2, kIdle);
    queue_.set(link_frames_, begin, ++frames_);
    queue_.set_between(link_fis_, begin, end, after_idle(hw::fis_index(type)), kIdle);
}

void VcdRecorder::outstanding(Ps at, std::uint32_t tags, bool non_queued) {
    if (!advance(hw::now())) {
        return;
    }
    queue_.set(ncq_depth_, at, static_cast<std::uint64_t>(std::popcount(tags)));
    queue_.set(ncq_tags_, at, tags);
    queue_.set(non_queued_, at, non_queued ? 1 : 0);
}

void VcdRecorder::under_way(Ps at, std::uint32_t commands) {
    if (advance(hw::now())) {
        queue_.set(nvme_commands_, at, commands);
    }
}

void VcdRecorder::core_slice(Ps begin, Ps stall_begin, Ps end, Cause cause) {
    if (!advance(hw::now())) {
        return;
    }
    queue_.set(core_state_, begin, 1);
    queue_.set_between(core_state_, stall_begin, end, 2, kIdle);
    queue_.set_between(core_cause_, begin, end, after_idle(static_cast<std::size_t>(cause)), kIdle);
}

void VcdRecorder::dram_served(Ps begin, Ps end, std::uint16_t port) {
    if (!advance(hw::now())) {
        return;
    }
    dram_value_ = after_idle(port);
    dram_end_ = end;
    queue_.set_between(dram_port_, begin, end, dram_value_, kIdle);
}

void VcdRecorder::dram_stretched(Ps end) {
    if (!advance(hw::now())) {
        return;
    }
    queue_.set_between(dram_port_, dram_end_, end, dram_value_, kIdle);
    dram_end_ = end;
}

void VcdRecorder::dram_core_access(Ps begin, Ps end) {
    if (!advance(hw::now())) {
        return;
    }
    queue_.set_between(dram_core_, begin, end, 1, 0);
}

void VcdRecorder::bus_held(Ps begin, Ps end, const FlashOp& op, hal::BusPhase /*kind*/) {
    if (!advance(hw::now())) {
        return;
    }
    const ChannelSignals& signals = channels_[op.address[0].channel.value];
    queue_.set_between(signals.die, begin, end, after_idle(op.address[0].die.value), kIdle);
    queue_.set_between(signals.cause, begin, end, after_idle(static_cast<std::size_t>(op.cause)), kIdle);
}

void VcdRecorder::bus_phase(Channel channel, Ps begin, Ps end, hal::BusPhase phase) {
    if (!advance(hw::now())) {
        return;
    }
    queue_.set_between(channels_[channel.value].phase, begin, end, static_cast<std::uint64_t>(phase), kIdle);
}

void VcdRecorder::die_taken(Ps at, const FlashOp& op, hal::PlaneSet planes) {
    if (!advance(hw::now())) {
        return;
    }
    const std::uint64_t holder = after_idle(static_cast<std::size_t>(hw::holder_of(op)));
    die_tracks_.of(op.address[0].channel, op.address[0].die, planes,
                   [&](std::size_t track) { queue_.set(tracks_[track].holder, at, holder); });
}

void VcdRecorder::die_released(Ps at, Channel channel, Die die, hal::PlaneSet planes) {
    if (advance(hw::now())) {
        die_tracks_.of(channel, die, planes,
                       [&](std::size_t track) { queue_.set(tracks_[track].holder, at, kIdle); });
    }
}

void VcdRecorder::die_busy(Ps begin, Ps ready, Channel channel, Die die) {
    if (advance(hw::now())) {
        queue_.set_between(ready_[std::size_t{channel.value} * dies_per_channel_ + die.value], begin, ready,
                           0, 1);
    }
}

void VcdRecorder::array_busy(Ps begin, Ps end, const FlashOp& op, bool suspended) {
    if (!advance(hw::now())) {
        return;
    }
    const std::uint64_t word = array_word_of(op.opcode, suspended);
    die_tracks_.of(op, [&](std::size_t track) {
        queue_.set_between(tracks_[track].operation, begin, end, word, kIdle);
    });
}

void VcdRecorder::free_superblocks(std::uint32_t parallel_unit, std::uint32_t count) {
    const Ps now = hw::now();
    if (!advance(now)) {
        return;
    }
    free_sum_ += count;
    free_sum_ -= free_counts_[parallel_unit];
    free_counts_[parallel_unit] = count;
    queue_.set(free_of_unit_[parallel_unit], now, count);
    queue_.set(free_total_, now, free_sum_);
    queue_.set(free_least_, now, *std::min_element(free_counts_.begin(), free_counts_.end()));
}

void VcdRecorder::write_buffer(std::uint32_t slots) {
    const Ps now = hw::now();
    if (advance(now)) {
        queue_.set(buffer_fill_, now, slots);
    }
}

}  // namespace solidtlm::testbench
