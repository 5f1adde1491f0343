// SPDX-License-Identifier: Apache-2.0
//
// How many bits the cells of a superblock hold, as the flash array says.
#pragma once

#include "fw/drive/layout.h"
#include "platform/ssd.h"

namespace solidtlm::testbench {

/// The superblock at `at` is in SLC mode.
inline bool in_slc_mode(const platform::Ssd& ssd, const fw::SuperpageAddress& at) {
    const fw::Firmware& firmware = ssd.firmware();
    const hal::FlashAddress block = firmware.physical(firmware.layout().address(at, 0));
    return ssd.channel(block.channel.value).array(block.die).in_slc_mode(block);
}

}  // namespace solidtlm::testbench
