// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/backup_flash.h"

#include <algorithm>
#include <set>
#include <utility>

#include "fw/hal/check.h"

namespace solidtlm::fw {

using hal::FlashAddress;
using hal::FlashOp;
using hal::FlashOpcode;
using hal::FlashStatus;

struct BackupFlash::Unit {
    Unit(Services& services, Pu number, DramAddress buffer, BackupCounters& counters)
        : pu(number),
          copies(services, number, buffer, counters),
          ended(services.executor, "the programs of a parallel unit have ended") {}

    Pu pu;
    BackupCopies copies;
    std::set<Superblock> refusing;  // take no more programs until they are erased
    std::deque<FlashOp*> queue;     // programs that have not begun
    bool working = false;
    std::vector<std::unique_ptr<Program>> programs;  // reusable
    std::vector<Program*> free;
    std::uint32_t under_way = 0;  // programs
    Signal ended;
    std::vector<std::vector<std::uint32_t>> superblocks;  // by plane, then by block
};

BackupFlash::BackupFlash(const FirmwareConfig& config, Executor& executor, hal::Flash& flash)
    : FlashLayer(flash),
      config_(config),
      planes_(planes_per_parallel_unit(config.allocation.order, config.flash.planes)),
      executor_(executor),
      last_(config.flash.pages, true),
      reads_(executor, config.flash.planes, "pages that are read one by one"),
      recovered_(executor, "parallel units whose copies are searched") {
    SOLIDTLM_CHECK(config.flash.copies_lower_pages(), "lower pages are copied");
    for (std::uint32_t page = 0; page < config.flash.pages; ++page) {
        if (config.flash.page_below[page] != page) {
            last_[config.flash.page_below[page]] = false;
        }
    }
}

BackupFlash::~BackupFlash() = default;

void BackupFlash::attach(Services& services, DramAddress buffers) {
    services_ = &services;
    layout_ = &services.layout;
    const std::uint64_t bytes = std::uint64_t{planes_} * config_.flash.page_bytes;
    by_place_.resize(std::size_t{config_.flash.die_places()} * config_.flash.planes);
    for (std::uint32_t i = 0; i < layout_->pus(); ++i) {
        const Pu pu{i};
        units_.push_back(
            std::make_unique<Unit>(services, pu, DramAddress{buffers.value + i * bytes}, counters_));
        Unit& unit = *units_.back();
        unit.superblocks.assign(planes_, std::vector<std::uint32_t>(config_.flash.blocks));
        for (std::uint32_t plane = 0; plane < planes_; ++plane) {
            for (std::uint32_t superblock = 0; superblock < layout_->superblocks(pu); ++superblock) {
                const FlashAddress at = layout_->nand_page(pu, Superblock{superblock}, plane, 0);
                unit.superblocks[plane][at.block.value] = superblock;
                by_place_[plane_place(at)] = i;
            }
        }
    }
}

std::size_t BackupFlash::plane_place(const FlashAddress& at) const {
    const std::size_t die = std::size_t{at.channel.value} * config_.flash.dies + at.die.value;
    return die * config_.flash.planes + at.plane.value;
}

BackupFlash::Unit& BackupFlash::unit_of(const FlashAddress& at) const {
    return *units_[by_place_[plane_place(at)]];
}

std::uint32_t BackupFlash::plane_slot(const FlashAddress& at) const {
    return at.plane.value % planes_;
}

SuperpageAddress BackupFlash::superpage_of(const FlashAddress& at) const {
    const Unit& unit = unit_of(at);
    return SuperpageAddress{unit.pu, Superblock{unit.superblocks[plane_slot(at)][at.block.value]},
                            at.page.value};
}

const BackupCopies::Copy* BackupFlash::copy_for(const FlashAddress& page) const {
    const BackupCopies& copies = unit_of(page).copies;
    const BackupCopies::Copy* copy = copies.any_kept() ? copies.find(superpage_of(page)) : nullptr;
    return copy != nullptr && copy->kept ? copy : nullptr;
}

FlashAddress BackupFlash::place_of(const FlashAddress& page, bool data) const {
    const BackupCopies::Copy* copy = copy_for(page);
    const std::uint32_t plane = plane_slot(page);
    if (copy == nullptr || ((data ? copy->has.data : copy->has.spare) >> plane & 1U) == 0) {
        return page;
    }
    return layout_->address(unit_of(page).copies.place(*copy), plane);
}

std::uint32_t BackupFlash::pending(hal::Channel channel, hal::Die die) const {
    std::uint32_t queued = 0;
    for (std::uint32_t plane = 0; plane < config_.flash.planes; plane += planes_) {
        queued += static_cast<std::uint32_t>(
            unit_of(FlashAddress{channel, die, hal::Plane{static_cast<std::uint8_t>(plane)}, {}, {}})
                .queue.size());
    }
    return below().pending(channel, die) + queued;
}

void BackupFlash::submit(FlashOp& op) {
    const FlashAddress& first = op.address[0];
    if (op.opcode == FlashOpcode::program && !op.slc) {
        SOLIDTLM_CHECK(op.planes == planes_ && op.word_line_pages == 1,
                       "superpages are programmed as a whole");
        Unit& unit = unit_of(first);
        unit.queue.push_back(&op);
        if (op.ledger != nullptr) {
            op.ledger->enter(Stage::firmware_wait, executor_.now());
        }
        if (!unit.working) {
            unit.working = true;
            executor_.spawn(work(unit));
        }
        return;
    }
    SOLIDTLM_CHECK(op.opcode != FlashOpcode::copy_back, "nothing is copied within the die");
    const auto slots = std::span(op.address).first(op.slots());
    if (op.opcode == FlashOpcode::read && !op.slc &&
        std::ranges::any_of(slots, [this](const FlashAddress& page) { return copy_for(page) != nullptr; })) {
        read(op);
        return;
    }
    if (op.opcode == FlashOpcode::erase) {
        const SuperpageAddress at = superpage_of(first);
        if (layout_->nand_page(at.pu, at.superblock, plane_slot(first), 0).block == first.block) {
            unit_of(first).copies.forget(at.superblock);  // one of data
            unit_of(first).refusing.erase(at.superblock);
        }
    }
    below().submit(op);
}

/// One program after the other, as long as there are some.
Task<void> BackupFlash::work(Unit& unit) {
    while (!unit.queue.empty()) {
        FlashOp& op = *unit.queue.front();
        const Superblock superblock = superpage_of(op.address[0]).superblock;
        const bool safe = !unit.refusing.contains(superblock) && co_await protect(unit, op);
        unit.queue.pop_front();
        look_for_wear(unit);
        if (safe) {
            begin(unit, op);
        } else {
            refuse(unit, op);
        }
    }
    unit.working = false;
}

/// False if there is no room for a copy of each earlier page, or nothing else in the superblock can be read.
Task<bool> BackupFlash::protect(Unit& unit, const FlashOp& op) {
    SuperpageAddress at = superpage_of(op.address[0]);
    if (unit.copies.spoiled_but_for(at)) {
        co_return false;
    }
    while (config_.flash.page_below[at.page] != at.page) {
        at.page = config_.flash.page_below[at.page];
        if (unit.copies.find(at) != nullptr) {
            continue;
        }
        while (unit.under_way > 0) {
            co_await unit.ended.wait();
        }
        const bool copied = co_await unit.copies.add(at, op.ledger);
        if (!copied) {
            co_return false;
        }
    }
    co_return true;
}

void BackupFlash::begin(Unit& unit, FlashOp& op) {
    if (unit.free.empty()) {
        unit.programs.push_back(std::make_unique<Program>());
        unit.free.push_back(unit.programs.back().get());
    }
    Program& program = *unit.free.back();
    unit.free.pop_back();
    program = {&op, op.done, &unit, superpage_of(op.address[0]), this};
    ++unit.under_way;
    op.done = hal::Completion{[](void* context) {
                                  auto& self = *static_cast<Program*>(context);
                                  self.owner->ended(self);
                              },
                              &program};
    below().submit(op);
}

void BackupFlash::refuse(Unit& unit, FlashOp& op) {
    const SuperpageAddress at = superpage_of(op.address[0]);
    ++counters_.refused;
    unit.refusing.insert(at.superblock);
    unit.copies.finished(at);
    op.status = FlashStatus::refused;
    op.plane_status.fill(FlashStatus::refused);
    op.done();
}

void BackupFlash::look_for_wear(const Unit& unit) {
    if (worn_out_ || !unit.copies.worn_out()) {
        return;
    }
    worn_out_ = true;
    worn_out_since_ = executor_.now();
    services_->decided({.deed = hal::Deed::read_only,
                        .reason = hal::Reason::space,
                        .area = hal::Area::copies,
                        .unit = unit.pu.value});
}

bool BackupFlash::has_room(Pu pu, bool for_host) const {
    const BackupCopies& copies = units_[pu.value]->copies;
    return !copies.worn_out() && copies.has_room(for_host ? kOpenSuperblocks : 1);
}

void BackupFlash::ended(Program& program) {
    Unit& unit = *program.unit;
    if (program.op->status != FlashStatus::ok || last_[program.at.page]) {
        unit.copies.finished(program.at);
    }
    if (--unit.under_way == 0) {
        unit.ended.notify();
    }
    FlashOp& op = *program.op;
    op.done = program.done;
    unit.free.push_back(&program);
    op.done();
}

/// Some pages have only a copy: reads page by page. All reads are submitted at once, so no erase that comes
/// later passes them, and no superblock with a copy is erased before they have ended.
void BackupFlash::read(FlashOp& op) {
    const std::uint32_t slots = op.slots();
    const std::size_t bytes = op.spare.size() / slots;
    Reads& reads = reads_.take();
    std::vector<BackupCopies*> copies;  // that are being read
    for (std::uint8_t slot = 0; slot < slots; ++slot) {
        OperationPart& part = reads.parts[slot];
        const FlashAddress& page = op.address[slot];
        part.op = FlashOp{};
        part.op.cause = op.cause;
        part.op.accumulate = op.accumulate;
        part.op.command_id = op.command_id;
        part.op.spare = op.spare.subspan(slot * bytes, bytes);
        part.take_pieces(op.pieces, slot);
        part.op.address[0] = place_of(page, !part.pieces.empty());
        part.op.slc = part.op.address[0] != page;
        if (part.op.slc) {
            copies.push_back(&unit_of(page).copies);
            copies.back()->begin_read();
        }
        part.start(below(), reads.join, op.ledger != nullptr ? &part.ledger : nullptr, executor_.now());
    }
    executor_.spawn(end_read(op, reads, std::move(copies)));
}

Task<void> BackupFlash::end_read(FlashOp& op, Reads& reads, std::vector<BackupCopies*> copies) {
    const Ledger* last = co_await reads.join.wait();
    if (last != nullptr) {
        op.ledger->join(*last, Stage::firmware_wait);
    }
    for (BackupCopies* each : copies) {
        each->end_read();
    }
    const std::uint32_t slots = op.slots();
    op.status = FlashStatus::ok;
    op.corrected_bits = 0;
    op.retries = 0;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        const FlashOp& part = reads.parts[slot].op;
        op.status = hal::worse(op.status, part.status);
        op.plane_status[slot] = part.status;
        op.corrected_bits = std::max(op.corrected_bits, part.corrected_bits);
        op.retries = std::max(op.retries, part.retries);
    }
    reads_.give_back(reads);
    const std::uint64_t further =
        std::uint64_t{slots - 1} * (config_.cycles.flash_issue + config_.cycles.flash_complete);
    co_await executor_.spend(further, op.ledger, op.cause);
    op.done();
}

Task<void> BackupFlash::recover() {
    recovered_.add(static_cast<std::uint32_t>(units_.size()));
    for (const auto& unit : units_) {
        executor_.spawn(recover(*unit));
    }
    co_await recovered_.wait();
}

Task<void> BackupFlash::recover(Unit& unit) {
    co_await unit.copies.recover();
    recovered_.done();
}

std::vector<SuperpageAddress> BackupFlash::restored(Pu pu) const {
    return units_[pu.value]->copies.restored();
}

bool BackupFlash::at_rest() const {
    return std::ranges::none_of(units_,
                                [](const auto& unit) { return unit->working || unit->under_way > 0; });
}

void BackupFlash::tell(hal::Metrics& metrics) const {
    metrics.counter("backup.superpages", "superpages",
                    "copied before a later page of their word lines was programmed", counters_.copies);
    metrics.counter("backup.moved_superpages", "superpages", "copies written again before an erase",
                    counters_.again);
    metrics.counter("backup.erases", "superblocks", "with copies, erased", counters_.erases);
    metrics.counter("backup.retired_superblocks", "superblocks",
                    "for copies, taken out of service because an operation failed", counters_.retired);
    metrics.counter("backup.refused_programs", "programs",
                    "not begun: there was no room for a copy, or a cut could have left nothing to read",
                    counters_.refused);
    metrics.counter("backup.restored_superpages", "superpages", "that a boot found only in a copy",
                    counters_.restored);
}

void BackupFlash::serialize(hal::StateArchive& archive) {
    for (const auto& unit : units_) {
        archive(unit->copies);
        worn_out_ |= unit->copies.worn_out();
    }
}

}  // namespace solidtlm::fw
