// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/page_group.h"

#include <algorithm>
#include <tuple>

namespace solidtlm::hw {

using hal::FlashOp;
using hal::FlashOpcode;
using hal::FlashPiece;

PagePlanner::PagePlanner(const NandConfig& config, hal::Channel channel)
    : geometry_(config.geometry),
      ecc_(config.ecc),
      content_(config.content),
      metadata_bytes_(config.metadata_bytes),
      channel_(channel) {}

/// The reason why `op` is invalid apart from its pieces, or null.
const char* PagePlanner::fault_of(const FlashOp& op) const {
    if (op.planes == 0 || op.planes > std::min<std::size_t>(geometry_.planes, hal::kMaxPlanesPerOp)) {
        return "number of planes";
    }
    const bool programs = op.opcode == FlashOpcode::program;
    if (op.word_line_pages == 0 || op.slots() > hal::kMaxPagesPerOp ||
        (op.word_line_pages > 1 && !programs)) {
        return "number of pages";
    }
    const hal::FlashAddress& first = op.address[0];
    const auto elsewhere = [&first](const hal::FlashAddress& at) {
        return at.channel != first.channel || at.die != first.die;
    };
    if (first.channel != channel_ || first.die.value >= geometry_.dies ||
        std::any_of(op.address.begin(), op.address.begin() + op.slots(), elsewhere)) {
        return "die";
    }
    if (!op.spare.empty() &&
        (op.spare.size() % op.slots() != 0 || op.spare.size() > std::size_t{op.slots()} * metadata_bytes_)) {
        return "length of the spare area";
    }
    const bool reads = op.opcode == FlashOpcode::read;
    if (!op.pieces.empty() && !reads && !programs) {
        return "pieces in an operation without data";
    }
    if (op.xor_sources == 0 ||
        (op.xor_sources > 1 && (!programs || op.pieces.size() % op.xor_sources != 0))) {
        return "runs of pieces";
    }
    return op.accumulate && !reads ? "an operation that is no read and accumulates" : nullptr;
}

bool PagePlanner::lies_within(const FlashPiece& piece, const FlashOp& op) const {
    return piece.plane_slot < op.slots() && piece.length_bytes != 0 &&
           piece.column_bytes % hal::kSectorBytes == 0 && piece.length_bytes % hal::kSectorBytes == 0 &&
           std::uint64_t{piece.column_bytes} + piece.length_bytes <= geometry_.page_bytes;
}

/// Adds the next piece; its DRAM access is joined to the previous one if they meet.
void PagePlanner::add(const FlashOp& op, const FlashPiece& piece, PageGroup& group) const {
    if (piece.dram.value != FlashPiece::kPadding &&
        op.plane_status[piece.plane_slot] == hal::FlashStatus::ok) {
        DramAccess* last = group.accesses.empty() ? nullptr : &group.accesses.back();
        if (last != nullptr && last->address + last->bytes == piece.dram.value &&
            last->offset + hal::content_bytes(content_, last->bytes) == group.content_bytes) {
            last->bytes += piece.length_bytes;
        } else {
            group.accesses.push_back(
                DramAccess{piece.dram.value, piece.length_bytes, group.content_bytes, {}, {}});
        }
    }
    group.content_bytes += hal::content_bytes(content_, piece.length_bytes);
}

void PagePlanner::plan_accesses(const FlashOp& op, PageGroup& group) const {
    group.accesses.clear();
    group.content_bytes = 0;
    for (const FlashPiece& piece : op.pieces) {
        add(op, piece, group);
    }
}

PagePlanner::Extent PagePlanner::widened(const FlashPiece& piece) const {
    Extent extent{piece.plane_slot, piece.column_bytes, piece.column_bytes + piece.length_bytes};
    if (const std::uint32_t codeword = ecc_.codeword_bytes; codeword != 0) {
        extent.begin = extent.begin / codeword * codeword;
        extent.end = std::min((extent.end + codeword - 1) / codeword * codeword, geometry_.page_bytes);
    }
    return extent;
}

const char* PagePlanner::plan(const FlashOp& op, PageGroup& group) {
    if (const char* fault = fault_of(op)) {
        return fault;
    }
    const auto before = [](const Extent& a, const Extent& b) {
        return std::tie(a.plane_slot, a.begin) < std::tie(b.plane_slot, b.begin);
    };
    bool in_order = true;
    group.accesses.clear();
    group.content_bytes = 0;
    extents_.clear();
    for (const FlashPiece& piece : op.pieces) {
        if (!lies_within(piece, op)) {
            return "pieces";
        }
        add(op, piece, group);
        const Extent extent = widened(piece);
        in_order = in_order && (extents_.empty() || !before(extent, extents_.back()));
        if (in_order && !extents_.empty() && extents_.back().plane_slot == extent.plane_slot &&
            extent.begin <= extents_.back().end) {
            extents_.back().end = std::max(extents_.back().end, extent.end);
        } else {
            extents_.push_back(extent);
        }
    }
    if (!in_order) {
        std::sort(extents_.begin(), extents_.end(), before);
    }
    make_bursts(op, group);
    return nullptr;
}

/// Joins neighbouring extents, which are in order, into bursts; metadata follows the page's last byte.
void PagePlanner::make_bursts(const FlashOp& op, PageGroup& group) const {
    const bool ecc_on = ecc_.codeword_bytes != 0;
    group.bursts.clear();
    group.codewords = 0;
    auto next = extents_.begin();
    const auto slots = static_cast<std::uint8_t>(op.slots());
    const auto metadata = static_cast<std::uint32_t>(op.spare.size() / slots);
    for (std::uint8_t slot = 0; slot < slots; ++slot) {
        group.first_burst[slot] = static_cast<std::uint32_t>(group.bursts.size());
        bool to_page_end = false;
        while (next != extents_.end() && next->plane_slot == slot) {
            Extent joined = *next;
            while (++next != extents_.end() && next->plane_slot == slot && next->begin <= joined.end) {
                joined.end = std::max(joined.end, next->end);
            }
            Burst burst{slot, joined.end - joined.begin, 0};
            if (ecc_on) {
                burst.codewords = (burst.bytes + ecc_.codeword_bytes - 1) / ecc_.codeword_bytes;
                burst.bytes += burst.codewords * ecc_.parity_bytes;
                group.codewords += burst.codewords;
            }
            group.bursts.push_back(burst);
            to_page_end = joined.end == geometry_.page_bytes;
        }
        if (!op.spare.empty() && to_page_end) {
            group.bursts.back().bytes += metadata;
        } else if (!op.spare.empty()) {
            group.bursts.push_back(Burst{slot, metadata, ecc_on ? 1U : 0U});
            group.codewords += ecc_on ? 1U : 0U;
        }
    }
    group.first_burst[op.slots()] = static_cast<std::uint32_t>(group.bursts.size());
}

}  // namespace solidtlm::hw
