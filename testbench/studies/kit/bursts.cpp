// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/bursts.h"

#include <algorithm>
#include <cmath>

#include "fw/hal/check.h"
#include "fw/hal/horizon.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kOfTheLead = 2;  // a token; bursts have the tokens 0 and 1

}  // namespace

BurstSource::BurstSource(const Bursts& bursts, std::unique_ptr<RequestSource> lead, Ps lead_time)
    : bursts_(bursts), lead_(std::move(lead)), lead_time_(lead_time) {
    SOLIDTLM_CHECK(lead_ == nullptr || lead_->feedback() == nullptr, "the lead has no feedback");
}

bool BurstSource::next(Request& request) {
    if (lead_ != nullptr && now_ < lead_time_ && lead_->next(request)) {
        request.token = kOfTheLead;
        return true;
    }
    lead_ = nullptr;
    request.clear();
    if (ended() || (made_ == bursts_.first_bytes && (!begin_[1] || now_ < *begin_[1]))) {
        return false;
    }
    request.token = made_ < bursts_.first_bytes ? 0 : 1;
    request.operation = request.token == 0 ? Operation::write : bursts_.second;
    request.lba = Lba{made_ % bursts_.region_bytes / hal::kSectorBytes};
    request.sectors = bursts_.request_bytes / hal::kSectorBytes;
    if (!begin_[0]) {
        begin_[0] = now_;
    }
    made_ += bursts_.request_bytes;
    return true;
}

void BurstSource::completed(std::uint64_t token, bool /*ok*/, Ps now) {
    now_ = now;
    if (token == kOfTheLead) {
        return;
    }
    done_ += bursts_.request_bytes;
    const std::uint64_t before = token == 0 ? 0 : bursts_.first_bytes;
    progress_[token].push_back({static_cast<double>(done_ - before),
                                static_cast<double>((now - *begin_[token]).count()) / hal::kPsPerSecond});
    if (token == 0 && done_ == bursts_.first_bytes) {
        begin_[1] = hal::instant_after(now, bursts_.pause);
    }
}

std::optional<Ps> BurstSource::wakes_at() const {
    return made_ == bursts_.first_bytes && !ended() ? begin_[1] : std::nullopt;
}

double mb_per_s(const std::vector<BurstProgress>& burst) {
    return burst.empty() ? 0.0 : burst.back().bytes / burst.back().seconds / kMb;
}

std::optional<Knee> knee_of(const std::vector<BurstProgress>& burst, double least) {
    if (burst.size() < 3) {
        return std::nullopt;
    }
    const BurstProgress& end = burst.back();
    const auto below = [&end](const BurstProgress& at) {  // the straight line, as a share of the burst's time
        return std::abs(at.bytes / end.bytes - at.seconds / end.seconds);
    };
    const BurstProgress& knee = *std::ranges::max_element(burst, {}, below);
    if (below(knee) < least) {
        return std::nullopt;
    }
    return Knee{knee.bytes, knee.bytes / knee.seconds / kMb,
                (end.bytes - knee.bytes) / (end.seconds - knee.seconds) / kMb};
}

double buffered_bytes(double buffer_bytes, double flash_mb_per_s, const Knee& knee) {
    if (flash_mb_per_s < knee.before_mb_per_s) {
        return buffer_bytes;
    }
    SOLIDTLM_CHECK(knee.falls(), "the speed falls at the knee");
    return buffer_bytes / (1.0 - knee.after_mb_per_s / knee.before_mb_per_s);
}

double scaled_knee(const Knee& knee, double buffered, double scale, double buffer_scale) {
    return (knee.bytes - buffered) * scale + buffered * buffer_scale;
}

}  // namespace solidtlm::testbench
