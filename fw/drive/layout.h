// SPDX-License-Identifier: Apache-2.0
//
// How firmware sees the flash array.
//
// A *parallel unit* is the planes that are programmed and erased together: all planes of a die when the
// allocation order varies the plane fastest ("P..."), otherwise one plane. A *superblock* is one block on
// each plane of a parallel unit, a *superpage* one page on each; both have one block and one page where the
// parallel unit is a single plane. A *Ppa* numbers mapping units:
// ((pu * superblocks + superblock) * pages + page) * units_per_superpage + slot.
//
// Where the flash programs a word line at once, a superpage is one word line on each plane. Its pages are
// numbered row by row: a *row* is one page of the word line on each plane, which one operation reads. Slots
// follow the same order, so units have the numbers that they would have if each row were a superpage.
// In SLC mode a word line is one page: a superpage then has one row, which is NAND page `page` of its blocks,
// and its slots are the first ones of those that a superpage in normal mode has. The others stay unused.
//
// Parallel units are numbered die by die; numbers of dies that do not exist (FlashLayout::die_blocks) are
// left out. Where dies differ, parallel units have different numbers of superblocks. Tables then have room
// for as many as the largest one has, and the areas follow the data of each in its own flash.
//
// Superblock numbers count good blocks: factory-bad blocks are left out plane by plane, so that the n-th
// superblock consists of the n-th good block of each plane. Where multi-plane operations need equal block
// numbers, a block that is bad in one plane of a parallel unit is left out in all of them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fw/drive/config.h"
#include "fw/drive/divider.h"
#include "fw/drive/needs.h"
#include "fw/hal/flash.h"
#include "fw/hal/types.h"

namespace solidtlm::fw {

using hal::Die;
using hal::FlashAddress;
using hal::Lpn;

using Pu = hal::Index<struct PuTag, std::uint32_t>;                  ///< parallel unit of the device
using Superblock = hal::Index<struct SuperblockTag, std::uint32_t>;  ///< within its parallel unit
using Ppa = hal::Index<struct PpaTag, std::uint32_t>;                ///< physical address of a mapping unit

constexpr Ppa kUnmapped{0xFFFF'FFFF};
constexpr Lpn kNoLpn{0xFFFF'FFFF};

constexpr std::uint32_t kMapEntryBytes = 4;  ///< bytes of a map entry: a Ppa

/// Planes that are programmed and erased together: all of a die if the allocation order varies the plane
/// fastest, otherwise one.
constexpr std::uint32_t planes_per_parallel_unit(std::string_view order, std::uint32_t planes_per_die) {
    return order.starts_with('P') ? planes_per_die : 1;
}

/// Place of a superpage.
struct SuperpageAddress {
    Pu pu;
    Superblock superblock;
    std::uint32_t page = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted operator
    constexpr auto operator<=>(const SuperpageAddress&) const = default;
};

/// What a superpage consists of, in normal mode or in SLC mode.
struct SuperpageShape {
    std::uint32_t rows;   ///< 1 in SLC mode, and where the flash programs single pages
    std::uint32_t pages;  ///< on all planes
    std::uint32_t units;
};

class MediaLayout {
  public:
    /// Assumes that all blocks are good.
    MediaLayout(const FirmwareConfig& config, FlashPlan plan);
    /// Leaves out the blocks that `flash` marks as factory-bad.
    MediaLayout(const FirmwareConfig& config, FlashPlan plan, const hal::FactoryMarks& flash);

    [[nodiscard]] std::uint32_t pus() const { return pus_; }
    [[nodiscard]] std::uint32_t planes_per_pu() const { return planes_per_pu_; }
    /// Superblocks of data that the largest parallel unit has. Where dies do not differ, every one has as
    /// many good ones, less those of the areas, as that which has the fewest.
    [[nodiscard]] std::uint32_t superblocks() const { return superblocks_; }
    /// Superblocks of data of a parallel unit: the first ones of superblocks().
    [[nodiscard]] std::uint32_t superblocks(Pu pu) const { return superblocks_ - missing_[pu.value]; }
    /// Of data, of all parallel units.
    [[nodiscard]] std::uint64_t total_superblocks() const;
    /// REQUIRES: the plan has the area.
    [[nodiscard]] std::uint32_t superblocks(const FlashArea& area) const;
    /// The first one of an area: the areas follow the data and each other. REQUIRES: the plan has the area.
    [[nodiscard]] Superblock first(const FlashArea& area) const;
    /// Of data and areas together, of the largest parallel unit.
    [[nodiscard]] std::uint32_t good_superblocks() const;
    /// Of the superblocks(Pu), the last ones are always in SLC mode.
    [[nodiscard]] std::uint32_t slc_superblocks() const { return plan_.slc; }
    [[nodiscard]] bool always_slc(Pu pu, Superblock superblock) const {
        return superblock.value - (superblocks(pu) - plan_.slc) < plan_.slc;  // others wrap around
    }
    /// Superpages of a superblock in normal mode.
    [[nodiscard]] std::uint32_t pages() const { return pages_; }
    /// Of a superpage in SLC mode (`slc`) or in normal mode.
    [[nodiscard]] const SuperpageShape& shape(bool slc) const { return shapes_[slc ? 1 : 0]; }
    /// Rows of a superpage in normal mode: 1 unless the flash programs word lines at once.
    [[nodiscard]] std::uint32_t rows() const { return shape(false).rows; }
    /// Of a superpage in normal mode.
    [[nodiscard]] std::uint32_t pages_per_superpage() const { return shape(false).pages; }
    /// Pages of a block of map area or recovery log.
    [[nodiscard]] std::uint32_t area_pages() const { return config_.flash.area_pages(); }
    [[nodiscard]] std::uint32_t slc_pages() const { return config_.flash.slc_pages; }
    [[nodiscard]] std::uint32_t pages_of(bool slc) const { return slc ? slc_pages() : pages(); }
    [[nodiscard]] std::uint32_t units_per_page() const { return units_per_page_; }
    [[nodiscard]] std::uint32_t units_per_row() const { return units_per_row_; }
    /// Of a superpage in normal mode: numbers that a superpage has.
    [[nodiscard]] std::uint32_t units_per_superpage() const { return units_per_superpage_; }
    [[nodiscard]] std::uint32_t units_per_superblock() const { return units_per_superpage_ * pages(); }
    [[nodiscard]] std::uint32_t sectors_per_unit() const { return config_.unit_bytes / hal::kSectorBytes; }
    [[nodiscard]] std::uint32_t unit_bytes() const { return config_.unit_bytes; }
    [[nodiscard]] std::uint32_t exported_units() const { return exported_units_; }

    /// Mapping units of the data area, which are also the places.
    [[nodiscard]] std::uint64_t units() const {
        return std::uint64_t{pus_} * superblocks_ * units_per_superblock();
    }
    [[nodiscard]] bool is_place(Ppa entry) const { return entry.value < units(); }
    [[nodiscard]] Ppa ppa(const SuperpageAddress& at, std::uint32_t slot) const {
        return Ppa{((at.pu.value * superblocks_ + at.superblock.value) * pages() + at.page) *
                       units_per_superpage_ +
                   slot};
    }
    [[nodiscard]] SuperpageAddress superpage_of(Ppa ppa) const {
        const std::uint32_t superpage = by_superpage_.quotient(ppa.value);
        const std::uint32_t superblock = by_pages_.quotient(superpage);
        const std::uint32_t pu = by_superblocks_.quotient(superblock);
        return SuperpageAddress{Pu{pu}, Superblock{superblock - pu * superblocks_},
                                superpage - superblock * pages()};
    }
    [[nodiscard]] std::uint32_t slot_of(Ppa ppa) const { return by_superpage_.remainder(ppa.value); }
    /// Row of a superpage that a slot lies in.
    [[nodiscard]] std::uint32_t row_of(std::uint32_t slot) const {
        return rows() == 1 ? 0 : slot / units_per_row_;
    }
    /// The page of a superpage that a slot lies on (the plane, if the superpage has one row), and which of
    /// that page's units it is.
    [[nodiscard]] std::uint32_t page_of(std::uint32_t slot) const { return by_page_.quotient(slot); }
    [[nodiscard]] std::uint32_t page_of_row(std::uint32_t row, std::uint32_t plane) const {
        return row * planes_per_pu_ + plane;
    }
    [[nodiscard]] std::uint32_t unit_in_page(std::uint32_t slot) const { return by_page_.remainder(slot); }
    /// pu * superblocks + superblock of the unit.
    [[nodiscard]] std::uint32_t superblock_index(Ppa ppa) const { return by_superblock_.quotient(ppa.value); }
    [[nodiscard]] Pu pu_of(Ppa ppa) const { return Pu{by_superblocks_.quotient(superblock_index(ppa))}; }

    /// The NAND page number `page` (0 ... shape(slc).pages - 1) of a superpage in this mode.
    [[nodiscard]] FlashAddress address(const SuperpageAddress& at, std::uint32_t page,
                                       bool slc = false) const {
        const std::uint32_t rows = shape(slc).rows;
        if (rows == 1) {
            return nand_page(at.pu, at.superblock, page, at.page);
        }
        return nand_page(at.pu, at.superblock, page % planes_per_pu_, at.page * rows + page / planes_per_pu_);
    }
    /// NAND page `page` of a block of a superblock: the one on plane `plane` (0 ... planes_per_pu - 1) of its
    /// parallel unit.
    [[nodiscard]] FlashAddress nand_page(Pu pu, Superblock superblock, std::uint32_t plane,
                                         std::uint32_t page) const {
        const Target& target = targets_[pu.value];
        std::uint32_t block = superblock.value;
        if (!good_.empty()) {
            block = good_[pu.value * planes_per_pu_ + plane][block];
        }
        return FlashAddress{target.channel, target.die,
                            hal::Plane{static_cast<std::uint8_t>(target.first_plane.value + plane)},
                            hal::Block{block}, hal::Page{page}};
    }
    [[nodiscard]] hal::Channel channel_of(Pu pu) const { return targets_[pu.value].channel; }
    [[nodiscard]] Die die_of(Pu pu) const { return targets_[pu.value].die; }

    /// The parallel unit at a position of the stripe (the allocation order; its first letter varies fastest).
    [[nodiscard]] Pu stripe(std::uint64_t position) const {
        return stripe_[static_cast<std::size_t>(position < pus_ ? position : position % pus_)];
    }
    /// The position of a parallel unit in the stripe.
    [[nodiscard]] std::uint32_t stripe_position(Pu pu) const { return position_[pu.value]; }
    /// Static allocation: the parallel unit that the address determines.
    [[nodiscard]] Pu home_of(Lpn lpn) const;

  private:
    struct Target {
        hal::Channel channel;
        Die die;
        hal::Plane first_plane;
    };
    [[nodiscard]] const FlashPlan::Share* share_of(const FlashArea& area) const;
    /// Blocks per plane of the die that it lies on, with bad ones.
    [[nodiscard]] std::uint32_t blocks(Pu pu) const;
    void find_good_blocks(const hal::FactoryMarks* flash);
    /// Good blocks by plane slot, as many as the die has.
    [[nodiscard]] std::vector<std::uint32_t> good_blocks(std::uint32_t slot,
                                                         const hal::FactoryMarks* flash) const;
    /// 0 where the areas take them all: does not fit, and is refused.
    [[nodiscard]] std::uint32_t data_superblocks(std::uint32_t good) const;

    FirmwareConfig config_;
    std::uint32_t planes_per_pu_;
    std::uint32_t pus_;
    FlashPlan plan_;
    std::uint32_t superblocks_;
    std::uint32_t pages_;
    std::uint32_t units_per_page_;
    std::uint32_t units_per_row_;
    std::uint32_t units_per_superpage_;
    std::array<SuperpageShape, 2> shapes_;  // in normal mode, in SLC mode
    std::uint32_t exported_units_;
    Divider by_page_;
    Divider by_superpage_;
    Divider by_superblock_;
    Divider by_pages_;
    Divider by_superblocks_;
    std::vector<Target> targets_;          // by Pu
    std::vector<std::uint32_t> missing_;   // by Pu: superblocks that the largest one has in addition
    std::vector<Pu> stripe_;               // by stripe position
    std::vector<std::uint32_t> position_;  // stripe position by Pu
    std::vector<std::vector<std::uint32_t>>
        good_;  // blocks by pu * planes + plane slot, then by superblock; empty: all good, and dies equal
};

}  // namespace solidtlm::fw
