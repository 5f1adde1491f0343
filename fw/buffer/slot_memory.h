// SPDX-License-Identifier: Apache-2.0
//
// The data of the write buffer's slots in DRAM.
#pragma once

#include <bit>
#include <cstring>

#include "fw/buffer/slot.h"
#include "fw/drive/services.h"

namespace solidtlm::fw {

using hal::DramAddress;

class SlotMemory {
  public:
    SlotMemory(Services& services, DramAddress base)
        : services_(services),
          base_(base),
          full_mask_(services.layout.sectors_per_unit() == 64
                         ? ~SectorMask{0}
                         : (SectorMask{1} << services.layout.sectors_per_unit()) - 1) {}

    /// A mask of all sectors of a unit.
    [[nodiscard]] SectorMask full_mask() const { return full_mask_; }
    [[nodiscard]] DramAddress address(Slot slot) const {
        return DramAddress{base_.value + std::uint64_t{slot.value} * services_.layout.unit_bytes()};
    }
    /// Copies the model's content only; charge_copy() charges the cost.
    void copy(Slot from, Slot to, SectorMask sectors) const {
        const std::size_t stride = hal::content_stride(services_.config.content);
        if (stride == 0 || sectors == 0) {
            return;
        }
        const std::byte* source = services_.dram->content(address(from));
        std::byte* target = services_.dram->content(address(to));
        for (SectorMask rest = sectors; rest != 0; rest &= rest - 1) {
            const auto offset = static_cast<std::size_t>(std::countr_zero(rest)) * stride;
            std::memcpy(target + offset, source + offset, stride);
        }
    }
    /// Charges the core for copying sectors from an older slot. Part of the caller's next spend().
    void charge_copy(Slot slot, std::uint32_t sectors) const {
        if (sectors == 0) {
            return;
        }
        Executor& executor = services_.executor;
        for (const bool write : {false, true}) {
            executor.add_access(services_.dram->core_access(address(slot), sectors * hal::kSectorBytes, write,
                                                            executor.pending_stall()));
        }
    }

  private:
    Services& services_;
    DramAddress base_;
    SectorMask full_mask_;
};

}  // namespace solidtlm::fw
