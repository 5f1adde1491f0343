// SPDX-License-Identifier: Apache-2.0
//
// offline_separated: CRC32 decides where a page is written; the fingerprint of each page is computed in idle
// time (Jeong and Shin, FAST 2013).
#include "fw/dedup/crc_sorter.h"
#include "fw/dedup/fingerprinter.h"
#include "fw/dedup/needs.h"

namespace solidtlm::fw {
namespace {

class OfflineSeparated : public Deduplicator {
  public:
    explicit OfflineSeparated(const DedupTools& tools)
        : half_(tools.services.config.dedup.table_bytes / 2),
          sorter_(tools, half_, false),
          fingerprinter_(tools, DramAddress{tools.dram_map[kDedupTable].value + half_}, half_) {}

    [[nodiscard]] bool sorts_writes() const override { return true; }
    [[nodiscard]] bool separates() const override { return true; }
    Task<Admission> admit(Slot slot, Ledger* ledger) override {
        const Admission admission = co_await sorter_.admit(slot, ledger);
        co_return admission;
    }
    void programmed(Slot slot, Lpn lpn, Ppa place, Charge& charge) override {
        sorter_.programmed(slot, lpn, place, charge);
        fingerprinter_.add(place);
    }
    void left(Slot slot) override { sorter_.left(slot); }
    void moved(Ppa from, Ppa to) override {
        sorter_.table.index.move(from, to);
        fingerprinter_.moved(from, to);
    }
    void forgotten(Ppa place) override {
        sorter_.table.index.erase(place);
        fingerprinter_.forgotten(place);
    }
    void found(Ppa place) override { fingerprinter_.add(place); }
    [[nodiscard]] std::uint64_t waiting() const override { return fingerprinter_.waiting(); }
    void serialize(hal::StateArchive& archive) override { archive(sorter_.table.index, fingerprinter_); }
    Task<void> look_at_one() override { co_await fingerprinter_.look_at_one(); }
    [[nodiscard]] std::uint64_t table_entries() const override {
        return std::uint64_t{fingerprinter_.index().size()} + sorter_.table.index.size();
    }
    [[nodiscard]] std::uint64_t forgotten_entries() const override {
        return fingerprinter_.index().forgotten() + sorter_.table.index.forgotten();
    }

  private:
    std::uint64_t half_;
    CrcSorter sorter_;
    Fingerprinter fingerprinter_;
};

}  // namespace

extern const DedupSystem kOfflineSeparatedDedupSystem{
    {{"offline_separated", "as offline; CRC32 decides where a page is written"},
     {.marks = true, .tables = 2, .entry_bytes = kFingerprintBytes}},
    make_dedup<OfflineSeparated>};

}  // namespace solidtlm::fw
