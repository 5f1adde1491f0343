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

}  // namespace

MediaLayout::MediaLayout(const FirmwareConfig& config, FlashPlan plan)
    : config_(config),
      planes_per_pu_(planes_per_parallel_unit(config.allocation.order, config.flash.planes)),
      pus_(config.flash.channels * config.flash.dies * config.flash.planes / planes_per_pu_),
      plan_(std::move(plan)),
      superblocks_(data_superblocks(config.flash.blocks)),
      pages_(config.flash.pages / config.flash.pages_per_program),
      units_per_page_(config.flash.page_bytes / config.unit_bytes),
      units_per_row_(units_per_page_ * planes_per_pu_),
      units_per_superpage_(units_per_row_ * config.flash.pages_per_program),
      exported_units_(static_cast<std::uint32_t>(config.exported_units())),
      by_page_(units_per_page_),
      by_superpage_(units_per_superpage_),
      by_superblock_(units_per_superpage_ * pages_),
      by_pages_(pages_),
      by_superblocks_(std::max(1U, superblocks_)) {
    const FlashLayout& flash = config_.flash;
    const std::uint32_t pus_per_die = flash.planes / planes_per_pu_;
    for (std::uint32_t pu = 0; pu < pus_; ++pu) {
        const std::uint32_t die = pu / pus_per_die;
        targets_.push_back(Target{hal::Channel{static_cast<std::uint16_t>(die / flash.dies)},
                                  Die{static_cast<std::uint16_t>(die % flash.dies)},
                                  hal::Plane{static_cast<std::uint8_t>(pu % pus_per_die)}});
    }
    position_.resize(pus_);
    for (std::uint32_t position = 0; position < pus_; ++position) {
        const StripePlace place = place_at(config_, pus_per_die, position);
        const std::uint32_t die =
            place.channel * flash.dies + place.way * flash.dies_per_way + place.die_in_way;
        stripe_.push_back(Pu{die * pus_per_die + place.plane});
        position_[stripe_.back().value] = position;
    }
}

MediaLayout::MediaLayout(const FirmwareConfig& config, FlashPlan plan, const hal::FactoryMarks& flash)
    : MediaLayout(config, std::move(plan)) {
    find_good_blocks(flash);
}

void MediaLayout::find_good_blocks(const hal::FactoryMarks& flash) {
    if (flash.all_good()) {
        return;
    }
    const std::uint32_t planes = pus_ * planes_per_pu_;
    std::vector<std::vector<std::uint32_t>> good(planes);
    bool any_bad = false;
    const auto bad = [&](const SuperpageAddress& at, std::uint32_t plane) {
        if (!config_.flash.same_block) {
            return flash.factory_bad(address(at, plane));
        }
        bool any = false;
        for (std::uint32_t each = 0; each < planes_per_pu_; ++each) {
            any = any || flash.factory_bad(address(at, each));
        }
        return any;
    };
    for (std::uint32_t index = 0; index < planes; ++index) {
        SuperpageAddress at{Pu{index / planes_per_pu_}, Superblock{0}, 0};
        for (std::uint32_t block = 0; block < config_.flash.blocks; ++block) {
            at.superblock = Superblock{block};
            if (bad(at, index % planes_per_pu_)) {
                any_bad = true;
            } else {
                good[index].push_back(block);
            }
        }
    }
    if (!any_bad) {
        return;
    }
    std::uint32_t fewest = config_.flash.blocks;
    for (const auto& blocks : good) {
        fewest = std::min(fewest, static_cast<std::uint32_t>(blocks.size()));
    }
    superblocks_ = data_superblocks(fewest);
    by_superblocks_ = Divider(std::max(1U, superblocks_));
    good_ = std::move(good);
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
