// SPDX-License-Identifier: Apache-2.0
#include "fw/drive/layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fw/hal/check.h"

namespace solidtlm::fw {
namespace {

/// Digits of a stripe position: one per letter, first letter fastest.
struct StripePlace {
    std::uint32_t channel = 0;
    std::uint32_t way = 0;
    std::uint32_t die_in_way = 0;
    std::uint32_t plane = 0;
};

StripePlace place_at(const FirmwareConfig& config, std::uint32_t planes, std::uint32_t position) {
    const FlashLayout& flash = config.flash;
    StripePlace place;
    for (const char letter : config.allocation.order) {
        std::uint32_t radix = 1;
        std::uint32_t* digit = nullptr;
        switch (letter) {
            case 'C':
                radix = flash.channels;
                digit = &place.channel;
                break;
            case 'W':
                radix = flash.dies / flash.dies_per_way;
                digit = &place.way;
                break;
            case 'D':
                radix = flash.dies_per_way;
                digit = &place.die_in_way;
                break;
            default:
                radix = planes;
                digit = &place.plane;
                break;
        }
        *digit = position % radix;
        position /= radix;
    }
    return place;
}

constexpr std::uint32_t kNoBlock = 0xFFFF'FFFF;  // an address that no die has

}  // namespace

MediaLayout::MediaLayout(const FirmwareConfig& config, FlashPlan plan)
    : config_(config),
      planes_per_pu_(planes_per_parallel_unit(config.allocation.order, config.flash.planes)),
      pus_(config.flash.total_planes() / planes_per_pu_),
      plan_(std::move(plan)),
      superblocks_(data_superblocks(config.flash.blocks)),
      pages_(config.flash.superpages()),
      units_per_page_(config.flash.page_bytes / config.unit_bytes),
      units_per_row_(units_per_page_ * planes_per_pu_),
      units_per_superpage_(units_per_row_ * config.flash.pages_per_program),
      shapes_{SuperpageShape{config.flash.pages_per_program, planes_per_pu_ * config.flash.pages_per_program,
                             units_per_superpage_},
              SuperpageShape{1, planes_per_pu_, units_per_row_}},
      exported_units_(static_cast<std::uint32_t>(config.exported_units())),
      by_page_(units_per_page_),
      by_superpage_(units_per_superpage_),
      by_superblock_(units_per_superpage_ * pages_),
      by_pages_(pages_),
      by_superblocks_(std::max(1U, superblocks_)) {
    const FlashLayout& flash = config_.flash;
    const std::uint32_t pus_per_die = flash.planes / planes_per_pu_;
    const std::uint32_t places = flash.die_places() * pus_per_die;
    std::vector<Pu> numbers(places);  // parallel units by place; those of dies that exist count
    for (std::uint32_t place = 0; place < places; ++place) {
        const std::uint32_t die = place / pus_per_die;
        const std::uint32_t blocks = flash.blocks_of(die);
        if (blocks > 0) {
            numbers[place] = Pu{static_cast<std::uint32_t>(targets_.size())};
            targets_.push_back(Target{hal::Channel{static_cast<std::uint16_t>(die / flash.dies)},
                                      Die{static_cast<std::uint16_t>(die % flash.dies)},
                                      hal::Plane{static_cast<std::uint8_t>(place % pus_per_die)}});
            missing_.push_back(superblocks_ - data_superblocks(blocks));
        }
    }
    position_.resize(pus_);
    for (std::uint32_t position = 0; position < places; ++position) {
        const StripePlace place = place_at(config_, pus_per_die, position);
        const std::uint32_t die =
            place.channel * flash.dies + place.way * flash.dies_per_way + place.die_in_way;
        if (flash.blocks_of(die) > 0) {
            const Pu pu = numbers[die * pus_per_die + place.plane];
            position_[pu.value] = static_cast<std::uint32_t>(stripe_.size());
            stripe_.push_back(pu);
        }
    }
    if (!flash.die_blocks.empty()) {
        find_good_blocks(nullptr);
    }
}

MediaLayout::MediaLayout(const FirmwareConfig& config, FlashPlan plan, const hal::FactoryMarks& flash)
    : MediaLayout(config, std::move(plan)) {
    if (!flash.all_good()) {
        good_.clear();
        find_good_blocks(&flash);
    }
}

std::vector<std::uint32_t> MediaLayout::good_blocks(std::uint32_t slot,
                                                    const hal::FactoryMarks* flash) const {
    SuperpageAddress at{Pu{slot / planes_per_pu_}, Superblock{0}, 0};
    const auto bad = [&](std::uint32_t plane) { return flash->factory_bad(address(at, plane)); };
    const auto bad_anywhere = [&] {
        bool any = false;
        for (std::uint32_t plane = 0; plane < planes_per_pu_; ++plane) {
            any = any || bad(plane);
        }
        return any;
    };
    std::vector<std::uint32_t> good;
    for (std::uint32_t block = 0; block < blocks(at.pu); ++block) {
        at.superblock = Superblock{block};
        const bool left_out =
            flash != nullptr && (config_.flash.same_block ? bad_anywhere() : bad(slot % planes_per_pu_));
        if (!left_out) {
            good.push_back(block);
        }
    }
    return good;
}

/// As many blocks are left out of each die as the plane loses that has the most bad ones, so that equal dies
/// have equally many superblocks. REQUIRES: good_ is empty.
void MediaLayout::find_good_blocks(const hal::FactoryMarks* flash) {
    const std::uint32_t planes = pus_ * planes_per_pu_;
    std::vector<std::vector<std::uint32_t>> good(planes);
    std::uint32_t lost = 0;
    for (std::uint32_t slot = 0; slot < planes; ++slot) {
        good[slot] = good_blocks(slot, flash);
        lost =
            std::max(lost, blocks(Pu{slot / planes_per_pu_}) - static_cast<std::uint32_t>(good[slot].size()));
    }
    if (lost == 0 && config_.flash.die_blocks.empty()) {
        return;
    }
    superblocks_ = data_superblocks(config_.flash.blocks - lost);
    by_superblocks_ = Divider(std::max(1U, superblocks_));
    for (std::uint32_t slot = 0; slot < planes; ++slot) {
        // The areas follow superblocks().
        const std::uint32_t pu = slot / planes_per_pu_;
        const std::uint32_t all = blocks(Pu{pu});
        const std::uint32_t data = data_superblocks(all > lost ? all - lost : 0);
        missing_[pu] = superblocks_ - data;
        good[slot].insert(good[slot].begin() + std::min<std::ptrdiff_t>(data, std::ssize(good[slot])),
                          missing_[pu], kNoBlock);
    }
    good_ = std::move(good);
}

std::uint32_t MediaLayout::blocks(Pu pu) const {
    const Target& target = targets_[pu.value];
    return config_.flash.blocks_of(target.channel.value * config_.flash.dies + target.die.value);
}

std::uint64_t MediaLayout::total_superblocks() const {
    return std::uint64_t{pus_} * superblocks_ -
           std::accumulate(missing_.begin(), missing_.end(), std::uint64_t{0});
}

std::uint32_t MediaLayout::superblocks(const FlashArea& area) const {
    return share_of(area)->superblocks;
}

Superblock MediaLayout::first(const FlashArea& area) const {
    return Superblock{std::accumulate(
        plan_.areas.data(), share_of(area), superblocks_,
        [](std::uint32_t sum, const FlashPlan::Share& share) { return sum + share.superblocks; })};
}

const FlashPlan::Share* MediaLayout::share_of(const FlashArea& area) const {
    const auto share = std::ranges::find(plan_.areas, &area, &FlashPlan::Share::area);
    SOLIDTLM_CHECK(share != plan_.areas.end(), "the plan has the area");
    return &*share;
}

std::uint32_t MediaLayout::good_superblocks() const {
    return superblocks_ + plan_.set_aside();
}

std::uint32_t MediaLayout::data_superblocks(std::uint32_t good) const {
    const std::uint32_t aside = plan_.set_aside();
    return good > aside ? good - aside : 0;
}

Pu MediaLayout::home_of(Lpn lpn) const {
    const std::uint32_t chunk =
        config_.allocation.striping == StripingMode::full ? units_per_superpage_ : units_per_superblock();
    return stripe(lpn.value / chunk);
}

}  // namespace solidtlm::fw
