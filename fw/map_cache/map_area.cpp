// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/map_area.h"

#include <algorithm>
#include <utility>

#include "fw/flash/erase_block.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {
namespace {

/// Collection begins when fewer blocks than this are free: the one that it keeps, and two that a burst of the
/// host may open before collection has gained its first block.
constexpr std::uint32_t kCollectBelow = 3;
/// Free blocks that only collection may open.
constexpr std::uint32_t kKeptForCollection = 1;

}  // namespace

MapArea::MapArea(Services& services, Allocator& allocator, const MapAreaSize& size, DramAddress buffers)
    : services_(services),
      allocator_(allocator),
      pages_(services.layout.area_pages()),
      blocks_(services.layout, services.layout.first(kMapArea),
              size.superblocks * services.layout.pus() * services.layout.planes_per_pu()),
      directory_(size.translation_pages, kNoPlace),
      writing_(size.translation_pages),
      page_at_(std::size_t{blocks_.size()} * pages_),
      wake_(services.executor, "the map area is to be collected"),
      space_(services.executor, "a block of the map area is free, or a program ended"),
      moves_(services.executor, "translation pages that are moved") {
    const std::uint32_t full = 2 * ((size.translation_pages + pages_ - 1) / pages_);
    const std::uint32_t working =
        blocks_.size() - full;  // at least kMapWorkingBlocks, including one frontier
    const FlashLayout& flash = services.config.flash;
    frontiers_.assign(std::min(working - kMapWorkingBlocks + 1, flash.total_dies()), kNoBlock);
    for (MapJob& job : jobs_) {
        job.buffer = buffers;
        buffers = DramAddress{buffers.value + std::uint64_t{size.entries} * kMapEntryBytes};
    }
}

void MapArea::start() {
    if (std::exchange(started_, true)) {
        return;  // already started by recovery
    }
    ++active_;
    services_.executor.spawn(collect());
}

Task<std::uint64_t> MapArea::recover() {
    std::uint64_t reads = 0;
    Join join(services_.executor, "blocks of the map area that are searched");
    join.add(blocks_.planes());
    for (std::uint32_t plane = 0; plane < blocks_.planes(); ++plane) {
        services_.executor.spawn(recover_plane(plane, reads, join));
    }
    co_await join.wait();
    co_return reads;
}

/// Goes through the blocks one by one. Only their first pages are read, because data pages hold all entries.
Task<void> MapArea::recover_plane(std::uint32_t plane, std::uint64_t& reads, Join& join) {
    MapJob job;
    for (BlockIndex index = plane; index < blocks_.size(); index += blocks_.planes()) {
        job.prepare(services_, hal::FlashOpcode::read, address(MapPlace{index * pages_}), true);
        job.count_in(reads);
        if (co_await run(job, Cause::recovery) != hal::FlashStatus::erased) {
            blocks_.adopt(index, BlockState::closed, 0);
        }
    }
    join.done();
}

std::uint32_t MapArea::die_of(BlockIndex block) const {
    return block % blocks_.planes() / services_.config.flash.planes;
}

std::uint32_t MapArea::pending(BlockIndex block) const {
    const hal::FlashAddress at = blocks_.address(block, 0);
    return services_.flash->pending(at.channel, at.die);
}

bool MapArea::valid(MapPlace place) const {
    const BlockInfo& block = blocks_.info(place.value / pages_);
    return place.value % pages_ < block.next_page && directory_[page_at_[place.value].value] == place;
}

/// Opens the least erased free block, on the preferred die if possible; none if only `keep` blocks are free.
BlockIndex MapArea::open_block(std::uint32_t preferred_die, std::uint32_t keep) {
    const auto rank = [this, preferred_die](BlockIndex block) {
        const BlockInfo& info = blocks_.info(block);
        const std::pair there_first{die_of(block) != preferred_die, info.erases};
        return info.state == BlockState::free ? std::optional(there_first) : std::nullopt;
    };
    const std::optional<BlockIndex> best = blocks_.free_blocks() > keep ? blocks_.least(rank) : std::nullopt;
    if (!best) {
        return kNoBlock;
    }
    blocks_.open(*best);
    if (asleep_ && blocks_.free_blocks() < kCollectBelow) {
        wake_.notify();
    }
    return *best;
}

MapPlace MapArea::next_place(BlockIndex& frontier) {
    const MapPlace place{frontier * pages_ + blocks_.begin_program(frontier)};
    if (blocks_.room(frontier) == 0) {
        frontier = kNoBlock;
    }
    return place;
}

/// Takes a page of the frontier whose die has the fewest pending operations.
std::optional<MapPlace> MapArea::try_allocate() {
    BlockIndex* best = nullptr;
    std::uint32_t best_pending = 0;
    const auto count = static_cast<std::uint32_t>(frontiers_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t index = (next_frontier_ + i) % count;
        BlockIndex& frontier = frontiers_[index];
        if (frontier == kNoBlock) {
            // Spreads the frontiers over the dies; if there are fewer frontiers than dies, they are far
            // apart.
            const std::uint32_t dies = blocks_.planes() / services_.config.flash.planes;
            frontier = open_block(index * dies / count, kKeptForCollection);
        }
        if (frontier == kNoBlock) {
            continue;
        }
        const std::uint32_t work = pending(frontier);
        if (best == nullptr || work < best_pending) {
            best = &frontier;
            best_pending = work;
            if (work == 0) {
                break;
            }
        }
    }
    if (best == nullptr) {
        return std::nullopt;
    }
    next_frontier_ = (static_cast<std::uint32_t>(best - frontiers_.data()) + 1) % count;
    return next_place(*best);
}

std::optional<MapPlace> MapArea::try_allocate_copy() {
    if (copy_frontier_ == kNoBlock) {
        copy_frontier_ = open_block(0, 0);
    }
    return copy_frontier_ == kNoBlock ? std::nullopt : std::optional(next_place(copy_frontier_));
}

Task<std::optional<MapPlace>> MapArea::allocate(Tpn page) {
    while (true) {
        const std::optional<MapPlace> place = try_allocate();
        if (place) {
            ++writing_[page.value];
            ++in_flight_;
            ++active_;
            co_return place;
        }
        give_up_if_stuck();
        if (worn_out_) {
            co_return std::nullopt;
        }
        co_await space_.wait();
    }
}

/// If no operation is under way that could free a block, none will ever be free.
void MapArea::give_up_if_stuck() {
    if (asleep_ && in_flight_ == 0 && !choose_victim()) {
        wear_out();
    }
}

void MapArea::wear_out() {
    worn_out_ = true;
    worn_out_since_ = services_.executor.now();
    services_.decided({.deed = hal::Deed::read_only, .reason = hal::Reason::space, .area = hal::Area::map});
}

Task<hal::FlashStatus> MapArea::run(MapJob& job, Cause cause) {
    job.ledger.start(hal::Stage::firmware_wait, services_.executor.now());
    job.op.ledger = &job.ledger;
    return carry_out(services_, job.op, cause, nullptr, {.ended = job.counting()});
}

Task<hal::FlashStatus> MapArea::read(Tpn page, MapJob& job) {
    SOLIDTLM_CHECK(written(page), "the translation page is on flash");
    ++active_;
    job.prepare(services_, hal::FlashOpcode::read, address(directory_[page.value]), false);
    const hal::FlashStatus status = co_await run(job, Cause::map);
    --active_;
    co_return status;
}

Task<hal::FlashStatus> MapArea::run_program(Tpn page, MapPlace place, MapJob& job) {
    const SpareHeader header{allocator_.next_sequence(), PageKind::map};
    job.prepare_program(services_, address(place), header, Lpn{page.value});
    page_at_[place.value] = page;
    return run(job, cause_);
}

Task<bool> MapArea::program(Tpn page, MapPlace place, MapJob& job) {
    SOLIDTLM_CHECK(writing_[page.value] > 0, "a place was allocated for the translation page");
    const bool ok = co_await run_program(page, place, job) == hal::FlashStatus::ok;
    if (ok) {
        point_to(page, place);
    }
    --writing_[page.value];
    --in_flight_;
    --active_;
    settle(place, ok);
    co_return ok;
}

void MapArea::point_to(Tpn page, MapPlace place) {
    MapPlace& entry = directory_[page.value];
    if (entry != kNoPlace) {
        --blocks_.info(entry.value / pages_).valid;
    }
    entry = place;
    ++blocks_.info(place.value / pages_).valid;
}

/// A program has ended. If it failed, its block is closed, so that it can be emptied and retired.
void MapArea::settle(MapPlace place, bool ok) {
    const BlockIndex index = place.value / pages_;
    blocks_.end_program(index, ok);
    if (!ok) {
        std::replace(frontiers_.begin(), frontiers_.end(), index, kNoBlock);
        copy_frontier_ = copy_frontier_ == index ? kNoBlock : copy_frontier_;
    }
    space_.notify();
    if (asleep_ && blocks_.free_blocks() < kCollectBelow) {
        wake_.notify();
    }
}

/// The block that gains most; none if no block gains anything.
std::optional<BlockIndex> MapArea::choose_victim() const {
    return blocks_.least([this](BlockIndex block) {
        const BlockInfo& info = blocks_.info(block);
        const bool gains = info.valid < pages_ || info.failed;
        return info.state == BlockState::closed && info.in_flight == 0 && gains ? std::optional(info.valid)
                                                                                : std::nullopt;
    });
}

Task<void> MapArea::collect() {
    while (true) {
        const bool wanted = blocks_.free_blocks() < kCollectBelow && !worn_out_;
        const std::optional<BlockIndex> victim = wanted ? choose_victim() : std::nullopt;
        if (victim) {
            tell(hal::Deed::collect,
                 blocks_.info(*victim).failed ? hal::Reason::program_failed : hal::Reason::space, *victim);
            co_await empty(*victim);
            if (blocks_.info(*victim).valid == 0) {
                co_await erase(*victim);
                continue;
            }
            if (copy_frontier_ != kNoBlock || blocks_.free_blocks() > 0) {
                continue;  // a program failed: the next round continues
            }
            wear_out();
        }
        asleep_ = true;
        --active_;
        space_.notify();  // waiters see whether more space can come
        co_await wake_.wait();
        ++active_;
        asleep_ = false;
    }
}

/// Moves the valid pages of the victim, kMoves at a time.
Task<void> MapArea::empty(BlockIndex victim) {
    for (std::uint32_t page = 0; page < pages_ && blocks_.info(victim).valid > 0;) {
        for (std::uint32_t job = 0; page < pages_ && job < kMoves; ++page) {
            const MapPlace from{victim * pages_ + page};
            if (valid(from) && writing_[page_at_[from.value].value] == 0) {
                moves_.add();
                services_.executor.spawn(move(from, jobs_[job++]));
            }
        }
        co_await moves_.wait();
    }
    // A page left behind becomes invalid when its program has ended; otherwise it stays and is checked again.
    while (blocks_.info(victim).valid > 0 && in_flight_ > 0) {
        co_await space_.wait();
    }
}

Task<void> MapArea::move(MapPlace from, MapJob& job) {
    const Tpn page = page_at_[from.value];
    const std::uint32_t bytes = static_cast<std::uint32_t>(jobs_[1].buffer.value - jobs_[0].buffer.value);
    job.move(bytes);
    job.prepare(services_, hal::FlashOpcode::read, address(from), false);
    job.count_in(counters_.copied_reads);
    co_await run(job, Cause::map);
    if (valid(from) && writing_[page.value] == 0) {
        const std::optional<MapPlace> to = try_allocate_copy();
        if (to) {
            job.count_in(counters_.copied);
            const bool ok = co_await run_program(page, *to, job) == hal::FlashStatus::ok;
            if (ok && directory_[page.value] == from) {
                point_to(page, *to);
            }
            counters_.failed_copies += ok ? 0 : 1;
            settle(*to, ok);
        }
    }
    moves_.done();
}

void MapArea::tell(hal::Deed deed, hal::Reason reason, BlockIndex block) const {
    services_.decided({.deed = deed,
                       .reason = reason,
                       .area = hal::Area::map,
                       .block = block,
                       .count = blocks_.info(block).valid,
                       .erases = blocks_.info(block).erases,
                       .free = blocks_.free_blocks()});
}

Task<void> MapArea::erase(BlockIndex victim) {
    blocks_.begin_erase(victim);
    MapJob& job = jobs_[0];
    job.op = plane_op(services_, hal::FlashOpcode::erase, address(MapPlace{victim * pages_}));
    job.count_in(counters_.erased);
    const auto told = [this, victim](hal::Deed deed, hal::Reason reason) { tell(deed, reason, victim); };
    const Besides counting{.ended = job.counting()};
    const bool usable =
        co_await erase_block(services_, blocks_.info(victim), job.op, Cause::map, told, nullptr, counting);
    usable ? blocks_.recycle(victim) : blocks_.retire(victim);
    space_.notify();
}

std::string MapArea::check() const {
    std::vector<std::uint32_t> valid(blocks_.size());
    for (std::uint32_t page = 0; page < directory_.size(); ++page) {
        const MapPlace place = directory_[page];
        if (place == kNoPlace) {
            continue;
        }
        ++valid[place.value / pages_];
        if (page_at_[place.value] != Tpn{page}) {
            return "translation page " + std::to_string(page) + " lies where another one was written";
        }
    }
    std::uint32_t free = 0;
    for (BlockIndex index = 0; index < blocks_.size(); ++index) {
        free += blocks_.info(index).state == BlockState::free ? 1 : 0;
        if (valid[index] != blocks_.info(index).valid) {
            return "block " + std::to_string(index) + " of the map area counts " +
                   std::to_string(blocks_.info(index).valid) + " valid pages, the directory " +
                   std::to_string(valid[index]);
        }
    }
    return free == blocks_.free_blocks() ? std::string{} : "free blocks of the map area are miscounted";
}

}  // namespace solidtlm::fw
