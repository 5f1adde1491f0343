// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/found_sharing.h"

#include <unordered_map>

#include "fw/dedup/share_records.h"

namespace solidtlm::fw {

FoundSharing::FoundSharing(std::uint32_t blocks, std::uint32_t logical_pages)
    : blocks_(blocks), referred_(logical_pages, "references found on flash") {}

void FoundSharing::take_name(const MediaScan& scan, Lpn name, Ppa place) {
    if (is_shared(name)) {
        Block& block = blocks_[block_of(name).value];
        block.named = scan.newer(place, block.named) ? place : block.named;
    }
}

void FoundSharing::take_entry(MediaScan& scan, Lpn lpn, Ppa entry, std::uint64_t checkpoint) {
    refer(scan, lpn, block_of(entry), checkpoint);
}

void FoundSharing::take_table(std::span<const std::uint32_t> table, std::uint64_t checkpoint) {
    for (std::uint32_t block = 0; block < table.size(); ++block) {
        blocks_[block].place = Ppa{table[block]};
        blocks_[block].sequence = checkpoint;
    }
}

void FoundSharing::take_record(MediaScan& scan, const LogRecord& record) {
    if (record.kind() == kShareRecord) {
        blocks_[record.first].place = Ppa{record.second};
        blocks_[record.first].sequence = record.sequence();
    } else {
        refer(scan, Lpn{record.first}, VirtualBlock{record.second}, record.sequence());
    }
}

void FoundSharing::refer(MediaScan& scan, Lpn lpn, VirtualBlock block, std::uint64_t sequence) {
    if (scan.outdated(lpn, sequence)) {
        scan.set(lpn, entry_of(block));
        referred_[lpn.value] = sequence;
    }
}

/// Finds the places of the virtual blocks, and the logical pages that refer to them.
void FoundSharing::resolve(MediaScan& scan) {
    for (Block& block : blocks_) {
        if (block.named != kUnmapped && scan.sequence(block.named) > block.sequence) {
            block.place = block.named;
        } else if (block.place != kUnmapped && !scan.still_there(block.place, block.sequence)) {
            block.place = kUnmapped;
        }
    }
    scan.each_entry([this, &scan](Lpn lpn, Ppa entry) {
        if (is_shared(entry)) {
            Block& block = blocks_[block_of(entry).value];
            // The number of the virtual block has been reused since, or its page is gone.
            const bool lost = referred_[lpn.value] < block.sequence || block.place == kUnmapped;
            scan.set(lpn, lost ? kUnmapped : entry);
            block.references += lost ? 0 : 1;
        }
    });
    std::unordered_map<std::uint32_t, VirtualBlock> at;
    for (std::uint32_t block = 0; block < blocks_.size(); ++block) {
        // Firmware never records two blocks at one place: only one of them is kept.
        if (blocks_[block].references == 0 ||
            !at.emplace(blocks_[block].place.value, VirtualBlock{block}).second) {
            blocks_[block].place = kUnmapped;
        }
    }
    scan.each_entry([this, &scan, &at](Lpn lpn, Ppa entry) {
        if (is_shared(entry)) {
            scan.set(lpn, blocks_[block_of(entry).value].place == kUnmapped ? kUnmapped : entry);
        } else if (const auto block = at.find(entry.value); block != at.end()) {
            scan.set(lpn, entry_of(block->second));
            implied_.push_back(lpn);
        }
    });
}

}  // namespace solidtlm::fw
