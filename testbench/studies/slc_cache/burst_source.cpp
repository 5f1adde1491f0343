// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "testbench/studies/slc_cache/slc_cache.h"

namespace solidtlm::testbench::slc_cache {

bool BurstSource::next(Request& request) {
    request.clear();
    if (ended() || (made_ == bursts_.first_bytes && (!resumes_ || now_ < *resumes_))) {
        return false;
    }
    request.operation = Operation::write;
    request.token = made_ < bursts_.first_bytes ? 0 : 1;
    request.lba = Lba{made_ % bursts_.region_bytes / hal::kSectorBytes};
    request.sectors = kRequestBytes / hal::kSectorBytes;
    made_ += kRequestBytes;
    return true;
}

void BurstSource::completed(std::uint64_t token, bool /*ok*/, Ps now) {
    now_ = now;
    done_ += kRequestBytes;
    const Ps begin = token == 0 ? Ps{0} : *resumes_;
    const std::uint64_t before = token == 0 ? 0 : bursts_.first_bytes;
    progress_[token].push_back(
        {static_cast<double>(done_ - before), static_cast<double>((now - begin).count()) / kPsPerSecond});
    if (token == 0 && done_ == bursts_.first_bytes) {
        resumes_ = now + bursts_.pause;
    }
}

std::optional<Ps> BurstSource::wakes_at() const {
    return made_ == bursts_.first_bytes && !ended() ? resumes_ : std::nullopt;
}

std::optional<Knee> knee_of(const std::vector<Progress>& burst, double least) {
    if (burst.size() < 3) {
        return std::nullopt;
    }
    const Progress& end = burst.back();
    const auto below = [&end](const Progress& at) {  // the straight line, as a share of the burst's time
        return std::abs(at.bytes / end.bytes - at.seconds / end.seconds);
    };
    const Progress& knee = *std::ranges::max_element(burst, {}, below);
    if (below(knee) < least) {
        return std::nullopt;
    }
    return Knee{knee.bytes, knee.bytes / knee.seconds / kMb,
                (end.bytes - knee.bytes) / (end.seconds - knee.seconds) / kMb};
}

}  // namespace solidtlm::testbench::slc_cache
