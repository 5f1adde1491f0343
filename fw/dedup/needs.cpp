// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/needs.h"

#include "fw/drive/layout.h"

namespace solidtlm::fw {
namespace {

constexpr std::string_view kWhat = "deduplication";
constexpr std::string_view kSystem = "firmware.dedup.system";

std::uint64_t shared_bytes(const FirmwareConfig& config, const MediaLayout& /*layout*/) {
    return config.dedup.any() ? config.dedup.shared_bytes : 0;
}

std::uint64_t table_bytes(const FirmwareConfig& config, const MediaLayout& /*layout*/) {
    return config.dedup.any() ? config.dedup.table_bytes : 0;
}

std::uint64_t mark_bytes(const FirmwareConfig& config, const MediaLayout& layout) {
    return config.dedup.system.traits.marks ? (layout.units() + 7) / 8 : 0;
}

std::uint64_t compared_bytes(const FirmwareConfig& config, const MediaLayout& /*layout*/) {
    return config.dedup.any() ? std::uint64_t{2} * config.unit_bytes : 0;
}

}  // namespace

constexpr DramRegion kSharedPages{kWhat, {"firmware.dedup.shared_size", kSystem}, shared_bytes};
constexpr DramRegion kDedupTable{kWhat, {"firmware.dedup.table_size", kSystem}, table_bytes};
constexpr DramRegion kUncheckedMarks{kWhat, {kSystem}, mark_bytes};
constexpr DramRegion kComparedUnits{kWhat, {kSystem}, compared_bytes};

}  // namespace solidtlm::fw
