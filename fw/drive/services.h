// SPDX-License-Identifier: Apache-2.0
//
// Configuration, executor, hardware and layout, for every part of the firmware. Outlives all of them.
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

class Alarms;
class BackupFlash;
class HostActivity;
class SuperblockTable;

/// Wants to know which pages are getting hard to read.
class ReadHealth {
  public:
    virtual ~ReadHealth() = default;
    /// The read of `at` took retries, or enough corrections that its data should move.
    virtual void weak(const SuperpageAddress& at) = 0;
};

struct Services {
    const FirmwareConfig& config;
    Executor& executor;
    hal::Flash* flash;  ///< never null; another one after Firmware::move_to()
    hal::Dram* dram;    ///< never null; another one after Firmware::move_to()
    const MediaLayout& layout;
    hal::Probe* probe = nullptr;             ///< null: nothing is recorded
    hal::PageStore* pages = nullptr;         ///< null only where there is no recovery log
    hal::Hash* hash = nullptr;               ///< null only where nothing is deduplicated
    HostActivity* activity = nullptr;        ///< null only without a host
    Alarms* alarms = nullptr;                ///< null only without a host
    ReadHealth* health = nullptr;            ///< null: data that is hard to read is not moved
    const SuperblockTable* modes = nullptr;  ///< null: no superblock is in SLC mode
    BackupFlash* backup = nullptr;           ///< null: lower pages are not copied

    /// Tells the probe what happens now.
    void decided(hal::Decision decision) const {
        if (probe != nullptr) {
            decision.at = executor.now();
            probe->decided(decision);
        }
    }
};

/// `op` has read pages of the superpage `at`: reports the superpage if its data should move. A lost page is
/// not reported: moving its neighbours would not bring it back, and would keep one more superblock from being
/// erased.
inline void tell_if_weak(const Services& services, const hal::FlashOp& op, const SuperpageAddress& at) {
    if (services.health == nullptr || op.status == hal::FlashStatus::uncorrectable) {
        return;
    }
    if (op.retries != 0 || op.corrected_bits >= services.config.reliability.reclaim_bits) {
        services.health->weak(at);
    }
}

}  // namespace solidtlm::fw
