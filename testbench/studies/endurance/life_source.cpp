// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/endurance/life_source.h"

#include <algorithm>
#include <cmath>

namespace solidtlm::testbench::endurance {

std::uint64_t LifeLoad::requests_per_day() const {
    const double writes = drive_writes_per_day * static_cast<double>(units);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(writes / (1.0 - reads))));
}

std::uint64_t LifeLoad::hot_units() const {
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(hot * static_cast<double>(units))));
}

bool LifeSource::next(Request& request) {
    request.clear();
    if (life_is_over() && !reading_back_) {
        reading_back_ = true;
        next_unit_ = 0;
    }
    if (next_unit_ < load_.units) {
        return make(request, reading_back_ ? Operation::read : Operation::write, next_unit_++);
    }
    if (reading_back_) {
        return false;
    }
    if (burst_left_ == 0) {
        if (now_ < next_day_) {
            return false;
        }
        next_day_ = (now_ / load_.day + 1) * load_.day;
        burst_left_ = load_.requests_per_day();
    }
    --burst_left_;
    if (random_.chance(load_.reads)) {
        return make(request, Operation::read, random_.below(load_.units));
    }
    return make(request, Operation::write, random_.below(load_.hot_units()));
}

void LifeSource::completed(std::uint64_t token, bool ok, Ps now) {
    now_ = now;
    if (token == static_cast<std::uint64_t>(Operation::write)) {
        written_ += ok ? 1 : 0;
        read_only_ |= !ok;
    }
}

std::optional<Ps> LifeSource::wakes_at() const {
    const bool idle = !life_is_over() && next_unit_ == load_.units && burst_left_ == 0;
    return idle ? std::optional(next_day_) : std::nullopt;
}

bool LifeSource::make(Request& request, Operation operation, std::uint64_t unit) const {
    const std::uint64_t sectors = load_.unit_bytes / hal::kSectorBytes;
    request.operation = operation;
    request.token = static_cast<std::uint64_t>(operation);
    request.lba = Lba{unit * sectors};
    request.sectors = sectors;
    return true;
}

}  // namespace solidtlm::testbench::endurance
