// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/word_line_flash.h"

#include <algorithm>

#include "fw/hal/check.h"

namespace solidtlm::fw {

using hal::FlashOp;
using hal::FlashStatus;

namespace {

/// Makes `part` the program of page `number` of the word line that `op` programs.
void take_row(const FlashOp& op, std::uint8_t number, OperationPart& part) {
    FlashOp& row = part.op;
    row = FlashOp{};
    row.opcode = op.opcode;
    row.cause = op.cause;
    row.planes = op.planes;
    row.slc = op.slc;
    row.command_id = op.command_id;
    const auto first = static_cast<std::uint8_t>(number * op.planes);
    std::copy_n(op.address.begin() + first, op.planes, row.address.begin());
    const std::size_t bytes = op.spare.size() / op.word_line_pages;
    row.spare = op.spare.subspan(number * bytes, bytes);
    part.take_pieces(op.pieces, first, op.planes);
}

}  // namespace

WordLineFlash::WordLineFlash(const FirmwareConfig& config, Executor& executor, hal::Flash& flash)
    : FlashLayer(flash),
      pages_(config.flash.pages_per_program),
      cycles_(config.cycles),
      executor_(executor),
      word_lines_(executor, pages_, "pages of a word line, one after the other") {
    SOLIDTLM_CHECK(config.flash.page_by_page, "word lines are programmed page by page");
}

void WordLineFlash::submit(FlashOp& op) {
    if (op.word_line_pages == 1) {
        below().submit(op);
        return;
    }
    SOLIDTLM_CHECK(
        op.opcode == hal::FlashOpcode::program && op.word_line_pages == pages_ && op.xor_sources == 1,
        "all pages of a word line are programmed, each from one source");
    executor_.spawn(run(op));
}

Task<void> WordLineFlash::run(FlashOp& op) {
    WordLine& word_line = word_lines_.take();
    const std::uint64_t further =
        std::uint64_t{op.word_line_pages - 1U} * (cycles_.flash_issue + cycles_.flash_complete);
    co_await executor_.spend(further, op.ledger, op.cause);
    for (std::uint8_t number = 0; number < op.word_line_pages; ++number) {
        OperationPart& row = word_line.parts[number];
        take_row(op, number, row);
        row.start(below(), word_line.join, op.ledger != nullptr ? &row.ledger : nullptr, executor_.now());
    }
    const Ledger* last = co_await word_line.join.wait();
    if (last != nullptr) {
        op.ledger->join(*last, Stage::firmware_wait);
    }
    op.status = FlashStatus::ok;
    for (std::uint8_t number = 0; number < op.word_line_pages; ++number) {
        const FlashOp& row = word_line.parts[number].op;
        op.status = hal::worse(op.status, row.status);
        std::copy_n(row.plane_status.begin(), op.planes,
                    op.plane_status.begin() + std::size_t{number} * op.planes);
    }
    word_lines_.give_back(word_line);
    op.done();
}

}  // namespace solidtlm::fw
