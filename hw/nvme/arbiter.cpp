// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/arbiter.h"

#include <algorithm>
#include <bit>

#include "fw/hal/check.h"

namespace solidtlm::hw::nvme {

std::optional<std::uint32_t> Arbiter::turn(const Queues& queues, std::optional<Priority> only) {
    std::uint32_t& last = last_.at(static_cast<std::size_t>(only.value_or(Priority::urgent)));
    const std::uint64_t after_last = last < 64 ? ~std::uint64_t{0} << last : 0;
    for (std::uint64_t rest : {queues.io_queues() & after_last, queues.io_queues() & ~after_last}) {
        for (; rest != 0; rest &= rest - 1) {
            const auto id = static_cast<std::uint32_t>(std::countr_zero(rest)) + 1;
            const SubmissionQueue& queue = queues.submission[id];
            if (queue.waiting() > 0 && (!only || queue.priority == *only)) {
                last = id;
                return id;
            }
        }
    }
    return std::nullopt;
}

std::optional<Arbiter::Grant> Arbiter::next(const Queues& queues, bool weighted, Word settings,
                                            std::uint32_t most) {
    SOLIDTLM_CHECK(most > 0, "a command may be fetched");
    const Word burst = settings & kNoLimit;
    std::uint32_t limit = burst == kNoLimit ? most : std::min(most, 1U << burst);
    const auto granted = [&](std::uint32_t id) {
        const SubmissionQueue& queue = queues.submission[id];
        return Grant{id, std::min({limit, queue.waiting(), queue.size - queue.head})};
    };
    if (queues.submission[0].waiting() > 0) {
        return granted(0);
    }
    if (!weighted) {
        const auto id = turn(queues, std::nullopt);
        return id ? std::optional(granted(*id)) : std::nullopt;
    }
    if (const auto id = turn(queues, Priority::urgent)) {
        return granted(*id);
    }
    for (const bool renewed : {false, true}) {
        for (const Priority priority : {Priority::high, Priority::medium, Priority::low}) {
            const auto index = static_cast<std::size_t>(priority);
            if (renewed) {
                // Bytes 3, 2 and 1 of the feature: weights, less one.
                credit_.at(index) = (settings >> 8U * (4U - index) & 0xFF) + 1;
            }
        }
        for (const Priority priority : {Priority::high, Priority::medium, Priority::low}) {
            std::uint32_t& credit = credit_.at(static_cast<std::size_t>(priority));
            if (credit == 0) {
                continue;
            }
            if (const auto id = turn(queues, priority)) {
                limit = std::min(limit, credit);
                const Grant grant = granted(*id);
                credit -= grant.commands;
                return grant;
            }
        }
    }
    return std::nullopt;
}

}  // namespace solidtlm::hw::nvme
