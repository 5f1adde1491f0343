// SPDX-License-Identifier: Apache-2.0
//
// The parts of a translation page that a read must bring, in the smallest pieces that flash can deliver: ECC
// codewords, or sectors without ECC.
#pragma once

#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/flash.h"
#include "fw/map_cache/cache_policy.h"
#include "fw/map_cache/map_counters.h"

namespace solidtlm::fw {

class SectorCover {
  public:
    SectorCover(const MapAreaSize& map, const FlashTimes& times)
        : entries_(map.entries),
          piece_entries_(times.codeword_bytes / kMapEntryBytes < map.entries
                             ? times.codeword_bytes / kMapEntryBytes
                             : map.entries),
          codeword_bus_bytes_(times.codeword_bus_bytes),
          counts_((map.entries + piece_entries_ - 1) / piece_entries_) {}

    void clear() {
        counts_.assign(counts_.size(), 0);
        covered_ = 0;
    }
    /// REQUIRES: ranges do not overlap.
    void add(const MapRange& range) {
        std::uint32_t position = range.first.value % entries_;
        covered_ += range.count;
        for (std::uint32_t left = range.count; left > 0;) {
            const std::uint32_t in_piece = piece_entries_ - position % piece_entries_;
            const std::uint32_t step = left < in_piece ? left : in_piece;
            counts_[position / piece_entries_] += step;
            SOLIDTLM_CHECK(counts_[position / piece_entries_] <= piece_entries_, "ranges do not overlap");
            position += step;
            left -= step;
        }
    }
    /// Entries added.
    [[nodiscard]] std::uint32_t covered() const { return covered_; }
    [[nodiscard]] bool whole_page() const { return covered_ == entries_; }

    /// Bytes to read for all entries that were added.
    [[nodiscard]] MapBytes bytes_to_read() const {
        return MapBytes{std::uint64_t{covered_} * kMapEntryBytes, bus_bytes(false)};
    }
    /// Bytes to read for all entries that were not added.
    [[nodiscard]] MapBytes bytes_to_merge() const {
        return MapBytes{std::uint64_t{entries_ - covered_} * kMapEntryBytes, bus_bytes(true)};
    }
    [[nodiscard]] MapBytes bytes_to_program() const {
        return MapBytes{std::uint64_t{entries_} * kMapEntryBytes, counts_.size() * codeword_bus_bytes_};
    }
    /// These parts as pieces of a flash operation (`missing`: the parts that were not added). `to`: DRAM
    /// address of the page's first byte.
    void pieces(bool missing, hal::DramAddress to, std::vector<hal::FlashPiece>& pieces) const {
        const std::uint32_t bytes = piece_entries_ * kMapEntryBytes;
        pieces.clear();
        for (std::uint32_t i = 0; i < counts_.size(); ++i) {
            if (!wanted(i, missing)) {
                continue;
            }
            if (!pieces.empty() && pieces.back().column_bytes + pieces.back().length_bytes == i * bytes) {
                pieces.back().length_bytes += bytes;
            } else {
                pieces.push_back(hal::FlashPiece{0, i * bytes, bytes,
                                                 hal::DramAddress{to.value + std::uint64_t{i} * bytes}});
            }
        }
    }

  private:
    [[nodiscard]] bool wanted(std::size_t piece, bool missing) const {
        return missing ? counts_[piece] < piece_entries_ : counts_[piece] > 0;
    }
    [[nodiscard]] std::uint64_t bus_bytes(bool missing) const {
        std::uint64_t pieces = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            pieces += wanted(i, missing) ? 1 : 0;
        }
        return pieces * codeword_bus_bytes_;
    }

    std::uint32_t entries_;
    std::uint32_t piece_entries_;
    std::uint32_t codeword_bus_bytes_;
    std::vector<std::uint32_t> counts_;  // by piece: entries added
    std::uint32_t covered_ = 0;
};

}  // namespace solidtlm::fw
