// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/staircase_flash.h"

#include <algorithm>
#include <utility>

#include "fw/hal/check.h"

namespace solidtlm::fw {

using hal::FlashAddress;
using hal::FlashOp;
using hal::FlashPiece;
using hal::FlashStatus;

namespace {

FlashAddress first_page(FlashAddress at) {
    at.page = hal::Page{0};
    return at;
}

bool without_data(const FlashOp& op) {
    return std::ranges::all_of(
        op.pieces, [](const FlashPiece& piece) { return piece.dram.value == FlashPiece::kPadding; });
}

}  // namespace

StaircaseFlash::StaircaseFlash(const FirmwareConfig& config, Executor& executor, hal::Flash& flash)
    : FlashLayer(flash),
      passes_(config.flash.passes),
      word_line_(config.flash.pages_per_program),
      pages_(config.flash.pages),
      page_bytes_(config.flash.page_bytes),
      cycles_(config.cycles),
      executor_(executor),
      ended_(executor, "passes over word lines of a block have ended") {
    SOLIDTLM_CHECK(passes_ > 1 && passes_ <= kMostPasses, "a word line takes two or three passes");
}

std::uint32_t StaircaseFlash::waiting_in(FlashAddress block, bool of_host) const {
    const auto found = blocks_.find(first_page(block));
    if (found == blocks_.end()) {
        return 0;
    }
    return of_host ? found->second.waiting_of_host : found->second.waiting;
}

void StaircaseFlash::submit(FlashOp& op) {
    if (op.opcode == hal::FlashOpcode::program && !op.slc) {
        SOLIDTLM_CHECK(op.word_line_pages == word_line_ && op.xor_sources == 1,
                       "all pages of a word line are programmed, each from one source");
        ++open_;
        executor_.spawn(program(op));
    } else if (op.opcode == hal::FlashOpcode::erase && blocks_.contains(first_page(op.address[0]))) {
        ++open_;
        executor_.spawn(erase(op));
    } else {
        below().submit(op);
    }
}

/// Nothing needs the programs of a block that is erased; the passes of padding may be under way.
Task<void> StaircaseFlash::erase(FlashOp& op) {
    const FlashAddress at = first_page(op.address[0]);
    while (blocks_[at].under_way > 0) {
        co_await ended_.wait();
    }
    SOLIDTLM_CHECK(blocks_[at].waiting == 0, "no block is erased while programs of it wait");
    blocks_.erase(at);
    --open_;
    below().submit(op);
}

bool StaircaseFlash::is_last(const FlashOp& op) const {
    return op.address[0].page.value + word_line_ == pages_;
}

Task<void> StaircaseFlash::program(FlashOp& op) {
    const FlashAddress at = first_page(op.address[0]);
    const bool last = is_last(op);
    Block& block = blocks_[at];
    block.owner = this;
    const auto before = static_cast<std::uint32_t>(block.lines.size());
    std::uint32_t further = std::min(before, passes_ - 1);
    if (last) {
        for (std::uint32_t step = 1; step < passes_; ++step) {
            further += std::min(before + 1, passes_ - step);
        }
    }
    co_await executor_.spend(std::uint64_t{further} * (cycles_.flash_issue + cycles_.flash_complete),
                             op.ledger, op.cause);
    if (op.ledger != nullptr) {
        op.ledger->enter(Stage::firmware_wait, executor_.now());
    }
    if (block.failed) {
        op.status = FlashStatus::program_failed;
        op.plane_status.fill(op.status);
        --open_;
        op.done();
        co_return;
    }
    add_line(block, op);
    ++block.under_way;  // the block stays if a pass ends at once
    for (std::uint32_t step = 0; step < (last ? passes_ : 1); ++step) {
        for (std::uint32_t pass = step; pass < passes_; ++pass) {
            issue(block, pass - step, pass);
        }
    }
    --block.under_way;
    changed(block, at);
}

/// A word line has begun, or a pass has ended.
void StaircaseFlash::changed(Block& block, const FlashAddress& at) {
    count_waiting(block);
    if (block.under_way == 0) {
        ended_.notify();
        if (block.lines.empty() && !block.failed) {
            blocks_.erase(at);
        }
    }
}

void StaircaseFlash::add_line(Block& block, FlashOp& op) {
    SOLIDTLM_CHECK(
        block.lines.empty() ||
            block.lines.back()->image.address[0].page.value + op.word_line_pages == op.address[0].page.value,
        "word lines of a block are programmed in order");
    block.lines.push_back(std::make_unique<Line>());
    Line& line = *block.lines.back();
    line.whole = &op;
    line.block = &block;
    line.padding = without_data(op);
    line.pieces.assign(op.pieces.begin(), op.pieces.end());
    line.spare.assign(op.spare.begin(), op.spare.end());
    line.image = op;
    line.image.ledger = nullptr;
    line.image.pieces = line.pieces;
    line.image.spare = line.spare;
}

/// The pass of the word line that is so many before the newest one, if there is such a word line.
void StaircaseFlash::issue(Block& block, std::uint32_t behind, std::uint32_t pass) {
    if (behind >= block.lines.size() || block.failed) {
        return;
    }
    Line& line = *block.lines[block.lines.size() - 1 - behind];
    SOLIDTLM_CHECK(line.issued == pass, "the passes over a word line follow each other");
    ++line.issued;
    Pass& each = line.passes[pass];
    each.line = &line;
    each.op = line.image;
    each.op.pass = static_cast<std::uint8_t>(pass);
    if (line.whole != nullptr && line.whole->ledger != nullptr) {
        each.ledger.start(Stage::firmware_execute, executor_.now());
        each.op.ledger = &each.ledger;
    }
    each.op.done = hal::Completion{[](void* context) {
                                       auto& ended = *static_cast<Pass*>(context);
                                       ended.line->block->owner->pass_ended(ended);
                                   },
                                   &each};
    ++block.under_way;
    ++under_way_;
    below().submit(each.op);
}

void StaircaseFlash::pass_ended(Pass& pass) {
    Line& line = *pass.line;
    Block& block = *line.block;
    ++line.ended;
    --block.under_way;
    --under_way_;
    block.failed = block.failed || pass.op.status != FlashStatus::ok;
    const bool finished = line.ended == passes_;
    if (line.whole != nullptr && pass.op.status == FlashStatus::ok && (finished || line.padding)) {
        settle(line, FlashStatus::ok, pass);
    }
    // After a failure nothing more is sent to the block, and what has been sent fails, too.
    for (const std::unique_ptr<Line>& each : block.lines) {
        if (block.failed && each->whole != nullptr && each->ended == each->issued) {
            settle(*each, FlashStatus::program_failed, each->passes[each->ended - 1]);
        }
    }
    const FlashAddress at = first_page(line.image.address[0]);
    const auto over = [this, &block](const std::unique_ptr<Line>& each) {
        return each->ended == passes_ ||
               (block.failed && each->ended == each->issued && each->whole == nullptr);
    };
    while (!block.lines.empty() && over(block.lines.front())) {
        block.lines.pop_front();
    }
    changed(block, at);
}

/// Its program has ended with `last`.
void StaircaseFlash::settle(Line& line, FlashStatus status, const Pass& last) {
    FlashOp& op = *std::exchange(line.whole, nullptr);
    op.status = status;
    op.plane_status = last.op.plane_status;
    if (status != FlashStatus::ok && last.op.status == FlashStatus::ok) {
        op.plane_status.fill(status);  // another word line of the block has failed
    }
    if (op.ledger != nullptr) {
        op.ledger->join(last.ledger, Stage::firmware_wait);
    }
    --open_;
    op.done();
}

void StaircaseFlash::count_waiting(Block& block) {
    std::uint32_t waiting = 0;
    std::uint32_t of_host = 0;
    for (const std::unique_ptr<Line>& line : block.lines) {
        if (block.under_way == 0 && line->whole != nullptr) {
            ++waiting;
            of_host += line->whole->cause == hal::Cause::host ? 1 : 0;
        }
    }
    waiting_ += waiting - std::exchange(block.waiting, waiting);
    waiting_of_host_ += of_host - std::exchange(block.waiting_of_host, of_host);
    if (waiting > 0) {
        look_again();
    }
}

void StaircaseFlash::Line::serialize(hal::StateArchive& archive) {
    archive(image.cause, image.planes, image.word_line_pages, issued, hal::list(spare));
    for (FlashAddress& at : image.address) {
        archive(at.channel, at.die, at.plane, at.block, at.page);
    }
    if (archive.loading()) {
        image.opcode = hal::FlashOpcode::program;
        image.spare = spare;
        padding = true;
        ended = issued;
    }
}

void StaircaseFlash::Block::serialize(hal::StateArchive& archive) {
    std::uint64_t count = lines.size();
    archive(count);
    while (lines.size() < count) {
        lines.push_back(std::make_unique<Line>());
    }
    for (const std::unique_ptr<Line>& line : lines) {
        archive(*line);
    }
}

void StaircaseFlash::serialize(hal::StateArchive& archive) {
    SOLIDTLM_CHECK(at_rest() && waiting_ == 0, "what is left between its passes holds no data");
    archive(finishing_);
    std::erase_if(blocks_, [](const auto& entry) { return entry.second.lines.empty(); });
    std::uint64_t count = blocks_.size();
    archive(count);
    if (!archive.loading()) {
        for (auto& [at, block] : blocks_) {
            archive(block);
        }
        return;
    }
    for (; count > 0; --count) {
        Block loaded;
        archive(loaded);
        if (loaded.lines.empty() || loaded.lines.size() > kMostPasses) {
            throw hal::StateError();
        }
        Block& block = blocks_[first_page(loaded.lines.front()->image.address[0])];
        block.lines = std::move(loaded.lines);
        block.owner = this;
        for (const std::unique_ptr<Line>& line : block.lines) {
            line->block = &block;
            const std::uint32_t slots = line->image.slots();
            if (slots > hal::kMaxPagesPerOp) {
                throw hal::StateError();
            }
            for (std::uint32_t slot = 0; slot < slots; ++slot) {
                line->pieces.push_back(FlashPiece{static_cast<std::uint8_t>(slot), 0, page_bytes_});
            }
            line->image.pieces = line->pieces;
        }
    }
}

}  // namespace solidtlm::fw
