// SPDX-License-Identifier: Apache-2.0
//
// Which superblocks hold one bit in a cell, for those who need not know why. In the data area it is the SLC
// cache that puts them into that mode.
#pragma once

#include "fw/drive/config.h"

namespace solidtlm::fw {

/// Some superblocks of the data area are in SLC mode, for a time or always.
[[nodiscard]] inline bool data_has_modes(const FirmwareConfig& config) {
    return config.slc_cache.any();
}
/// A superblock of the data area may be in another mode after each erase, and no record says in which it is.
[[nodiscard]] inline bool modes_change(const FirmwareConfig& config) {
    return config.slc_cache.has_dynamic();
}
/// Some blocks are in SLC mode: of the data area, or of map area and recovery log.
[[nodiscard]] inline bool has_slc_blocks(const FirmwareConfig& config) {
    return data_has_modes(config) || config.flash.slc_areas();
}
/// Whole superpages that are moved out of superblocks in this mode are copied inside the die.
[[nodiscard]] inline bool copies_back(const FirmwareConfig& config, bool slc) {
    return slc ? config.slc_cache.copy_back : config.gc.copy_back;
}

}  // namespace solidtlm::fw
