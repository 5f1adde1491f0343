// SPDX-License-Identifier: Apache-2.0
//
// online: the fingerprint of every page is computed before it is programmed (CAFTL).
#include "fw/dedup/crc_sorter.h"
#include "fw/dedup/dedup_table.h"
#include "fw/dedup/deduplicator.h"
#include "fw/dedup/needs.h"
#include "fw/dedup/page_hash.h"

namespace solidtlm::fw {
namespace {

class Online : public Deduplicator {
  public:
    explicit Online(const DedupTools& tools)
        : tools_(tools),
          table_(tools.services, tools.dram_map[kDedupTable], tools.services.config.dedup.table_bytes,
                 kFingerprintBytes) {}

    [[nodiscard]] bool sorts_writes() const override { return true; }

    Task<Admission> admit(Slot slot, Ledger* ledger) override {
        const PageIndex::Key key =
            co_await hash_page(tools_.services, tools_.counters, hal::HashFunction::md5,
                               tools_.buffer.address(slot), true, ledger);
        Charge charge;
        const PageIndex::Position found = table_.search(key, charge);
        Admission admission;
        if (found == PageIndex::kNone) {
            table_.insert(PageIndex::Entry{key, pending_place(slot), tools_.buffer[slot].lpn}, charge);
        } else {
            table_.index.touch(found);
            const PageIndex::Entry& entry = table_.index.at(found);
            if (is_pending(entry.place)) {
                admission.fate = Admission::Fate::follower;
                admission.leader = slot_of(entry.place);
            } else {
                admission.fate = Admission::Fate::duplicate;
                admission.known = KnownPage{entry.lpn, entry.place};
            }
        }
        co_await tools_.services.executor.spend(charge, 0, ledger, Cause::dedup);
        co_return admission;
    }

    void programmed(Slot slot, Lpn /*lpn*/, Ppa place, Charge& /*charge*/) override {
        table_.index.move(pending_place(slot), place);
    }
    void left(Slot slot) override { table_.index.erase(pending_place(slot)); }
    void moved(Ppa from, Ppa to) override { table_.index.move(from, to); }
    void forgotten(Ppa place) override { table_.index.erase(place); }
    void serialize(hal::StateArchive& archive) override { archive(table_.index); }
    [[nodiscard]] std::uint64_t table_entries() const override { return table_.index.size(); }
    [[nodiscard]] std::uint64_t forgotten_entries() const override { return table_.index.forgotten(); }

  private:
    DedupTools tools_;
    DedupTable table_;
};

}  // namespace

extern const DedupSystem kOnlineDedupSystem{{{"online", "fingerprints each page before it is programmed"},
                                             {.online = true, .entry_bytes = kFingerprintBytes}},
                                            make_dedup<Online>};

}  // namespace solidtlm::fw
