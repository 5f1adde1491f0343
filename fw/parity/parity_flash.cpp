// SPDX-License-Identifier: Apache-2.0
#include "fw/parity/parity_flash.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "fw/hal/xor_onto.h"

namespace solidtlm::fw {

using hal::FlashOp;
using hal::FlashOpcode;
using hal::FlashPiece;
using hal::FlashStatus;

namespace {

/// The part of the metadata of `op` that belongs to a page; empty if there is none.
std::span<std::byte> spare_of(const FlashOp& op, std::size_t slot) {
    const std::size_t bytes = op.spare.size() / op.slots();
    return op.spare.subspan(slot * bytes, bytes);
}

}  // namespace

ParityFlash::ParityFlash(const FirmwareConfig& config, Executor& executor, hal::Flash& flash)
    : FlashLayer(flash),
      group_(config),
      cycles_(config.cycles),
      executor_(executor),
      works_(executor, group_.dies(), "dies of a group"),
      read_ended_(executor, "a read of a group of dies has ended") {}

std::uint32_t ParityFlash::pending(hal::Channel channel, hal::Die die) const {
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < group_.dies(); ++i) {
        const hal::Channel member{static_cast<std::uint16_t>(channel.value * group_.dies() + i)};
        most = std::max(most, below().pending(member, die));
    }
    return most;
}

void ParityFlash::tell(hal::Metrics& metrics) const {
    metrics.counter("parity.pages", "pages", "pages of parity programmed", counters_.parity_pages);
    metrics.counter("parity.rebuilt_pages", "pages",
                    "uncorrectable pages rebuilt from the other dies of their stripe", counters_.rebuilt);
    metrics.counter("parity.lost_pages", "pages", "uncorrectable pages that could not be rebuilt",
                    counters_.lost);
}

void ParityFlash::submit(FlashOp& op) {
    if (op.opcode == FlashOpcode::read) {
        reads_.push_back(&op);
    }
    executor_.spawn(run(op));
}

bool ParityFlash::is_being_read(const FlashOp& erase) const {
    const hal::FlashAddress& block = erase.address[0];
    return std::ranges::any_of(reads_, [&block](const FlashOp* read) {
        return std::any_of(read->address.begin(), read->address.begin() + read->planes,
                           [&block](const hal::FlashAddress& at) {
                               return at.channel == block.channel && at.die == block.die &&
                                      at.block == block.block;
                           });
    });
}

Task<void> ParityFlash::run(FlashOp& op) {
    const bool read = op.opcode == FlashOpcode::read;
    while (op.opcode == FlashOpcode::erase && is_being_read(op)) {
        co_await read_ended_.wait();
    }
    Work& work = works_.take();
    split(op, work);
    if (!read && is_whole(op)) {
        add_parity(op, work);
    }
    const auto parts = static_cast<std::uint64_t>(
        std::ranges::count_if(work.parts, [](const Part& part) { return part.op.planes > 0; }));
    const std::uint64_t further = (parts - 1) * (cycles_.flash_issue + cycles_.flash_complete);
    co_await executor_.spend(further, op.ledger, op.cause);
    for (Part& part : work.parts) {
        if (part.op.planes > 0) {
            start(part, work.join, op.ledger == nullptr || parts == 1 ? op.ledger : &part.ledger);
        }
    }
    const Ledger* last = co_await work.join.wait();
    if (last != nullptr && last != op.ledger) {
        op.ledger->join(*last, Stage::firmware_wait);
    }
    gather(op, work);
    if (read && op.status == FlashStatus::uncorrectable) {
        co_await rebuild(op, work);
    } else if (read && op.cause == Cause::recovery && is_whole(op)) {
        co_await look_at_parity(op, work);
    }
    if (read) {
        std::erase(reads_, &op);
        read_ended_.notify();
    }
    works_.give_back(work);
    op.done();
}

/// Gives each die of the group the pages that lie on it.
void ParityFlash::split(const FlashOp& op, Work& work) const {
    SOLIDTLM_CHECK(op.opcode == FlashOpcode::read || op.opcode == FlashOpcode::program ||
                       op.opcode == FlashOpcode::erase,
                   "groups of dies read, program and erase");
    for (Part& part : work.parts) {
        part.op = FlashOp{};
        part.op.opcode = op.opcode;
        part.op.cause = op.cause;
        part.op.command_id = op.command_id;
        part.op.slc = op.slc;
        part.op.word_line_pages = op.word_line_pages;
        part.op.planes = 0;
        part.parity = false;
        part.pieces.clear();
    }
    std::array<std::pair<Part*, std::uint8_t>, hal::kMaxPagesPerOp> places{};
    for (std::uint8_t plane = 0; plane < op.planes; ++plane) {
        ++work.parts[group_.die_of(op.address[plane])].op.planes;
    }
    // The order is that of the whole operation: page by page of the word line, with its planes.
    std::array<std::uint8_t, hal::kMaxPlanesPerOp + 1> on_die{};  // one die has the parity
    for (std::uint8_t plane = 0; plane < op.planes; ++plane) {
        const std::uint32_t die = group_.die_of(op.address[plane]);
        Part& part = work.parts[die];
        const std::uint8_t first = on_die[die]++;
        for (std::uint8_t row = 0; row < op.word_line_pages; ++row) {
            const auto slot = static_cast<std::uint8_t>(row * op.planes + plane);
            const auto index = static_cast<std::uint8_t>(row * part.op.planes + first);
            part.op.address[index] = group_.place_of(op.address[slot]);
            part.seen[index] = slot;
            places[slot] = {&part, index};
        }
    }
    for (FlashPiece piece : op.pieces) {
        const auto& [part, index] = places[piece.plane_slot];
        piece.plane_slot = index;
        part->pieces.push_back(piece);
    }
    const std::size_t bytes = op.spare.size() / op.slots();
    for (Part& part : work.parts) {
        part.op.pieces = part.pieces;
        part.op.spare = std::span(part.spare).first(part.op.slots() * bytes);
        for (std::uint32_t index = 0; index < part.op.slots(); ++index) {
            std::ranges::copy(spare_of(op, part.seen[index]), spare_of(part.op, index).begin());
        }
    }
}

/// Gives the die with the parity the sum of the pages at the same place on the other dies.
void ParityFlash::add_parity(const FlashOp& op, Work& work) const {
    const hal::Block block = op.address[0].block;
    SOLIDTLM_CHECK(std::all_of(op.address.begin(), op.address.begin() + op.slots(),
                               [block](const hal::FlashAddress& at) { return at.block == block; }),
                   "a superblock has the same block on every plane");
    const std::uint32_t die = group_.parity_die(block);
    Part& part = work.parts[die];
    part.parity = true;
    part.op.planes = static_cast<std::uint8_t>(group_.planes());
    for (std::uint8_t row = 0; row < op.word_line_pages; ++row) {
        for (std::uint8_t plane = 0; plane < part.op.planes; ++plane) {
            part.op.address[std::size_t{row} * part.op.planes + plane] =
                group_.on_die(op.address[std::size_t{row} * op.planes + plane], die);
        }
    }
    if (op.opcode != FlashOpcode::program) {
        return;
    }
    part.op.xor_sources = static_cast<std::uint8_t>(group_.dies() - 1);
    for (std::uint32_t run = 0; run < part.op.xor_sources; ++run) {
        for (FlashPiece piece : op.pieces) {
            if (piece.plane_slot % op.planes / group_.planes() == run) {
                piece.plane_slot = in_parity(op, piece.plane_slot);
                part.pieces.push_back(piece);
            }
        }
    }
    part.op.pieces = part.pieces;
    part.op.spare = std::span(part.spare).first(part.op.slots() * op.spare.size() / op.slots());
    std::ranges::fill(part.op.spare, std::byte{0});
    for (std::uint32_t slot = 0; slot < op.slots(); ++slot) {
        const std::span<const std::byte> from = spare_of(op, slot);
        hal::xor_onto(spare_of(part.op, in_parity(op, slot)).data(), from.data(), from.size());
    }
}

/// The index, in the operation of the die with the parity, of the parity of a page of the whole operation.
std::uint8_t ParityFlash::in_parity(const FlashOp& op, std::uint32_t slot) const {
    return static_cast<std::uint8_t>(slot / op.planes * group_.planes() + slot % op.planes % group_.planes());
}

/// `ledger`: that of the operation or of the part, or null.
void ParityFlash::start(Part& part, Join& join, Ledger* ledger) {
    counters_.parity_pages += part.parity && part.op.opcode == FlashOpcode::program ? part.op.slots() : 0;
    part.start(below(), join, ledger, executor_.now());
}

void ParityFlash::gather(FlashOp& op, const Work& work) {
    op.corrected_bits = 0;
    op.retries = 0;
    op.status = FlashStatus::ok;
    for (const Part& part : work.parts) {
        if (part.op.planes == 0) {
            continue;
        }
        op.corrected_bits = std::max(op.corrected_bits, part.op.corrected_bits);
        op.retries = std::max(op.retries, part.op.retries);
        op.status = hal::worse(op.status, part.op.status);
        for (std::uint8_t index = 0; index < part.op.slots() && !part.parity; ++index) {
            op.plane_status[part.seen[index]] = part.op.plane_status[index];
            if (op.opcode == FlashOpcode::read) {
                std::ranges::copy(spare_of(part.op, index), spare_of(op, part.seen[index]).begin());
            }
        }
    }
}

Task<void> ParityFlash::rebuild(FlashOp& op, Work& work) {
    op.status = FlashStatus::ok;
    for (std::uint8_t plane = 0; plane < op.planes; ++plane) {
        if (op.plane_status[plane] == FlashStatus::uncorrectable) {
            const bool rebuilt = co_await rebuild_page(op, plane, work);
            ++(rebuilt ? counters_.rebuilt : counters_.lost);
            if (rebuilt) {
                op.plane_status[plane] = FlashStatus::ok;
                op.corrected_bits = FlashOp::kRebuilt;
            }
        }
        op.status = hal::worse(op.status, op.plane_status[plane]);
    }
}

Task<bool> ParityFlash::rebuild_page(FlashOp& op, std::uint8_t plane, Work& work) {
    Part& part = work.parts.front();
    part.take_pieces(op.pieces, plane);
    const std::uint32_t own = group_.die_of(op.address[plane]);
    const std::span<std::byte> spare = spare_of(op, plane);
    std::ranges::fill(spare, std::byte{0});
    const bool wanted = std::ranges::any_of(  // patrol reads the page, but wants none of its data
        part.pieces, [](const FlashPiece& piece) { return piece.dram.value != FlashPiece::kPadding; });
    bool first = true;
    for (std::uint32_t die = 0; die < group_.dies(); ++die) {
        if (die == own) {
            continue;
        }
        part.op = FlashOp{};
        part.op.pieces = part.pieces;
        part.op.accumulate = !first && wanted;
        part.op.spare = std::span(part.spare).first(spare.size());
        first = false;
        co_await read_alone(part, op, group_.on_die(op.address[plane], die), work);
        if (part.op.status != FlashStatus::ok) {
            co_return false;
        }
        hal::xor_onto(spare.data(), part.spare.data(), spare.size());
    }
    co_return true;
}

/// A stripe that seems to be erased may already, or still, have its parity.
Task<void> ParityFlash::look_at_parity(FlashOp& op, Work& work) {
    const auto planes = std::span(op.plane_status).first(op.planes);
    if (std::ranges::any_of(planes, [](FlashStatus status) { return status != FlashStatus::erased; })) {
        co_return;
    }
    const std::uint32_t die = group_.parity_die(op.address[0].block);
    Part& part = work.parts.front();
    for (std::uint32_t plane = 0; plane < group_.planes(); ++plane) {
        part.op = FlashOp{};
        part.op.spare = std::span(part.spare).first(op.spare.size() / op.planes);
        co_await read_alone(part, op, group_.on_die(op.address[plane], die), work);
        if (part.op.status != FlashStatus::erased) {
            std::ranges::fill(planes, FlashStatus::uncorrectable);
            op.status = FlashStatus::uncorrectable;
        }
    }
}

/// Reads a page for `of`; the rest of part.op is set.
Task<void> ParityFlash::read_alone(Part& part, const FlashOp& of, const hal::FlashAddress& at, Work& work) {
    part.op.cause = of.cause;
    part.op.slc = of.slc;
    part.op.command_id = of.command_id;
    part.op.address[0] = at;
    co_await executor_.spend(cycles_.flash_issue, of.ledger, of.cause);
    start(part, work.join, of.ledger);
    co_await work.join.wait();
    co_await executor_.spend(cycles_.flash_complete, of.ledger, of.cause);
}

}  // namespace solidtlm::fw
