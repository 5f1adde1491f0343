// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "fw/flash/needs.h"
#include "fw/needs.h"
#include "testbench/studies/kit/flash_cost.h"
#include "testbench/studies/slc_cache/slc_cache.h"

namespace solidtlm::testbench::slc_cache {
namespace {

constexpr double kPsPerUs = 1e6;

/// What a superpage costs if each of its pages on all planes costs this.
FlashCost of_superpage(const platform::Configuration& configuration, const FlashCost& page) {
    const double pages = configuration.firmware.flash.pages_per_program;
    return {pages * page.bus_us, pages * page.die_us, pages * page.foreign_us};
}

FlashCost sum(const FlashCost& first, const FlashCost& second) {
    return {first.bus_us + second.bus_us, first.die_us + second.die_us};
}

/// Moving a superpage out of the cache: through the controller, or inside the die after a look at its
/// metadata.
FlashCost move_cost(const platform::Configuration& configuration, std::uint32_t planes) {
    if (configuration.firmware.slc_cache.copy_back) {
        return sum(metadata_read_cost(configuration, planes, true),
                   copy_out_of_slc_cost(configuration, planes));
    }
    const FlashCost read = read_cost(configuration, planes, configuration.nand.geometry.page_bytes, true);
    return sum(of_superpage(configuration, read), program_cost(configuration, planes));
}

/// Superblocks per parallel unit that the cache has on a new drive.
std::uint32_t cache_superblocks(const fw::FirmwareConfig& firmware) {
    const fw::MediaLayout layout = fw::media_layout(firmware);
    const std::uint32_t fixed = fw::slc_superblocks(firmware);
    const std::uint32_t free = layout.superblocks() - fixed - firmware.kept_superblocks();
    const auto share = static_cast<std::uint32_t>(std::floor(firmware.slc_cache.share * free));
    return fixed + std::min(fw::most_dynamic_superblocks(firmware), share);
}

}  // namespace

double Bounds::before_mb_per_s() const {
    if (slc_mb_per_s >= link_mb_per_s) {
        return link_mb_per_s;
    }
    const double cliff = cliff_bytes();
    return slc_mb_per_s * cliff / (cliff - buffer_bytes);
}

double Bounds::after_mb_per_s() const {
    return std::min(link_mb_per_s, folds_at_once ? through_mb_per_s : normal_mb_per_s);
}

double Bounds::cliff_bytes() const {
    const double after = after_mb_per_s();
    const bool falls = slc_mb_per_s < link_mb_per_s || after < link_mb_per_s;
    return fast_bytes +
           (falls ? buffered_bytes(buffer_bytes, slc_mb_per_s, {fast_bytes, link_mb_per_s, after}) : 0.0);
}

Bounds bounds_of(const platform::Configuration& configuration) {
    const fw::FirmwareConfig& firmware = configuration.firmware;
    const hw::NandGeometry& geometry = configuration.nand.geometry;
    const std::uint32_t planes = planes_of(configuration);
    const double units = static_cast<double>(geometry.total_dies()) * geometry.planes / planes;
    const double superpage = superpage_bytes(configuration);
    const double rows = firmware.flash.pages_per_program;  // of a superpage; one of them in SLC mode
    const double cache_pages = firmware.flash.slc_pages;

    const FlashCost into_cache = of_superpage(configuration, program_cost(configuration, planes, true));
    const FlashCost past = program_cost(configuration, planes);
    const double erase_us =
        static_cast<double>(configuration.nand.timing.erase.count()) / kPsPerUs / cache_pages * rows;
    const FlashCost moved = move_cost(configuration, planes);
    const FlashCost fold{moved.bus_us, moved.die_us + erase_us};
    const FlashCost through = sum(into_cache, fold);
    const auto rate = [&](const FlashCost& cost) { return bound_mb_per_s(configuration, cost, superpage); };
    Bounds bounds;
    bounds.link_mb_per_s =
        bound_mb_per_s(1.0, kRequestBytes, link_us(configuration, Operation::write, kRequestBytes));
    bounds.slc_mb_per_s = slc_program_mb_per_s(configuration);
    bounds.normal_mb_per_s = rate(past);
    bounds.fold_mb_per_s = rate(fold);
    bounds.through_mb_per_s = rate(through);
    const double row = units * cache_pages * superpage / rows;  // one superblock per parallel unit
    const std::uint32_t kept_free = firmware.slc_cache.kept_free();
    bounds.cache_bytes = cache_superblocks(firmware) * row;
    bounds.fast_bytes = bounds.cache_bytes - kept_free * row;
    bounds.folds_at_once = kept_free > 0;
    bounds.buffer_bytes = static_cast<double>(firmware.write_buffer.size_bytes);
    return bounds;
}

}  // namespace solidtlm::testbench::slc_cache
