// SPDX-License-Identifier: Apache-2.0
#include "fw/block_map/kast_logs.h"

#include <algorithm>

namespace solidtlm::fw {

template <class Change>
void KastLogs::update(LogSlot slot, Change change) {
    Log& log = logs_[slot.value];
    const bool was_shareable = shareable(log);
    const Rank before{log.associated, log.age, slot};
    change(log);
    const bool is_shareable = shareable(log);
    const Rank now{log.associated, log.age, slot};
    if (was_shareable && is_shareable && before != now) {
        auto node = shareable_.extract(before);
        node.value() = now;
        shareable_.insert(std::move(node));
    } else if (was_shareable && !is_shareable) {
        shareable_.erase(before);
    } else if (!was_shareable && is_shareable) {
        shareable_.insert(now);
    }
}

LogSlot KastLogs::least_recent_sequential() const {
    return *std::ranges::min_element(sequential_, {},
                                     [this](LogSlot slot) { return logs_[slot.value].written; });
}

LogSlot KastLogs::choose(Lbn lbn) const {
    LogSlot newest = kNoLogSlot;
    for (std::uint32_t i = first_of_[lbn.value]; i != kNone; i = associations_[i].next) {
        const LogSlot slot = associations_[i].slot;
        const Log& log = logs_[slot.value];
        if (log.owner == kNoLbn && !log.full && (newest == kNoLogSlot || log.age > logs_[newest.value].age)) {
            newest = slot;
        }
    }
    return newest;
}

LogSlot KastLogs::add(BlockId block, Lbn owner) {
    LogSlot slot{static_cast<std::uint32_t>(logs_.size())};
    if (unused_.empty()) {
        logs_.emplace_back();
    } else {
        slot = unused_.back();
        unused_.pop_back();
    }
    logs_[slot.value] = Log{block, owner, 0, 0, taken_++, 0, true};
    update(slot, [](Log& log) { log.full = false; });
    by_age_.insert({0, logs_[slot.value].age, slot});
    slot_of_block_[block.value] = slot;
    if (owner != kNoLbn) {
        sequential_of_[owner.value] = slot;
        sequential_.push_back(slot);
    }
    return slot;
}

void KastLogs::remove(BlockId block) {
    const LogSlot slot = slot_of_block_[block.value];
    const Log& log = logs_[slot.value];
    if (log.owner != kNoLbn) {
        if (std::uint32_t* link = link_to(log.owner, slot); *link != kNone) {
            dissociate(link, slot);
        }
        end_sequential(slot);
    }
    update(slot, [](Log& gone) { gone.full = true; });
    by_age_.erase({0, log.age, slot});
    slot_of_block_[block.value] = kNoLogSlot;
    unused_.push_back(slot);
}

void KastLogs::end_sequential(LogSlot slot) {
    sequential_of_[logs_[slot.value].owner.value] = kNoLogSlot;
    std::erase(sequential_, slot);
}

void KastLogs::make_random(LogSlot slot) {
    end_sequential(slot);
    update(slot, [](Log& log) { log.owner = kNoLbn; });
}

std::uint32_t KastLogs::append(LogSlot slot) {
    const std::uint32_t offset = logs_[slot.value].next;
    update(slot, [this](Log& log) {
        log.written = ++writes_;
        log.full = ++log.next == pages_;
    });
    return offset;
}

void KastLogs::fail(BlockId block) {
    if (const LogSlot slot = slot_of_block_[block.value]; slot != kNoLogSlot) {
        update(slot, [](Log& log) { log.full = true; });
    }
}

std::uint32_t* KastLogs::link_to(Lbn lbn, LogSlot slot) {
    std::uint32_t* link = &first_of_[lbn.value];
    while (*link != kNone && associations_[*link].slot != slot) {
        link = &associations_[*link].next;
    }
    return link;
}

void KastLogs::dissociate(std::uint32_t* link, LogSlot slot) {
    const std::uint32_t gone = *link;
    *link = associations_[gone].next;
    unused_associations_.push_back(gone);
    update(slot, [](Log& log) { --log.associated; });
}

void KastLogs::page_came(BlockId block, Lbn lbn) {
    const LogSlot slot = slot_of_block_[block.value];
    if (slot == kNoLogSlot) {
        return;
    }
    if (const std::uint32_t known = *link_to(lbn, slot); known != kNone) {
        ++associations_[known].pages;
        return;
    }
    auto fresh = static_cast<std::uint32_t>(associations_.size());
    if (unused_associations_.empty()) {
        associations_.emplace_back();
    } else {
        fresh = unused_associations_.back();
        unused_associations_.pop_back();
    }
    associations_[fresh] = {slot, 1, first_of_[lbn.value]};
    first_of_[lbn.value] = fresh;
    update(slot, [](Log& log) { ++log.associated; });
}

void KastLogs::page_left(BlockId block, Lbn lbn) {
    const LogSlot slot = slot_of_block_[block.value];
    if (slot == kNoLogSlot) {
        return;
    }
    std::uint32_t* link = link_to(lbn, slot);
    if (--associations_[*link].pages == 0) {
        dissociate(link, slot);
    }
}

}  // namespace solidtlm::fw
