// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/plane_operations.h"

#include <algorithm>

#include "fw/hal/check.h"

namespace solidtlm::hw {

using hal::FlashOp;
using hal::FlashStatus;

void PlaneOperations::refuse(FlashOp& op) {
    std::fill_n(op.plane_status.begin(), op.slots(), FlashStatus::rule_violation);
    op.status = FlashStatus::rule_violation;
}

bool PlaneOperations::refuse_planes(FlashOp& op, bool ignore_page) {
    if (array_.breaks_plane_rules({op.address.data(), op.planes}, ignore_page)) {
        refuse(op);
        return true;
    }
    return false;
}

bool PlaneOperations::refuse_word_line(FlashOp& op) {
    if (array_.breaks_word_line_rules({op.address.data(), op.slots()}, op.planes, op.slc)) {
        refuse(op);
        return true;
    }
    return false;
}

bool PlaneOperations::erase(FlashOp& op) {
    if (refuse_planes(op, true)) {
        return false;
    }
    for (std::size_t slot = 0; slot < op.planes; ++slot) {
        op.plane_status[slot] = array_.erase(op.address[slot]);
    }
    op.status = combined_status(op);
    return true;
}

bool PlaneOperations::check_copy_back(FlashOp& op) {
    bool refused = array_.breaks_plane_rules({op.source.data(), op.planes}, false) || refuse_word_line(op);
    for (std::size_t slot = 0; slot < op.planes && !refused; ++slot) {
        refused = array_.breaks_copy_rules(op.source[slot], op.address[slot]);
    }
    if (refused) {
        refuse(op);
    } else {
        std::fill_n(op.plane_status.begin(), op.planes, FlashStatus::ok);
        op.status = FlashStatus::ok;
    }
    return !refused;
}

bool PlaneOperations::copy_back(FlashOp& op) {
    const ProgramSlice whole{0, array_.geometry().page_bytes, nullptr};
    for (std::size_t slot = 0; slot < op.planes; ++slot) {
        SOLIDTLM_CHECK(!array_.breaks_copy_rules(op.source[slot], op.address[slot]),
                       "check_copy_back() has allowed the copy");
        if (array_.breaks_program_rules(op.address[slot], {&whole, 1}, op.slc)) {
            refuse(op);
            return false;
        }
    }
    for (std::size_t slot = 0; slot < op.planes; ++slot) {
        op.plane_status[slot] =
            array_.copy_back(op.source[slot], op.address[slot], spare_of(op, slot), op.slc, op.source_slc);
    }
    op.status = combined_status(op);
    return true;
}

}  // namespace solidtlm::hw
