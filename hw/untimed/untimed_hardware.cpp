// SPDX-License-Identifier: Apache-2.0
#include "hw/untimed/untimed_hardware.h"

#include <numeric>
#include <systemc>
#include <utility>

namespace solidtlm::hw {

using hal::FlashOp;
using hal::FlashOpcode;

std::uint64_t UntimedStatistics::total_programs() const {
    return std::accumulate(programs.begin(), programs.end(), std::uint64_t{0});
}

std::uint64_t UntimedStatistics::total_erases() const {
    return std::accumulate(erases.begin(), erases.end(), std::uint64_t{0});
}

UntimedHardware::UntimedHardware(const NandConfig& config, std::span<NandArray* const> arrays,
                                 std::byte* dram, std::uint64_t dram_bytes)
    : config_(config), dram_(dram), dram_bytes_(dram_bytes) {
    dies_.reserve(arrays.size());
    for (NandArray* array : arrays) {
        dies_.push_back(Die{array, PlaneOperations(*array), Ring<hal::Completion>(config.most_operations)});
    }
}

void UntimedHardware::run(hal::Program& program, UntimedFeed& feed) {
    feed_ = &feed;
    if (arrived_) {
        arrived_();
    }
    for (bool more = true; more;) {
        while (!program.step().idle) {
        }
        more = wake_up();
    }
    feed_ = nullptr;
}

/// All ready coroutines have run: ends programs next, then calls the alarm. False if nothing is left to do.
bool UntimedHardware::wake_up() {
    if (unended_ > 0) {
        for (Die& die : dies_) {
            end_program(die);
        }
        return true;
    }
    if (const hal::Completion alarm = std::exchange(alarm_, {})) {
        alarm();
        return true;
    }
    return false;
}

void UntimedHardware::end_program(Die& die) {
    if (!die.programs.empty()) {
        --unended_;
        die.programs.pop()();
    }
}

void UntimedHardware::set_alarm(Ps /*at*/, hal::Completion alarm) {
    alarm_ = alarm;
}

bool UntimedHardware::factory_bad(const hal::FlashAddress& block) const {
    return hw::factory_bad(config_.bad_blocks, block);
}

void UntimedHardware::put(const hal::FlashAddress& block, const hal::BlockImage& image) {
    dies_[config_.geometry.die_index(block.channel, block.die)].array->put(block, image);
}

void UntimedHardware::submit(FlashOp& op) {
    const hal::FlashAddress& at = op.address[0];
    if (at.channel.value >= config_.geometry.channels || at.die.value >= config_.geometry.dies) {
        SC_REPORT_FATAL("/ssd/untimed", "no such die");
    }
    Die& die = dies_[config_.geometry.die_index(at.channel, at.die)];
    execute(op, die.operations);
    count(op);
    const bool program = op.opcode == FlashOpcode::program || op.opcode == FlashOpcode::copy_back;
    if (program && op.cause != hal::Cause::host) {
        ++unended_;
        die.programs.push(op.done);
        return;
    }
    op.done();
    if (program) {
        end_program(die);
    }
}

void UntimedHardware::execute(FlashOp& op, PlaneOperations& die) {
    const auto place = [this](const hal::FlashPiece& piece, std::size_t /*offset*/) {
        return content(piece.dram);
    };
    switch (op.opcode) {
        case FlashOpcode::read:
            return op.accumulate ? accumulate(op, die) : read(op, die, place);
        case FlashOpcode::program:
            die.program(op, place);
            return;
        case FlashOpcode::erase:
            die.erase(op);
            return;
        case FlashOpcode::copy_back:
            if (die.check_copy_back(op)) {
                die.copy_back(op);
            }
            return;
    }
}

template <class Place>
void UntimedHardware::read(FlashOp& op, PlaneOperations& die, const Place& place) {
    op.retries = 0;
    op.corrected_bits = 0;
    while (die.read(op, place, op.retries) && op.status == hal::FlashStatus::uncorrectable &&
           op.retries < config_.ecc.retries) {
        ++op.retries;
    }
}

void UntimedHardware::accumulate(FlashOp& op, PlaneOperations& die) {
    std::size_t total = 0;
    for (const hal::FlashPiece& piece : op.pieces) {
        total += hal::content_bytes(config_.content, piece.length_bytes);
    }
    std::vector<std::byte> found(total);
    read(op, die,
         [&found](const hal::FlashPiece& /*piece*/, std::size_t offset) { return found.data() + offset; });
    const std::byte* from = found.data();
    for (const hal::FlashPiece& piece : op.pieces) {
        const std::size_t bytes = hal::content_bytes(config_.content, piece.length_bytes);
        if (op.plane_status[piece.plane_slot] == hal::FlashStatus::ok) {
            hal::xor_onto(content(piece.dram), from, bytes);
        }
        from += bytes;
    }
}

void UntimedHardware::count(const FlashOp& op) {
    const auto cause = static_cast<std::size_t>(op.cause);
    switch (op.opcode) {
        case FlashOpcode::read:
            statistics_.reads[cause] += op.planes;
            return;
        case FlashOpcode::program:
            statistics_.programs[cause] += op.slots();
            return;
        case FlashOpcode::copy_back:
            statistics_.reads[cause] += op.planes;
            statistics_.programs[cause] += op.planes;
            return;
        case FlashOpcode::erase:
            statistics_.erases[cause] += op.planes;
            return;
    }
}

void UntimedHardware::submit(hal::HashJob& job) {
    if (dram_ == nullptr) {
        SC_REPORT_FATAL("/ssd/untimed", "without content there is nothing to hash");
    }
    job.digest = digest_.of(job.function, config_.content, content(job.source), job.bytes);
    job.done();
}

hal::HostCommand* UntimedHardware::fetch() {
    if (busy_ || feed_ == nullptr) {
        return nullptr;
    }
    command_ = hal::HostCommand{};
    if (!feed_->next(command_, statistics_)) {
        feed_ = nullptr;
        return nullptr;
    }
    command_.ledger = &ledger_;
    ledger_.start(hal::Stage::command_queue, now());
    busy_ = true;
    ++statistics_.commands;
    return &command_;
}

void UntimedHardware::transfer(hal::HostTransfer& transfer) {
    const hal::HostCommand& command = *transfer.command;
    std::uint32_t sector = transfer.first_sector;
    for (const hal::HostTransfer::Piece& piece : transfer.pieces) {
        const std::span<std::byte> sectors(content(piece.dram),
                                           hal::content_bytes(config_.content, piece.bytes));
        if (dram_ != nullptr && command.opcode == hal::HostOpcode::write) {
            feed_->content(command, sector, sectors);
        } else if (dram_ != nullptr && command.opcode == hal::HostOpcode::read) {
            feed_->received(command, sector, sectors);
        }
        sector += piece.bytes / hal::kSectorBytes;
    }
    transfer.done();
}

void UntimedHardware::complete(hal::HostCommand& command, hal::HostStatus status) {
    busy_ = false;
    statistics_.failed += status == hal::HostStatus::ok ? 0 : 1;
    if (command.opcode == hal::HostOpcode::write && status == hal::HostStatus::ok) {
        statistics_.written_bytes += std::uint64_t{command.sectors} * hal::kSectorBytes;
    }
    arrived_();
}

}  // namespace solidtlm::hw
