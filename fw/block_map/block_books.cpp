// SPDX-License-Identifier: Apache-2.0
#include "fw/block_map/block_books.h"

#include <algorithm>

#include "fw/hal/check.h"

namespace solidtlm::fw {
namespace {

std::size_t role_index(BlockRole role) {
    return static_cast<std::size_t>(role);
}

}  // namespace

BlockBooks::BlockBooks(const BlockGeometry& geometry, std::uint32_t data_pages, bool least_erased_first)
    : geometry_(geometry),
      data_pages_(data_pages),
      by_data_pages_(data_pages),
      by_pages_(geometry.pages),
      by_columns_(geometry.columns),
      words_((geometry.pages + 63) / 64),
      blocks_(geometry.blocks, geometry.pages),
      roles_(geometry.blocks),
      places_programmed_(geometry.blocks),
      logical_((std::size_t{geometry.logical_pages} + data_pages - 1) / data_pages),
      place_of_(geometry.logical_pages, "places of logical pages"),
      page_of_(std::size_t{geometry.blocks} * geometry.pages, "logical pages of flash pages"),
      programmed_(std::size_t{geometry.blocks} * words_, "programmed bits, by flash page"),
      next_row_(std::size_t{geometry.blocks} * geometry.columns, "next rows of blocks"),
      free_(least_erased_first) {
    free_.reserve(geometry.blocks);
    for (BlockIndex block = 0; block < geometry.blocks; ++block) {
        free_.add(block, 0);
    }
    counts_[role_index(BlockRole::none)] = geometry.blocks;
    place_of_.use_large_pages();
    page_of_.use_large_pages();
}

std::uint32_t BlockBooks::pages_of(Lbn lbn) const {
    return std::min(data_pages_, geometry_.logical_pages - first_of(lbn).value);
}

BlockPage BlockBooks::locate(Lpn lpn) const {
    const std::uint32_t place = place_of_[lpn.value];
    return place == 0 ? BlockPage{} : page_of_index(place - 1);
}

bool BlockBooks::programmed(BlockPage at) const {
    const std::size_t word = std::size_t{at.block.value} * words_ + at.offset / 64;
    return (programmed_[word] >> (at.offset % 64) & 1U) != 0;
}

bool BlockBooks::writable(BlockPage at) const {
    if (failed(at.block)) {
        return false;
    }
    if (!geometry_.ascending_pages) {
        return !programmed(at);
    }
    const std::uint32_t row = by_columns_.quotient(at.offset);
    const std::uint32_t column = at.offset - row * geometry_.columns;
    return row >= next_row_[std::size_t{at.block.value} * geometry_.columns + column];
}

void BlockBooks::mark_programmed(BlockPage at) {
    const std::uint32_t row = by_columns_.quotient(at.offset);
    const std::uint32_t column = at.offset - row * geometry_.columns;
    next_row_[std::size_t{at.block.value} * geometry_.columns + column] = static_cast<std::uint16_t>(row + 1);
    programmed_[std::size_t{at.block.value} * words_ + at.offset / 64] |= std::uint64_t{1}
                                                                          << (at.offset % 64);
    if (at.offset < data_pages_) {
        ++places_programmed_[at.block.value];
        data_pages_programmed_ += role(at.block) == BlockRole::data ? 1U : 0U;
    }
}

void BlockBooks::program(Lpn lpn, BlockPage at) {
    std::uint32_t& place = place_of_[lpn.value];
    if (place == 0) {
        ++logical_[lbn_of(lpn).value].live;
    } else {
        page_of_[place - 1] = 0;
        --blocks_.info(by_pages_.quotient(place - 1)).valid;
    }
    mark_programmed(at);
    place = static_cast<std::uint32_t>(index(at)) + 1;
    page_of_[index(at)] = lpn.value + 1;
    ++blocks_.info(at.block.value).valid;
}

void BlockBooks::copy(Lpn lpn, BlockPage from, BlockPage to) {
    mark_programmed(to);
    std::uint32_t& place = place_of_[lpn.value];
    if (place != index(from) + 1) {
        return;
    }
    page_of_[index(from)] = 0;
    --blocks_.info(from.block.value).valid;
    place = static_cast<std::uint32_t>(index(to)) + 1;
    page_of_[index(to)] = lpn.value + 1;
    ++blocks_.info(to.block.value).valid;
}

BlockPage BlockBooks::invalidate(Lpn lpn) {
    const BlockPage at = locate(lpn);
    if (at.block != kNoBlock) {
        place_of_[lpn.value] = 0;
        page_of_[index(at)] = 0;
        --blocks_.info(at.block.value).valid;
        --logical_[lbn_of(lpn).value].live;
    }
    return at;
}

void BlockBooks::set_role(BlockId block, BlockRole role) {
    const std::uint32_t programmed = places_programmed_[block.value];
    BlockRole& now = roles_[block.value];
    data_pages_programmed_ -= now == BlockRole::data ? programmed : 0;
    data_pages_programmed_ += role == BlockRole::data ? programmed : 0;
    --counts_[role_index(now)];
    ++counts_[role_index(role)];
    now = role;
}

BlockId BlockBooks::next_free() {
    if (next_free_ == kNoBlock && !free_.empty()) {
        next_free_ = BlockId{free_.take()};
    }
    return next_free_;
}

BlockId BlockBooks::take(BlockRole role) {
    const BlockId block = next_free();
    SOLIDTLM_CHECK(block != kNoBlock, "there is a free block");
    next_free_ = kNoBlock;
    if (!blocks_.in_use(block.value)) {  // pages may have been copied to it
        blocks_.open(block.value);
    }
    set_role(block, role);
    return block;
}

void BlockBooks::begin_erase(BlockId block) {
    set_role(block, BlockRole::none);
    blocks_.begin_erase(block.value);
}

void BlockBooks::erased(BlockId block) {
    if (failed(block)) {
        retired(block);
        return;
    }
    ++blocks_.info(block.value).erases;
    blocks_.recycle(block.value);
    forget_pages(block);
    free_.add(block.value, blocks_.info(block.value).erases);
}

void BlockBooks::retired(BlockId block) {
    set_role(block, BlockRole::none);
    blocks_.retire(block.value);
}

void BlockBooks::forget_pages(BlockId block) {
    places_programmed_[block.value] = 0;
    for (std::uint32_t word = 0; word < words_; ++word) {
        programmed_[std::size_t{block.value} * words_ + word] = 0;
    }
    for (std::uint32_t column = 0; column < geometry_.columns; ++column) {
        next_row_[std::size_t{block.value} * geometry_.columns + column] = 0;
    }
}

std::string BlockBooks::check_block(BlockId block) const {
    const BlockInfo& info = blocks_.info(block.value);
    const std::string name = "block " + std::to_string(block.value);
    std::uint32_t valid = 0;
    std::uint32_t places = 0;
    for (std::uint32_t offset = 0; offset < geometry_.pages; ++offset) {
        const BlockPage at{block, offset};
        const Lpn lpn = page_at(at);
        places += offset < data_pages_ && programmed(at) ? 1U : 0U;
        if (lpn == kNoLpn) {
            continue;
        }
        ++valid;
        if (role(block) == BlockRole::none || !programmed(at) || locate(lpn) != at) {
            return name + " offset " + std::to_string(offset) + " holds LPN " + std::to_string(lpn.value) +
                   " wrongly";
        }
    }
    if (valid != info.valid) {
        return name + ": " + std::to_string(info.valid) + " valid pages booked, " + std::to_string(valid) +
               " found";
    }
    const bool known = info.state != BlockState::bad && info.state != BlockState::erasing;
    if (known && places != places_programmed_[block.value]) {
        return name + ": " + std::to_string(places_programmed_[block.value]) + " places programmed booked, " +
               std::to_string(places) + " found";
    }
    return {};
}

std::string BlockBooks::check() const {
    std::array<std::uint32_t, kBlockRoles> roles{};
    std::uint32_t free = 0;
    std::uint64_t programmed_in_data = 0;
    for (BlockId block{0}; block.value < geometry_.blocks; ++block) {
        if (std::string problem = check_block(block); !problem.empty()) {
            return problem;
        }
        ++roles[role_index(role(block))];
        programmed_in_data += role(block) == BlockRole::data ? places_programmed_[block.value] : 0;
        free += blocks_.info(block.value).state == BlockState::free ? 1 : 0;
    }
    if (roles != counts_) {
        return "the numbers of blocks by role do not agree";
    }
    const bool copying = next_free_ != kNoBlock && blocks_.in_use(next_free_.value);
    if (free != blocks_.free_blocks() || free + (copying ? 1 : 0) != free_blocks()) {
        return "the erased blocks do not agree";
    }
    if (programmed_in_data != data_pages_programmed_) {
        return "the pages programmed in data blocks do not agree";
    }
    for (Lbn lbn{0}; lbn.value < logical_blocks(); ++lbn) {
        std::uint32_t live = 0;
        for (std::uint32_t page = 0; page < pages_of(lbn); ++page) {
            const Lpn lpn{first_of(lbn).value + page};
            const BlockPage at = locate(lpn);
            live += at.block != kNoBlock ? 1U : 0U;
            if (at.block != kNoBlock && page_at(at) != lpn) {
                return "LPN " + std::to_string(lpn.value) + " is not where it is said to be";
            }
        }
        if (live != logical_[lbn.value].live) {
            return "logical block " + std::to_string(lbn.value) + ": the pages with data do not agree";
        }
    }
    return {};
}

}  // namespace solidtlm::fw
