// SPDX-License-Identifier: Apache-2.0
#include "fw/block_map/block_map.h"

#include "fw/block_map/needs.h"
#include "fw/flash/needs.h"
#include "fw/translation/layer_metrics.h"
#include "fw/translation/trim_slice.h"

#include <algorithm>
#include <utility>

#include "fw/hal/check.h"
#include "fw/translation/unit_reader.h"

namespace solidtlm::fw {

/// Reads logical pages where the layer says they are.
class BlockMap::Reader : public UnitReader {
  public:
    explicit Reader(BlockMap& owner) : UnitReader(owner.services_), owner_(owner) {}

    Task<void> begin_read(std::span<const LogicalRead> reads, Join& join, Ledger* ledger,
                          bool may_mark_parent, Charge& charge) override {
        const std::span<const Lpn> lpns = name_units(reads);
        charge += owner_.charge_lookup(lpns);
        found_.clear();
        for (const Lpn lpn : lpns) {
            found_.push_back(owner_.locate(lpn));
        }
        co_await owner_.services_.executor.spend(charge, prepare(reads, found_, owner_.merger_.lost()),
                                                 ledger);
        submit(join, ledger, may_mark_parent);
    }

  private:
    BlockMap& owner_;
    std::vector<Ppa> found_;
};

/// Pages of one superpage that have their places. They are being gathered, wait for their die, or are being
/// programmed.
struct BlockMap::Program {
    struct Page {
        Slot slot;
        Lpn lpn;
        BlockPage at;
    };
    SuperpageAddress at;
    std::vector<Page> pages;
    std::vector<std::uint8_t> planes;
    std::vector<UnitWrite> units;
    ProgramOp operation;
    Ledger ledger;
};

BlockMap::BlockMap(Services& services, const DramMap& dram_map, WriteBuffer& buffer)
    : services_(services),
      buffer_(buffer),
      places_(services.layout, services.config.allocation.striping),
      geometry_(block_geometry(services.config, services.layout.superblocks())),
      layer_(make_block_layer(services.config, geometry_)),
      usage_(services, places_, layer_->blocks()),
      tables_(services, dram_map, layer_->data_pages()),
      merger_(services, BlockMerger::Parts{places_, *layer_, usage_, tables_, counters_},
              dram_map[kMovedPages]),
      reader_(std::make_unique<Reader>(*this)),
      fill_(services, buffer),
      programs_of_(services.layout.pus()) {}

BlockMap::~BlockMap() = default;

std::unique_ptr<LogicalReader> BlockMap::make_reader() {
    return std::make_unique<Reader>(*this);
}

void BlockMap::start() {
    probe_changed();
    services_.executor.spawn(destage());
}

Ppa BlockMap::locate(Lpn lpn) const {
    const BlockPage at = layer_->locate(lpn);
    return at.block == kNoBlock ? kUnmapped : places_.ppa(at);
}

/// Cost of a look-up: the entry of each logical block, and the lines of the log table in which the pages
/// would be.
Charge BlockMap::charge_lookup(std::span<const Lpn> lpns) {
    Lbn block = kNoLbn;
    std::uint32_t line = ~0U;
    for (const Lpn lpn : lpns) {
        const Lbn its_block = tables_.logical_block(lpn);
        if (its_block != block) {
            tables_.read_block(its_block);
            block = its_block;
        }
        if (lpn.value / kMapEntriesPerLine != line) {
            tables_.search_log(lpn);
            line = lpn.value / kMapEntriesPerLine;
        }
    }
    const CycleCosts& cycles = services_.config.cycles;
    return services_.executor.charge(lpns.size() * (cycles.unit_lookup + std::uint64_t{cycles.log_search}));
}

Task<void> BlockMap::destage() {
    while (true) {
        co_await release();
        look_for_space();
        const std::uint32_t slots = ready();
        if (slots > 0) {
            reason_ = reason_for_part().value_or(hal::Reason::full);
            co_await take_over(slots);
            continue;
        }
        if (read_only_ && merger_.erasing() > 0) {  // then there may be space enough to take writes again
            co_await usage_.progress().wait();
            continue;
        }
        asleep_ = true;
        co_await buffer_.destager_wakeup().wait();
        asleep_ = false;
    }
}

/// A TRIM may have freed blocks. Writes are accepted again when the contents of the buffer are on flash.
void BlockMap::look_for_space() {
    if (stuck_ && layer_->free_blocks() > 0) {
        stuck_ = false;
        buffer_.set_stuck(false);
    }
    if (read_only_ && buffer_.durability().unwritten() == 0 && layer_->free_blocks() >= kSpareBlocks) {
        read_only_ = false;
        read_only_since_.reset();
        services_.decided({.deed = hal::Deed::writable, .reason = hal::Reason::trim});
    }
}

std::optional<WriteStop> BlockMap::write_stop() const {
    return read_only_ ? std::optional(WriteStop{"no block is free, nor can one be made free by merging",
                                                read_only_since_})
                      : std::nullopt;
}

std::optional<hal::Reason> BlockMap::reason_for_part() const {
    return buffer_.reason_for_part(read_only_, usage_.in_flight() != 0);
}

/// How many slots to write now; 0: wait.
std::uint32_t BlockMap::ready() const {
    const std::uint32_t dirty = stuck_ ? 0 : buffer_.dirty().count(0);
    const std::uint32_t superpage = services_.layout.units_per_superpage();
    return std::min(reason_for_part() ? dirty : dirty - dirty % superpage,
                    services_.layout.pus() * superpage);
}

Task<void> BlockMap::take_over(std::uint32_t slots) {
    taken_.clear();
    buffer_.take(0, slots, taken_);
    trunk_ = Ledger{};
    trunk_.start(Stage::firmware_wait, services_.executor.now());
    trunk_.set_command_id(buffer_[taken_.front()].command_id);
    reader_->set_command_id(trunk_.command_id());
    const bool awaited = std::any_of(taken_.begin(), taken_.end(),
                                     [this](Slot slot) { return buffer_[slot].durable != nullptr; });
    ledger_ = awaited ? &trunk_ : nullptr;
    filled_pages_ += fill_.prepare(taken_);
    co_await fill_.run(taken_, *reader_, ledger_);
    for (const Slot slot : taken_) {
        co_await write(slot);
    }
    co_await submit();
    ledger_ = nullptr;
    buffer_.set_stuck(stuck_);
}

Task<void> BlockMap::write(Slot slot) {
    const Lpn lpn = buffer_[slot].lpn;
    bool room = false;
    if (!buffer_[slot].discarded && buffer_.complete(slot)) {
        room = co_await make_room(lpn);
    }
    if (buffer_[slot].discarded) {  // trimmed: the page has no data and needs no place
        buffer_.written(slot, nullptr);
    } else if (!buffer_.complete(slot)) {
        if (buffer_.fail(slot)) {
            merger_.lost().insert(lpn);  // the host must not get the page's older data
            lost_writes_.insert(lpn);
        }
    } else if (!room) {
        buffer_.requeue(slot);
    } else {
        co_await place(slot);
        co_await release();
    }
}

/// Carries out merges until `lpn` can be placed. False if no block is free and none will become free.
Task<bool> BlockMap::make_room(Lpn lpn) {
    while (!stuck_) {
        const bool full = layer_->free_blocks() == 0;
        if (!full && !layer_->next_merge(lpn, merge_)) {
            break;
        }
        if (gathered_ != nullptr) {
            co_await submit();
        } else if (!full) {
            co_await merge();
        } else if (merger_.erasing() > 0 || trims_ > 0) {
            wait_for_space(true);
            co_await usage_.progress().wait();
            wait_for_space(false);
            co_await release();
        } else {
            stuck_ = true;
            if (!std::exchange(read_only_, true)) {
                read_only_since_ = services_.executor.now();
                services_.decided({.deed = hal::Deed::read_only, .reason = hal::Reason::space});
            }
        }
    }
    co_return !stuck_;
}

/// Carries out the merge in merge_ or, if it is not possible yet, waits until it is. The caller must then ask
/// the layer again, because programs may have failed and pages may have been trimmed. REQUIRES: no page is
/// gathered.
Task<void> BlockMap::merge() {
    SOLIDTLM_CHECK(gathered_ == nullptr, "gathered pages are submitted before a merge");
    wait_for_space(true);
    if (!merger_.busy(merge_)) {
        co_await merger_.run(merge_);
    } else {
        do {
            co_await usage_.progress().wait();
        } while (merger_.busy(merge_));
    }
    wait_for_space(false);
}

Task<void> BlockMap::release() {
    while (layer_->next_release(merge_)) {
        if (gathered_ != nullptr) {
            co_await submit();
        } else {
            co_await merge();
        }
    }
}

void BlockMap::wait_for_space(bool waiting) {
    buffer_.set_space_blocked(waiting);
    if (ledger_ != nullptr) {
        ledger_->enter(waiting ? Stage::gc_stall : Stage::firmware_wait, services_.executor.now());
    }
}

Task<void> BlockMap::place(Slot slot) {
    const Lpn lpn = buffer_[slot].lpn;
    // Otherwise a newer version that covers only part of the page would take the rest from a place that is
    // not programmed yet.
    const std::uint32_t passed_on = buffer_.pass_on(slot);
    const BlockLayer::Placement placement = layer_->place(lpn);
    forget_loss(lpn);
    counters_.count(placement.kind, placement.unused_place);
    usage_.begin_program(placement.at.block);
    const SuperpageAddress at = places_.superpage(placement.at);
    const std::uint8_t plane = places_.plane(placement.at.offset);
    if (gathered_ != nullptr && (gathered_->at != at || gathered_->planes.back() >= plane)) {
        co_await submit();
    }
    if (gathered_ == nullptr) {
        gathered_ = &take_program();
        gathered_->at = at;
    }
    gathered_->pages.push_back(Program::Page{slot, lpn, placement.at});
    gathered_->planes.push_back(plane);
    buffer_.memory().charge_copy(slot, passed_on);
    tables_.read_block(tables_.logical_block(lpn));
    tables_.search_log(lpn);
    if (placement.kind == PageWriteKind::write_data) {
        tables_.write_block(tables_.logical_block(lpn));
    } else {
        tables_.write_log(lpn);
    }
    const CycleCosts& cycles = services_.config.cycles;
    co_await services_.executor.spend(std::uint64_t{cycles.log_search} + cycles.map_update, ledger_);
    if (plane + 1U == services_.layout.planes_per_pu()) {
        co_await submit();
    }
}

BlockMap::Program& BlockMap::take_program() {
    if (free_programs_.empty()) {
        // The programs in the queues of the dies, and the one that is being gathered.
        SOLIDTLM_CHECK(programs_.size() <=
                           std::size_t{services_.layout.pus()} * services_.config.allocation.programs_per_die,
                       "no more superpages are written than dies take");
        programs_.push_back(std::make_unique<Program>());
        free_programs_.push_back(programs_.back().get());
    }
    Program& program = *free_programs_.back();
    free_programs_.pop_back();
    program.pages.clear();
    program.planes.clear();
    program.units.clear();
    return program;
}

/// Submits the gathered pages once the queue of their die has room.
Task<void> BlockMap::submit() {
    if (gathered_ == nullptr) {
        co_return;
    }
    Program& program = *std::exchange(gathered_, nullptr);
    std::uint32_t& queued = programs_of_[program.at.pu.value];
    if (queued >= services_.config.allocation.programs_per_die) {
        if (ledger_ != nullptr) {
            ledger_->enter(Stage::write_buffer_stall, services_.executor.now());
        }
        while (queued >= services_.config.allocation.programs_per_die) {
            co_await usage_.progress().wait();
        }
        if (ledger_ != nullptr) {
            ledger_->enter(Stage::firmware_wait, services_.executor.now());
        }
    }
    ++queued;
    const CycleCosts& cycles = services_.config.cycles;
    co_await services_.executor.spend(std::uint64_t{cycles.allocate} + cycles.flash_issue, ledger_);
    for (const Program::Page& page : program.pages) {
        // A page trimmed meanwhile is written as padding: its LPN would make it look newer than later data.
        const bool trimmed = buffer_[page.slot].discarded;
        program.units.push_back(trimmed ? UnitWrite{} : UnitWrite{page.lpn, buffer_.address(page.slot)});
    }
    services_.decided({.deed = hal::Deed::destage,
                       .reason = reason_,
                       .unit = program.at.pu.value,
                       .block = program.at.superblock.value,
                       .page = program.at.page,
                       .count = static_cast<std::uint32_t>(program.pages.size()),
                       .erases = layer_->blocks().info(program.pages.front().at.block.value).erases,
                       .free = layer_->free_blocks()});
    const SpareHeader header{usage_.next_sequence(), PageKind::host};
    program.operation.prepare(services_, program.at, program.units, header, Cause::host, program.planes);
    const bool awaited =
        std::any_of(program.pages.begin(), program.pages.end(),
                    [this](const Program::Page& page) { return buffer_[page.slot].durable != nullptr; });
    program.operation.op().command_id = buffer_[program.pages.front().slot].command_id;
    if (awaited) {
        program.ledger = trunk_;
        program.operation.op().ledger = &program.ledger;
    }
    services_.executor.spawn(run(program));
}

Task<void> BlockMap::run(Program& program) {
    Executor& executor = services_.executor;
    hal::FlashOp& op = program.operation.op();
    Ledger* ledger = op.ledger;
    FlashAwaiter programmed(services_, op);
    const bool all_ok = co_await programmed == hal::FlashStatus::ok;
    co_await executor.spend(services_.config.cycles.flash_complete, ledger);
    if (ledger != nullptr) {
        ledger->enter(Stage::firmware_wait, executor.now());
    }
    --programs_of_[program.at.pu.value];
    for (std::size_t i = 0; i < program.pages.size(); ++i) {
        const Program::Page& page = program.pages[i];
        if (all_ok || op.plane_status[i] == hal::FlashStatus::ok) {
            ++programmed_pages_;
            buffer_.written(page.slot, ledger);
        } else {
            ++program_failures_;
            layer_->place_failed(page.lpn, page.at);
            buffer_.requeue(page.slot);
        }
        usage_.end_program(page.at.block);
    }
    free_programs_.push_back(&program);
    if (asleep_) {
        buffer_.destager_wakeup().notify();
    }
}

/// Returns the cycles of the core; the DRAM time is added to the core's next spend(). Reads the tables as a
/// look-up does, and writes the entries that it unmaps.
std::uint64_t BlockMap::unmap(Lpn first, std::uint32_t count) {
    std::uint64_t changed = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Lpn lpn{first.value + i};
        const Lbn block = tables_.logical_block(lpn);
        if (i == 0 || block != tables_.logical_block(Lpn{lpn.value - 1})) {
            tables_.read_block(block);
        }
        if (i == 0 || lpn.value % kMapEntriesPerLine == 0) {
            tables_.search_log(lpn);
        }
        if (mapped(lpn)) {
            layer_->trim(lpn);
            forget_loss(lpn);
            tables_.write_log(lpn);
            ++changed;
        }
    }
    const CycleCosts& cycles = services_.config.cycles;
    return std::uint64_t{count} * (cycles.trim_unit + cycles.log_search) + changed * cycles.map_update;
}

Task<bool> BlockMap::holds(Lpn lpn, Ledger* ledger) {
    const CycleCosts& cycles = services_.config.cycles;
    tables_.read_block(tables_.logical_block(lpn));
    tables_.search_log(lpn);
    co_await services_.executor.spend(std::uint64_t{cycles.unit_lookup} + cycles.log_search, ledger);
    co_return mapped(lpn);
}

Task<void> BlockMap::trim(Lpn first, std::uint32_t count, Ledger* ledger) {
    ++trims_;
    for (std::uint32_t done = 0; done < count;) {
        const std::uint32_t slice = std::min(kTrimSlice, count - done);
        co_await services_.executor.spend(unmap(Lpn{first.value + done}, slice), ledger);
        done += slice;
        if (asleep_) {
            buffer_.destager_wakeup().notify();  // blocks may have become empty
        }
        co_await services_.executor.yield(ledger);
    }
    --trims_;
    usage_.progress().notify();
}

void BlockMap::tell(hal::Metrics& metrics) const {
    tell_destaging(metrics, programmed_pages_, 0, filled_pages_, program_failures_);
    tell_space(metrics, free_superblocks(), layer_->blocks().retired() * places_.units());
    const MergeIncidents& merges = merger_.incidents();
    metrics.counter("merge.read_pages", "pages", "pages read by merges", counters_.merge_reads);
    metrics.counter("merge.copied_pages", "pages", "pages programmed by merges", counters_.merge_programs);
    metrics.counter("merge.copied_back_pages", "pages", "pages copied inside a die by merges",
                    merges.copied_back);
    metrics.counter("merge.failed", "merges", "merges that failed and were planned again",
                    merges.failed_merges);
    metrics.counter("merge.unreadable_pages", "pages",
                    "pages that could not be read and were replaced by padding", merges.unreadable_pages);
    metrics.counter("merge.erased_superblocks", "superblocks", "superblocks erased by merges",
                    counters_.erases * places_.units());
    state().tell(metrics);
}

void BlockMap::reset_counters() {
    counters_ = BlockCounters{};
    merger_.reset_incidents();
    programmed_pages_ = filled_pages_ = program_failures_ = 0;
}

BlockMapState BlockMap::state() const {
    BlockMapState state;
    state.counters = counters_;
    state.data_blocks = layer_->data_blocks();
    state.data_pages = state.data_blocks * layer_->data_pages();
    state.data_pages_programmed = layer_->data_pages_programmed();
    state.log_blocks = layer_->log_blocks();
    return state;
}

std::string BlockMap::check() const {
    std::string books = layer_->check();
    if (!books.empty() || !at_rest()) {
        return books;
    }
    if (usage_.free_superblocks() != free_superblocks()) {
        return std::to_string(usage_.free_superblocks()) + " superblocks are free by parallel units, " +
               std::to_string(free_superblocks()) + " by blocks";
    }
    for (std::uint32_t lpn = 0; lpn < geometry_.logical_pages; ++lpn) {
        if (merger_.lost().contains(Lpn{lpn}) && !mapped(Lpn{lpn})) {
            return "LPN " + std::to_string(lpn) + " is lost but has no place";
        }
    }
    return {};
}

}  // namespace solidtlm::fw
