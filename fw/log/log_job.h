// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "fw/log/recovery_log.h"

namespace solidtlm::fw {

/// A page that is being read from flash or written to it.
struct RecoveryLog::Job {
    hal::FlashOp op;
    hal::FlashPiece piece;
    std::array<std::byte, hal::kMaxSpareBytes> spare{};
    DramAddress buffer;
};

}  // namespace solidtlm::fw
