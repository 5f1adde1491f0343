// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/fingerprinter.h"

#include "fw/dedup/page_hash.h"

namespace solidtlm::fw {

Task<bool> unite(DedupTools& tools, KnownPage known, KnownPage fresh, Charge& charge) {
    bool merged = false;
    if (!tools.shared.find(fresh.place)) {
        merged = co_await tools.sharing.merge(fresh, known, charge);
    } else if (!tools.shared.find(known.place)) {
        merged = co_await tools.sharing.merge(known, fresh, charge);
    }
    ++(merged ? tools.counters.duplicates : tools.counters.refused);
    co_return merged;
}

Fingerprinter::Fingerprinter(const DedupTools& tools, DramAddress base, std::uint64_t bytes)
    : tools_(tools),
      table_(tools.services, base, bytes, kFingerprintBytes),
      unchecked_(tools.services.layout.units()),
      look_(tools) {}

void Fingerprinter::moved(Ppa from, Ppa to) {
    look_.gone(from);
    table_.index.move(from, to);
    if (unchecked_.contains(from)) {
        unchecked_.remove(from);
        unchecked_.add(to);
    }
}

void Fingerprinter::forgotten(Ppa place) {
    look_.gone(place);
    table_.index.erase(place);
    unchecked_.remove(place);
}

Task<void> Fingerprinter::look_at_one() {
    const Ppa place = unchecked_.next();
    Charge charge;
    const bool readable = co_await look_.read(0, place, charge);
    if (!look_.holds(0)) {
        co_return;
    }
    if (!readable) {
        unchecked_.remove(place);  // its contents are unknown
        co_return;
    }
    if (look_.wanted_elsewhere()) {
        ++tools_.counters.interrupted;
        co_return;
    }
    const PageIndex::Key key = co_await hash_page(tools_.services, tools_.counters, hal::HashFunction::md5,
                                                  look_.window(0), false, nullptr);
    if (look_.holds(0)) {
        const Lpn lpn = look_.lpn();
        co_await take(place, key, lpn);
    }
}

Task<void> Fingerprinter::take(Ppa place, PageIndex::Key key, Lpn lpn) {
    unchecked_.remove(place);
    ++tools_.counters.checked;
    const PageIndex::Entry fresh{key, place, lpn};
    Charge charge;
    const PageIndex::Position found = table_.search(key, charge);
    bool known_stays = false;
    if (found != PageIndex::kNone) {
        table_.index.touch(found);
        const PageIndex::Entry known = table_.index.at(found);
        const KnownPage known_page{known.lpn, known.place};
        const KnownPage fresh_page{lpn, place};
        co_await unite(tools_, known_page, fresh_page, charge);
        known_stays = table_.index.find(known.place) != PageIndex::kNone;
    }
    if (!known_stays) {
        table_.insert(fresh, charge);
    }
    co_await tools_.services.executor.spend(charge, 0, nullptr, Cause::dedup);
}

}  // namespace solidtlm::fw
