// SPDX-License-Identifier: Apache-2.0
//
// What the journal says of shared pages (docs/dedup.md, "What a power cut leaves").
#pragma once

#include <vector>

#include "fw/dedup/virtual_block.h"
#include "fw/log/recovery_log.h"

namespace solidtlm::fw {

/// Virtual block, place: the block lay there; pages with its name and a larger number are newer.
constexpr RecordKind kShareRecord{1};
/// LPN, virtual block: the LPN refers to it; its pages with a smaller number are out of date.
constexpr RecordKind kReferRecord{2};

constexpr LogRecord share_record(VirtualBlock block, Ppa place, std::uint64_t sequence) {
    return make_record(kShareRecord, block.value, place.value, sequence);
}
constexpr LogRecord refer_record(Lpn lpn, VirtualBlock block, std::uint64_t sequence) {
    return make_record(kReferRecord, lpn.value, block.value, sequence);
}

/// True if a drive with this layout and this many virtual blocks can have written the record.
inline bool is_sound_record(const LogRecord& record, const MediaLayout& layout, std::uint32_t blocks) {
    if (record.kind() == kShareRecord) {
        return record.first < blocks && layout.is_place(Ppa{record.second});
    }
    return record.kind() == kReferRecord && record.first < layout.exported_units() && record.second < blocks;
}

/// `block` lies at `place` from now on.
inline void note_share(RecoveryLog& log, VirtualBlock block, Ppa place) {
    log.note(kShareRecord, block.value, place.value);
}
/// `lpn` refers to `block` from now on.
inline void note_refer(RecoveryLog& log, Lpn lpn, VirtualBlock block) {
    log.note(kReferRecord, lpn.value, block.value);
}

/// Logical pages whose references may not be on flash yet, in order, some more than once.
inline std::vector<Lpn> unwritten_references(const RecoveryLog& log) {
    std::vector<Lpn> unwritten;
    for (const LogRecord& record : log.waiting()) {
        if (record.kind() == kReferRecord) {
            unwritten.push_back(Lpn{record.first});
        }
    }
    return unwritten;
}

}  // namespace solidtlm::fw
