// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/crc_sorter.h"

#include "fw/dedup/needs.h"
#include "fw/dedup/page_hash.h"

namespace solidtlm::fw {

CrcSorter::CrcSorter(const DedupTools& tools, std::uint64_t table_bytes, bool keeps_candidates)
    : table(tools.services, tools.dram_map[kDedupTable], table_bytes, kCrcBytes),
      tools_(tools),
      keeps_candidates_(keeps_candidates),
      admitted_(tools.services.config.write_buffer.size_bytes / tools.services.config.unit_bytes) {}

Task<Admission> CrcSorter::admit(Slot slot, Ledger* ledger) {
    Admitted& admitted = admitted_[slot.value];
    admitted.key = co_await hash_page(tools_.services, tools_.counters, hal::HashFunction::crc32,
                                      tools_.buffer.address(slot), true, ledger);
    Charge charge;
    const PageIndex::Position known = table.search(admitted.key, charge);
    admitted.candidate = known != PageIndex::kNone;
    if (admitted.candidate) {
        if (table.index.at(known).kind == PageIndex::Kind::known) {
            table.index.touch(known);
        }
        ++tools_.counters.candidates;
    } else {
        table.insert(PageIndex::Entry{admitted.key, pending_place(slot), tools_.buffer[slot].lpn,
                                      PageIndex::Kind::known},
                     charge);
    }
    co_await tools_.services.executor.spend(charge, 0, ledger, Cause::dedup);
    Admission admission;
    admission.fate = admitted.candidate ? Admission::Fate::nondetermined : Admission::Fate::unique;
    co_return admission;
}

void CrcSorter::programmed(Slot slot, Lpn lpn, Ppa place, Charge& charge) {
    const Admitted& admitted = admitted_[slot.value];
    if (!admitted.candidate) {
        table.index.move(pending_place(slot), place);
    } else if (keeps_candidates_) {
        table.insert(PageIndex::Entry{admitted.key, place, lpn, PageIndex::Kind::candidate}, charge);
    }
}

void CrcSorter::left(Slot slot) {
    table.index.erase(pending_place(slot));
}

}  // namespace solidtlm::fw
