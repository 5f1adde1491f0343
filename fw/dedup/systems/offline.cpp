// SPDX-License-Identifier: Apache-2.0
//
// offline: pages are written unchecked; the fingerprint of each is computed in idle time.
#include "fw/dedup/fingerprinter.h"

#include "fw/dedup/needs.h"

namespace solidtlm::fw {
namespace {

class Offline : public Deduplicator {
  public:
    explicit Offline(const DedupTools& tools)
        : fingerprinter_(tools, tools.dram_map[kDedupTable], tools.services.config.dedup.table_bytes) {}

    void programmed(Slot /*slot*/, Lpn /*lpn*/, Ppa place, Charge& /*charge*/) override {
        fingerprinter_.add(place);
    }
    void moved(Ppa from, Ppa to) override { fingerprinter_.moved(from, to); }
    void forgotten(Ppa place) override { fingerprinter_.forgotten(place); }
    void found(Ppa place) override { fingerprinter_.add(place); }
    [[nodiscard]] std::uint64_t waiting() const override { return fingerprinter_.waiting(); }
    void serialize(hal::StateArchive& archive) override { archive(fingerprinter_); }
    Task<void> look_at_one() override { co_await fingerprinter_.look_at_one(); }
    [[nodiscard]] std::uint64_t table_entries() const override { return fingerprinter_.index().size(); }
    [[nodiscard]] std::uint64_t forgotten_entries() const override {
        return fingerprinter_.index().forgotten();
    }

  private:
    Fingerprinter fingerprinter_;
};

}  // namespace

extern const DedupSystem kOfflineDedupSystem{{{"offline", "fingerprints each page when the host is idle"},
                                              {.marks = true, .entry_bytes = kFingerprintBytes}},
                                             make_dedup<Offline>};

}  // namespace solidtlm::fw
