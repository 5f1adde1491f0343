// SPDX-License-Identifier: Apache-2.0
#include "fw/block_map/merger.h"

#include <algorithm>

#include "fw/hal/check.h"

namespace solidtlm::fw {
namespace {

hal::Reason reason_of(MergeKind kind) {
    switch (kind) {
        case MergeKind::drop:
            return hal::Reason::drop;
        case MergeKind::switched:
            return hal::Reason::switched;
        case MergeKind::partial:
            return hal::Reason::partial;
        default:
            return hal::Reason::full;
    }
}

}  // namespace

/// Pages for one superpage of the target, while they are read and programmed.
struct BlockMerger::Move {
    Move(Services& services, DramAddress at)
        : reads(services), join(services.executor, "flash operations of a merge's superpage"), buffer(at) {}

    std::uint32_t first = 0;  // into Lane::copies
    std::uint32_t count = 0;
    bool copy_back = false;
    ReadBatch reads;
    Join join;  // of the reads, then of the program
    ProgramOp program;
    DramAddress buffer;
    std::vector<UnitRead> read_list;
    std::vector<UnitWrite> write_list;
    std::vector<std::uint8_t> planes;
};

/// The copies that go to one parallel unit.
struct BlockMerger::Lane {
    std::vector<std::uint32_t> copies;  // into Merge::copies, ascending
    std::vector<std::uint32_t> groups;  // where in `copies` each superpage begins, and the end
    std::vector<std::unique_ptr<Move>> moves;
};

struct BlockMerger::Erase {
    explicit Erase(Services& services) : join(services.executor, "erases of a merged block") {}
    BlockId block;
    Join join;
    std::vector<hal::FlashOp> operations;  // one per parallel unit
};

BlockMerger::BlockMerger(Services& services, Parts parts, DramAddress buffers)
    : services_(services),
      parts_(parts),
      lanes_done_(services.executor, "parallel units that a merge copies to") {
    const MediaLayout& layout = services.layout;
    const std::uint64_t superpage_bytes = std::uint64_t{layout.units_per_superpage()} * layout.unit_bytes();
    for (std::uint32_t pu = 0; pu < layout.pus(); ++pu) {
        lanes_.push_back(std::make_unique<Lane>());
        for (std::uint32_t i = 0; i < services.config.gc.pipeline_depth; ++i) {
            lanes_.back()->moves.push_back(std::make_unique<Move>(services_, buffers));
            buffers = DramAddress{buffers.value + superpage_bytes};
        }
    }
}

BlockMerger::~BlockMerger() = default;

bool BlockMerger::busy(const Merge& merge) const {
    if (parts_.usage.in_flight() == 0) {
        return false;
    }
    const auto under_way = [this](BlockId block) { return parts_.usage.busy(block); };
    return (merge.target != kNoBlock && under_way(merge.target)) ||
           std::any_of(merge.sources.begin(), merge.sources.end(), under_way) ||
           std::any_of(merge.copies.begin(), merge.copies.end(),
                       [&](const Merge::Copy& copy) { return under_way(copy.from.block); });
}

Task<void> BlockMerger::run(const Merge& merge) {
    SOLIDTLM_CHECK(!busy(merge), "no program is under way in the blocks that are merged");
    SOLIDTLM_CHECK(lanes_done_.pending() == 0, "merges run one at a time");
    Executor& executor = services_.executor;
    const CycleCosts& cycles = services_.config.cycles;
    for (const Merge::Copy& copy : merge.copies) {
        parts_.tables.search_log(copy.lpn);
    }
    co_await executor.spend(cycles.merge_choose + merge.copies.size() * cycles.log_search, nullptr,
                            Cause::merge);
    failed_ = false;
    unreadable_.clear();
    tell(hal::Deed::merge, reason_of(merge.kind),
         merge.target != kNoBlock ? merge.target : merge.sources.front(),
         static_cast<std::uint32_t>(merge.copies.size()));
    if (merge.target != kNoBlock) {
        parts_.usage.begin_copies(merge.target);
        distribute(merge);
        for (const auto& lane : lanes_) {
            if (!lane->copies.empty()) {
                lanes_done_.add();
                executor.spawn(run_lane(merge, *lane));
            }
        }
        co_await lanes_done_.wait();
    }
    if (failed_) {
        ++incidents_.failed_merges;
        parts_.layer.merge_failed(merge, failed_offset_);
        if (parts_.layer.blocks().info(merge.target.value).state == BlockState::bad) {
            tell(hal::Deed::retire, hal::Reason::program_failed, merge.target);
        }
        co_return;
    }
    finish(merge);
    co_await executor.spend(cycles.map_update, nullptr, Cause::merge);
}

void BlockMerger::distribute(const Merge& merge) {
    const BlockPlaces& places = parts_.places;
    for (const auto& lane : lanes_) {
        lane->copies.clear();
        lane->groups.clear();
    }
    std::uint32_t last = ~0U;  // number of the superpage
    for (std::uint32_t i = 0; i < merge.copies.size(); ++i) {
        const std::uint32_t offset = merge.copies[i].to;
        Lane& lane = *lanes_[places.superpage(BlockPage{merge.target, offset}).pu.value];
        const std::uint32_t superpage = places.superpage_number(offset);
        if (superpage != last) {
            lane.groups.push_back(static_cast<std::uint32_t>(lane.copies.size()));
            last = superpage;
        }
        lane.copies.push_back(i);
    }
    for (const auto& lane : lanes_) {
        lane->groups.push_back(static_cast<std::uint32_t>(lane->copies.size()));
    }
}

/// Reads ahead and programs in order. With d buffers, d - 1 programs run while the next superpage is read.
Task<void> BlockMerger::run_lane(const Merge& merge, Lane& lane) {
    const auto depth = static_cast<std::uint32_t>(lane.moves.size());
    const auto groups = static_cast<std::uint32_t>(lane.groups.size()) - 1;
    const auto move_of = [&](std::uint32_t group) -> Move& { return *lane.moves[group % depth]; };
    const auto prepare = [&](std::uint32_t group) -> Move& {
        Move& move = move_of(group);
        move.first = lane.groups[group];
        move.count = lane.groups[group + 1] - move.first;
        move.copy_back = services_.config.gc.copy_back && inside_die(merge, lane, move);
        return move;
    };
    for (std::uint32_t group = 0; group < std::min(depth, groups); ++group) {
        co_await begin_read(merge, lane, prepare(group));
    }
    std::uint32_t ended = 0;
    for (std::uint32_t group = 0; group < groups && !failed_; ++group) {
        co_await begin_program(merge, lane, move_of(group));
        if (group + 1 >= depth) {
            co_await end_program(merge, lane, move_of(ended));
            if (!failed_ && ended + depth < groups) {
                co_await begin_read(merge, lane, prepare(ended + depth));
            }
            ++ended;
        }
    }
    for (; ended < groups && !failed_; ++ended) {
        co_await end_program(merge, lane, move_of(ended));
    }
    for (const auto& move : lane.moves) {
        co_await move->join.wait();
    }
    lanes_done_.done();
}

/// True if all pages of the superpage come from the same planes of one superpage.
bool BlockMerger::inside_die(const Merge& merge, const Lane& lane, const Move& move) const {
    const BlockPlaces& places = parts_.places;
    const Merge::Copy& first = merge.copies[lane.copies[move.first]];
    const SuperpageAddress source = places.superpage(first.from);
    if (source.pu != places.superpage(BlockPage{merge.target, first.to}).pu) {
        return false;
    }
    for (std::uint32_t i = 0; i < move.count; ++i) {
        const Merge::Copy& copy = merge.copies[lane.copies[move.first + i]];
        if (places.superpage(copy.from) != source ||
            places.plane(copy.from.offset) != places.plane(copy.to) || lost_.contains(copy.lpn)) {
            return false;
        }
    }
    return true;
}

Task<void> BlockMerger::begin_read(const Merge& merge, const Lane& lane, Move& move) {
    const MediaLayout& layout = services_.layout;
    // For a copy inside the die only the metadata is read, which suffices to find out whether ECC can correct
    // the page.
    move.read_list.clear();
    for (std::uint32_t i = 0; i < move.count; ++i) {
        const Merge::Copy& copy = merge.copies[lane.copies[move.first + i]];
        const DramAddress dram{move.buffer.value + std::uint64_t{i} * layout.unit_bytes()};
        move.read_list.push_back(
            UnitRead{parts_.places.ppa(copy.from), dram, 0, move.copy_back ? 0 : layout.sectors_per_unit()});
    }
    move.reads.prepare(move.read_list, Cause::merge, move.copy_back);
    parts_.counters.merge_reads += move.count;
    co_await services_.executor.spend(move.reads.operations() * services_.config.cycles.flash_issue, nullptr,
                                      Cause::merge);
    move.reads.start(move.join, nullptr, true);
}

/// Gathers the pages to program. A page that could not be read becomes padding, which no LPN refers to.
void BlockMerger::gather_writes(const Merge& merge, const Lane& lane, Move& move) {
    move.write_list.clear();
    move.planes.clear();
    for (std::uint32_t i = 0; i < move.count; ++i) {
        const Merge::Copy& copy = merge.copies[lane.copies[move.first + i]];
        move.planes.push_back(parts_.places.plane(copy.to));
        if (move.reads.readable(i) && !lost_.contains(copy.lpn)) {
            move.write_list.push_back(UnitWrite{copy.lpn, move.read_list[i].dram});
        } else {
            move.write_list.push_back(UnitWrite{});
            unreadable_.push_back(&copy);
        }
    }
}

Task<void> BlockMerger::begin_program(const Merge& merge, const Lane& lane, Move& move) {
    const CycleCosts& cycles = services_.config.cycles;
    co_await move.join.wait();
    if (move.copy_back && !move.reads.ok()) {  // some page is unreadable: the others cross the bus
        move.copy_back = false;
        co_await begin_read(merge, lane, move);
        co_await move.join.wait();
    }
    co_await services_.executor.spend(move.reads.operations() * cycles.flash_complete +
                                          std::uint64_t{move.count} * cycles.merge_page + cycles.flash_issue,
                                      nullptr, Cause::merge);
    gather_writes(merge, lane, move);
    const Merge::Copy& first = merge.copies[lane.copies[move.first]];
    const SpareHeader header{parts_.usage.next_sequence(), PageKind::gc};
    move.program.prepare(services_, parts_.places.superpage(BlockPage{merge.target, first.to}),
                         move.write_list, header, Cause::merge, move.planes);
    hal::FlashOp& op = move.program.op();
    if (move.copy_back) {
        op.opcode = hal::FlashOpcode::copy_back;
        op.pieces = {};
        op.spare = {};
        const SuperpageAddress source = parts_.places.superpage(first.from);
        for (std::uint8_t plane = 0; plane < op.planes; ++plane) {
            op.source[plane] = services_.layout.address(source, move.planes[plane]);
        }
        incidents_.copied_back += move.count;
    }
    parts_.counters.merge_programs += move.count;
    start(services_, op, move.join);
}

Task<void> BlockMerger::end_program(const Merge& merge, const Lane& lane, Move& move) {
    co_await move.join.wait();
    co_await services_.executor.spend(services_.config.cycles.flash_complete, nullptr, Cause::merge);
    const hal::FlashOp& op = move.program.op();
    if (op.status == hal::FlashStatus::ok) {
        co_return;
    }
    for (std::uint32_t plane = 0; plane < op.planes; ++plane) {
        if (op.plane_status[plane] != hal::FlashStatus::ok) {
            failed_ = true;
            failed_offset_ = merge.copies[lane.copies[move.first + plane]].to;
        }
    }
}

/// The copies are on media: reports the merge to the layer and starts to erase the sources.
void BlockMerger::finish(const Merge& merge) {
    for (const Merge::Copy* copy : unreadable_) {
        if (parts_.layer.locate(copy->lpn) == copy->from) {  // not trimmed meanwhile
            incidents_.unreadable_pages += lost_.contains(copy->lpn) ? 0 : 1;
            lost_.insert(copy->lpn);
        }
    }
    if (merge.logical != kNoLbn) {
        parts_.tables.write_block(merge.logical);
    }
    parts_.layer.merged(merge);
    parts_.counters.count(merge.kind);
    for (const BlockId block : merge.sources) {
        start_erase(block);
    }
}

void BlockMerger::tell(hal::Deed deed, hal::Reason reason, BlockId block, std::uint32_t count) const {
    services_.decided({.deed = deed,
                       .reason = reason,
                       .block = block.value,
                       .count = count,
                       .erases = parts_.layer.blocks().info(block.value).erases,
                       .free = parts_.layer.free_blocks()});
}

void BlockMerger::start_erase(BlockId block) {
    if (idle_erases_.empty()) {
        erases_.push_back(std::make_unique<Erase>(services_));
        idle_erases_.push_back(erases_.back().get());
    }
    Erase& work = *idle_erases_.back();
    idle_erases_.pop_back();
    work.block = block;
    ++erasing_;
    services_.executor.spawn(erase(work));
}

Task<void> BlockMerger::erase(Erase& work) {
    const BlockPlaces& places = parts_.places;
    const CycleCosts& cycles = services_.config.cycles;
    work.operations.resize(places.units());
    co_await services_.executor.spend(std::uint64_t{cycles.flash_issue} * places.units(), nullptr,
                                      Cause::merge);
    for (std::uint32_t i = 0; i < places.units(); ++i) {
        const SuperpageAddress at{places.unit(work.block, i), places.superblock(work.block), 0};
        work.operations[i] = superpage_op(services_.layout, hal::FlashOpcode::erase, at, Cause::merge);
        start(services_, work.operations[i], work.join);
    }
    tell(hal::Deed::erase, hal::Reason::emptied, work.block);
    co_await work.join.wait();
    co_await services_.executor.spend(std::uint64_t{cycles.flash_complete} * places.units(), nullptr,
                                      Cause::merge);
    const bool ok = std::all_of(work.operations.begin(), work.operations.end(),
                                [](const hal::FlashOp& op) { return op.status == hal::FlashStatus::ok; });
    --erasing_;
    ++parts_.counters.erases;
    if (!ok || parts_.layer.blocks().info(work.block.value).failed) {
        tell(hal::Deed::retire, ok ? hal::Reason::program_failed : hal::Reason::erase_failed, work.block);
    }
    if (ok) {
        parts_.layer.erased(work.block);
    } else {
        parts_.layer.retired(work.block);
    }
    parts_.usage.end_erase(work.block);
    idle_erases_.push_back(&work);
}

}  // namespace solidtlm::fw
