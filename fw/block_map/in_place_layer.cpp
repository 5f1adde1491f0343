// SPDX-License-Identifier: Apache-2.0
#include "fw/block_map/in_place_layer.h"

#include "fw/hal/check.h"

namespace solidtlm::fw {

bool InPlaceLayer::next_merge(Lpn lpn, Merge& merge) {
    merge.clear();
    if (clearing_ != kNoBlock) {
        describe_clearing(merge);
        return true;
    }
    const Lbn lbn = books_.lbn_of(lpn);
    const std::uint32_t offset = books_.offset_of(lpn);
    const BlockId data = books_.data_block(lbn);
    if (data == kNoBlock || books_.writable({data, offset})) {
        return false;
    }
    return log_merge(lbn, offset, merge);
}

BlockLayer::Placement InPlaceLayer::place(Lpn lpn) {
    SOLIDTLM_CHECK(free_blocks() > 0, "a page is placed while there is a free block");
    const Lbn lbn = books_.lbn_of(lpn);
    BlockPage at{books_.data_block(lbn), books_.offset_of(lpn)};
    Placement placement;
    if (at.block == kNoBlock) {
        at.block = books_.take(BlockRole::data);
        books_.set_data_block(lbn, at.block);
        data_block_taken(lbn);
    } else if (!books_.writable(at)) {
        const bool used = books_.programmed(at);
        const bool has_data = books_.locate(lpn).block != kNoBlock;
        placement.kind = has_data || used ? PageWriteKind::update_pure : PageWriteKind::update_wasted;
        placement.unused_place = has_data && !used;
        at = log_place(lbn, at.offset);
    }
    SOLIDTLM_CHECK(books_.writable(at), "nothing had to be merged before the page was placed");
    placement.at = at;
    program(lpn, at);
    if (is_complete(lbn)) {
        add_due(lbn);
    }
    return placement;
}

void InPlaceLayer::gather(Lbn lbn, BlockId except, Merge& merge) const {
    const std::uint32_t first = books_.first_of(lbn).value;
    const std::uint32_t pages = books_.pages_of(lbn);
    for (std::uint32_t offset = 0; offset < pages; ++offset) {
        const BlockPage from = books_.locate(Lpn{first + offset});
        if (from.block != kNoBlock && from.block != except) {
            merge.copies.push_back({Lpn{first + offset}, from, offset});
        }
    }
}

void InPlaceLayer::describe_merge(Lbn lbn, Merge& merge) {
    if (!can_complete(lbn)) {
        describe_full(lbn, merge);
        return;
    }
    merge.logical = lbn;
    merge.target = own_log(lbn);
    gather(lbn, merge.target, merge);
    merge.kind = merge.copies.empty() ? MergeKind::switched : MergeKind::partial;
    merge.sources.push_back(books_.data_block(lbn));
}

void InPlaceLayer::describe_full(Lbn lbn, Merge& merge) {
    describe_drop(lbn, merge);
    merge.kind = MergeKind::full;
    merge.target = books_.next_free();
    gather(lbn, kNoBlock, merge);
}

void InPlaceLayer::describe_drop(Lbn lbn, Merge& merge) const {
    merge.kind = MergeKind::drop;
    merge.logical = lbn;
    merge.sources.push_back(books_.data_block(lbn));
    if (const BlockId log = own_log(lbn); log != kNoBlock) {
        merge.sources.push_back(log);
    }
}

void InPlaceLayer::begin_clearing(BlockId log, Merge& merge) {
    clearing_ = log;
    cursor_ = 0;
    describe_clearing(merge);
}

void InPlaceLayer::describe_clearing(Merge& merge) {
    const auto next_page = [this](std::uint32_t from, Lbn except) {
        for (; from < books_.pages(); ++from) {
            const Lpn lpn = books_.page_at({clearing_, from});
            if (lpn != kNoLpn && books_.lbn_of(lpn) != except) {
                break;
            }
        }
        return from;
    };
    cursor_ = next_page(cursor_, kNoLbn);
    if (cursor_ == books_.pages()) {
        merge.kind = MergeKind::drop;
        merge.sources.push_back(clearing_);
        return;
    }
    const Lbn lbn = books_.lbn_of(books_.page_at({clearing_, cursor_}));
    describe_full(lbn, merge);
    if (next_page(cursor_, lbn) == books_.pages()) {
        merge.sources.push_back(clearing_);
    }
}

bool InPlaceLayer::release_of(Lbn lbn, Merge& merge) {
    if (books_.data_block(lbn) == kNoBlock) {
        return false;
    }
    if (books_.live(lbn) == 0) {
        describe_drop(lbn, merge);
        return true;
    }
    if (is_complete(lbn)) {
        describe_merge(lbn, merge);
        return true;
    }
    return false;
}

void InPlaceLayer::forget_log(BlockId block, Lbn lbn) {
    if (lbn != kNoLbn && own_log(lbn) == block) {
        forget_own_log(lbn);
        return;
    }
    forget_shared_log(block);
    if (block == clearing_) {
        clearing_ = kNoBlock;
    }
}

void InPlaceLayer::merged(const Merge& merge) {
    for (const Merge::Copy& copied : merge.copies) {
        copy(copied, merge.target);
    }
    for (const BlockId source : merge.sources) {
        if (books_.role(source) == BlockRole::log) {
            forget_log(source, merge.logical);
        }
        books_.begin_erase(source);
    }
    if (merge.logical == kNoLbn) {
        return;
    }
    books_.set_data_block(merge.logical, merge.target);  // kNoBlock after a drop
    if (merge.kind == MergeKind::full) {
        books_.take(BlockRole::data);
        data_block_taken(merge.logical);
    } else if (merge.kind != MergeKind::drop) {
        forget_own_log(merge.logical);
        books_.set_role(merge.target, BlockRole::data);
    }
}

void InPlaceLayer::merge_failed(const Merge& merge, std::uint32_t /*offset*/) {
    if (merge.kind == MergeKind::full) {
        books_.retired(books_.take(BlockRole::data));
    } else {
        fail(merge.target);
    }
}

std::string InPlaceLayer::check_places(Lbn lbn) const {
    const BlockId data = books_.data_block(lbn);
    const std::string name = "logical block " + std::to_string(lbn.value);
    if (data == kNoBlock) {
        return books_.live(lbn) == 0 && own_log(lbn) == kNoBlock ? "" : name + " has no data block";
    }
    if (books_.role(data) != BlockRole::data) {
        return name + ": its data block is none";
    }
    for (std::uint32_t offset = 0; offset < books_.pages(); ++offset) {
        const Lpn lpn = books_.page_at({data, offset});
        const bool wrong = offset < books_.data_pages() && books_.offset_of(lpn) != offset;
        if (lpn != kNoLpn && (books_.lbn_of(lpn) != lbn || wrong)) {
            return name + ": LPN " + std::to_string(lpn.value) + " lies in its data block";
        }
    }
    return {};
}

std::string InPlaceLayer::check() const {
    std::string problem = books_.check();
    std::uint32_t data_blocks = 0;
    for (Lbn lbn{0}; problem.empty() && lbn.value < books_.logical_blocks(); ++lbn) {
        data_blocks += books_.data_block(lbn) != kNoBlock ? 1U : 0U;
        problem = check_places(lbn);
    }
    if (problem.empty() && data_blocks != books_.count(BlockRole::data)) {
        problem = "there are data blocks without a logical block";
    }
    return problem.empty() ? check_logs() : problem;
}

}  // namespace solidtlm::fw
