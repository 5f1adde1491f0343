// SPDX-License-Identifier: Apache-2.0
//
// Many pieces of work for few coroutines. Each takes the next piece after its last one has ended, in the
// order in which they end.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fw/hal/check.h"
#include "fw/runtime/join.h"

namespace solidtlm::fw {
namespace detail {

template <class Piece>
Task<void> take_turns(Executor& executor, Piece& piece, std::uint32_t index, std::uint32_t& next,
                      std::uint32_t count, Join& join) {
    while (index < count) {
        co_await piece(index);
        index = next++;
        if (index < count) {
            co_await executor.yield(nullptr);  // what is ready goes first
        }
    }
    join.done();
}

}  // namespace detail

/// Awaits `piece`(i), which returns a Task<void>, for each i below `count`, at most `most` at once, which
/// begin in order. `name` describes the coroutines, for reports. REQUIRES: most > 0.
template <class Piece>
Task<void> share_out(Executor& executor, const char* name, std::uint32_t count, std::uint32_t most,
                     Piece piece) {
    SOLIDTLM_CHECK(most > 0, "a coroutine carries the pieces out");
    Join join(executor, name);
    const std::uint32_t coroutines = std::min(count, most);
    std::uint32_t next = coroutines;
    join.add(coroutines);
    for (std::uint32_t index = 0; index < coroutines; ++index) {
        executor.spawn(detail::take_turns(executor, piece, index, next, count, join));
    }
    co_await join.wait();
}

}  // namespace solidtlm::fw
