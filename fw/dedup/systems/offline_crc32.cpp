// SPDX-License-Identifier: Apache-2.0
//
// offline_crc32 (Park and Shin): CRC32 decides where a page is written, and its table lists the pages. In
// idle time the pages that may be duplicates are compared byte by byte with the known pages of the same
// CRC32.
#include <vector>

#include "fw/dedup/crc_sorter.h"
#include "fw/dedup/fingerprinter.h"
#include "fw/dedup/page_look.h"

namespace solidtlm::fw {
namespace {

class OfflineCrc32 : public Deduplicator {
  public:
    explicit OfflineCrc32(const DedupTools& tools)
        : tools_(tools), sorter_(tools, tools.services.config.dedup.table_bytes, true), look_(tools) {}

    [[nodiscard]] bool sorts_writes() const override { return true; }
    [[nodiscard]] bool separates() const override { return true; }
    Task<Admission> admit(Slot slot, Ledger* ledger) override {
        const Admission admission = co_await sorter_.admit(slot, ledger);
        co_return admission;
    }
    void programmed(Slot slot, Lpn lpn, Ppa place, Charge& charge) override {
        sorter_.programmed(slot, lpn, place, charge);
    }
    void left(Slot slot) override { sorter_.left(slot); }
    void moved(Ppa from, Ppa to) override {
        look_.gone(from);
        index().move(from, to);
    }
    void forgotten(Ppa place) override {
        look_.gone(place);
        index().erase(place);
    }
    [[nodiscard]] std::uint64_t waiting() const override {
        return sorter_.table.index.count(PageIndex::Kind::candidate);
    }
    void serialize(hal::StateArchive& archive) override { archive(index()); }
    [[nodiscard]] std::uint64_t table_entries() const override { return sorter_.table.index.size(); }
    [[nodiscard]] std::uint64_t forgotten_entries() const override { return sorter_.table.index.forgotten(); }

    Task<void> look_at_one() override {
        const PageIndex::Entry candidate = index().at(index().oldest_candidate());
        Charge charge;
        list_known(candidate.key, charge);
        bool here = true;
        if (comparands_.empty()) {
            co_await tools_.services.executor.spend(charge, 0, nullptr, Cause::dedup);
        } else {
            const bool readable = co_await look_.read(0, candidate.place, charge);
            comparands_.resize(readable ? comparands_.size() : 0);
            for (std::size_t i = 0; i < comparands_.size() && look_.holds(0); ++i) {
                if (look_.wanted_elsewhere()) {
                    ++tools_.counters.interrupted;
                    co_return;  // it stays the oldest candidate
                }
                const bool equal = co_await compare_with(comparands_[i]);
                if (equal) {
                    co_await merge(candidate, comparands_[i]);
                    break;
                }
            }
            here = look_.holds(0);
        }
        const PageIndex::Position position = index().find(candidate.place);
        if (here && position != PageIndex::kNone) {  // not merged, and still in the table
            index().make_known(position);
        }
        ++tools_.counters.checked;
        if (comparands_.empty()) {  // no page was read, perhaps for no candidate
            co_await tools_.services.executor.yield(nullptr);
        }
    }

  private:
    PageIndex& index() { return sorter_.table.index; }

    void list_known(const PageIndex::Key& key, Charge& charge) {
        comparands_.clear();
        for (auto i = sorter_.table.search(key, charge); i != PageIndex::kNone; i = index().next(i)) {
            const PageIndex::Entry& entry = index().at(i);
            if (entry.kind == PageIndex::Kind::known && !is_pending(entry.place)) {
                comparands_.push_back(entry.place);
            }
        }
    }

    /// Compares the page in window 0 with the known one at `place`. A page that has changed meanwhile counts
    /// as different.
    Task<bool> compare_with(Ppa place) {
        if (index().find(place) == PageIndex::kNone) {
            co_return false;
        }
        Charge charge;
        const bool readable = co_await look_.read(1, place, charge);
        if (!readable || !look_.holds(0) || !look_.holds(1)) {
            co_return false;
        }
        const bool equal = co_await look_.compare();
        co_return equal;
    }

    Task<void> merge(PageIndex::Entry candidate, Ppa place) {
        const PageIndex::Position known = index().find(place);
        if (known == PageIndex::kNone) {  // the table no longer has the logical page
            ++tools_.counters.refused;
            co_return;
        }
        const KnownPage known_page{index().at(known).lpn, place};
        const KnownPage fresh{candidate.lpn, candidate.place};
        Charge charge;
        co_await unite(tools_, known_page, fresh, charge);
    }

    DedupTools tools_;
    CrcSorter sorter_;
    PageLook look_;
    std::vector<Ppa> comparands_;
};

}  // namespace

extern const DedupSystem kOfflineCrc32DedupSystem{
    {{"offline_crc32",
      "CRC32 decides where a page is written and names what is compared when the host is idle"},
     {.entry_bytes = kCrcBytes}},
    make_dedup<OfflineCrc32>};

}  // namespace solidtlm::fw
