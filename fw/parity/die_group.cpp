// SPDX-License-Identifier: Apache-2.0
#include "fw/parity/die_group.h"

#include "fw/hal/check.h"

namespace solidtlm::fw {

bool can_group(const FlashLayout& flash, std::uint32_t dies) {
    return dies >= 2 && flash.channels % dies == 0 &&
           std::size_t{flash.planes} * (dies - 1) <= hal::kMaxPlanesPerOp;
}

FlashLayout grouped(FlashLayout flash, std::uint32_t dies) {
    SOLIDTLM_CHECK(can_group(flash, dies), "the dies can be put into groups");
    flash.channels /= dies;
    flash.planes *= dies - 1;
    flash.same_block = true;
    flash.die_blocks.clear();  // dies that differ are refused
    return flash;
}

FlashLayout physical_layout(const FirmwareConfig& config) {
    FlashLayout flash = config.flash;
    if (config.reliability.parity()) {
        flash.channels *= config.reliability.parity_dies;
        flash.planes /= config.reliability.parity_dies - 1;
        flash.same_block = false;
    }
    return flash;
}

DieGroup::DieGroup(const FirmwareConfig& config)
    : dies_(config.reliability.parity_dies), planes_(physical_layout(config).planes) {
    SOLIDTLM_CHECK(config.reliability.parity(), "parity is configured");
}

hal::FlashAddress DieGroup::on_die(const hal::FlashAddress& seen, std::uint32_t die) const {
    hal::FlashAddress at = seen;
    at.channel.value = static_cast<std::uint16_t>(seen.channel.value * dies_ + die);
    at.plane.value = static_cast<std::uint8_t>(seen.plane.value % planes_);
    return at;
}

bool GroupMarks::factory_bad(const hal::FlashAddress& block) const {
    return flash_->factory_bad(group_.place_of(block)) ||
           flash_->factory_bad(group_.on_die(block, group_.parity_die(block.block)));
}

}  // namespace solidtlm::fw
