// SPDX-License-Identifier: Apache-2.0
//
// What a boot finds of shared pages (docs/dedup.md, "What a power cut leaves"). The spare area of a page that
// collection has moved names a virtual block. The page with the larger sequence number is newer. A virtual
// block lies at the newest page that carries its name and has a larger number than its newest share record.
// If there is no such page, it lies where the record says, provided that page is still there. A logical page
// refers to it if its refer record is newer than its own pages, its TRIMs and the share record. A logical
// page whose newest page is that of a virtual block in use refers to it, too, recorded or not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fw/dedup/virtual_block.h"
#include "fw/hal/zeroed_memory.h"
#include "fw/log/media_scan.h"

namespace solidtlm::fw {

class FoundSharing : public FoundIndirection {
  public:
    FoundSharing(std::uint32_t blocks, std::uint32_t logical_pages);

    void take_name(const MediaScan& scan, Lpn name, Ppa place) override;
    void take_entry(MediaScan& scan, Lpn lpn, Ppa entry, std::uint64_t checkpoint) override;
    void take_table(std::span<const std::uint32_t> table, std::uint64_t checkpoint) override;
    void take_record(MediaScan& scan, const LogRecord& record) override;
    void resolve(MediaScan& scan) override;

    /// After resolve(): where the block lies; kUnmapped if no logical page refers to it.
    [[nodiscard]] Ppa place(VirtualBlock block) const { return blocks_[block.value].place; }
    /// After resolve(): logical pages that refer to a virtual block without a record. A record must be
    /// written, because after collection has moved the page, its spare area names the virtual block only.
    [[nodiscard]] std::span<const Lpn> implied() const { return implied_; }

  private:
    struct Block {
        Ppa named = kUnmapped;       // newest page whose spare area names the block
        Ppa place = kUnmapped;       // place in the newest share record, then the resolved one
        std::uint64_t sequence = 0;  // of the newest share record
        std::uint32_t references = 0;
    };
    template <class Name>
    [[nodiscard]] bool is_shared(Name name) const {
        return fw::is_shared(name, static_cast<std::uint32_t>(blocks_.size()));
    }
    void refer(MediaScan& scan, Lpn lpn, VirtualBlock block, std::uint64_t sequence);

    std::vector<Block> blocks_;                  // by virtual block
    hal::ZeroedMemory<std::uint64_t> referred_;  // by LPN: sequence number of its reference
    std::vector<Lpn> implied_;
};

}  // namespace solidtlm::fw
