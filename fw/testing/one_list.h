// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/buffer/write_buffer.h"
#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {

/// All dirty slots of the write buffer in one list.
class OneList : public DestageOrder {
  public:
    [[nodiscard]] std::uint32_t lists() const override { return 1; }
    [[nodiscard]] std::uint32_t list_of(Lpn /*lpn*/, bool /*past_cache*/) const override { return 0; }
};

}  // namespace solidtlm::fw::testing
