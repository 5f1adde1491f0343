// SPDX-License-Identifier: Apache-2.0
//
// What every part of the firmware needs: configuration, executor, hardware, layout. Outlives all of them.
#pragma once

#include "fw/drive/config.h"
#include "fw/drive/layout.h"
#include "fw/hal/dram.h"
#include "fw/hal/flash.h"
#include "fw/hal/hash.h"
#include "fw/hal/page_store.h"
#include "fw/hal/probe.h"
#include "fw/runtime/executor.h"

namespace solidtlm::fw {

class HostActivity;

struct Environment {
    const FirmwareConfig& config;
    Executor& executor;
    hal::Flash* flash;  ///< never null; another one after Firmware::move_to()
    hal::Dram* dram;    ///< likewise
    const MediaLayout& layout;
    hal::Probe* probe = nullptr;       ///< null: nobody watches
    hal::PageStore* pages = nullptr;   ///< null only where there is no recovery log
    hal::Hash* hash = nullptr;         ///< null only where nothing is deduplicated
    HostActivity* activity = nullptr;  ///< null only without a host
};

}  // namespace solidtlm::fw
