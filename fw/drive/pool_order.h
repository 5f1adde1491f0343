// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

template <class Member>
Member* pointer_to(std::unique_ptr<Member>& member) {
    return member.get();
}
template <class Member>
Member* pointer_to(Member& member) {
    return &member;
}

/// Saves or loads the order in which the members of a pool are taken next. The order matters because each
/// member has its own DRAM addresses. REQUIRES: all members of `pool` are free.
template <class Pool, class Member>
void serialize_order(hal::StateArchive& archive, Pool& pool, std::vector<Member*>& free) {
    SOLIDTLM_CHECK(free.size() == pool.size(), "all members of the pool are free");
    std::vector<std::uint32_t> order(free.size());
    for (std::uint32_t i = 0; i < pool.size(); ++i) {
        order[static_cast<std::size_t>(std::ranges::find(free, pointer_to(pool[i])) - free.begin())] = i;
    }
    archive(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] >= pool.size()) {
            throw hal::StateError();
        }
        free[i] = pointer_to(pool[order[i]]);
    }
}

}  // namespace solidtlm::fw
