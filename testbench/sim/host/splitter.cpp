// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/host/splitter.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "hw/sata/dsm.h"

namespace solidtlm::testbench {

void Splitter::begin(const Request& request, const Limits& limits) {
    request_ = &request;
    limits_ = limits;
    done_ = false;
    offset_ = 0;
    range_ = 0;
}

void Splitter::next(Command& command) {
    SOLIDTLM_CHECK(!done(), "the request has a further command");
    command.operation = request_->operation;
    command.lba = hal::Lba{0};
    command.sectors = 0;
    command.fua = request_->fua;
    command.queued = request_->queued;
    command.ranges.clear();
    command.identities.clear();
    command.identity_layout = {};
    command.data = {};
    switch (request_->operation) {
        case Operation::read:
        case Operation::write:
            next_transfer(command);
            break;
        case Operation::trim:
            next_trim(command);
            break;
        case Operation::flush:
            command.queued = false;
            done_ = true;
            break;
    }
}

void Splitter::next_transfer(Command& command) {
    const std::uint64_t left = request_->sectors - offset_;
    command.lba = hal::Lba{request_->lba.value + offset_};
    command.sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, limits_.max_sectors));
    if (!request_->data.empty()) {
        command.data = request_->data.subspan(offset_ * hal::kSectorBytes,
                                              std::size_t{command.sectors} * hal::kSectorBytes);
    }
    if (!request_->content.empty()) {
        const ContentLayout& layout = request_->content_layout;
        command.identity_layout = layout.behind(offset_);
        const std::size_t end = layout.identities(offset_ + command.sectors);
        for (std::size_t i = layout.place(offset_).identity; i < std::min(end, request_->content.size());
             ++i) {
            command.identities.push_back(request_->content[i]);
        }
    }
    offset_ += command.sectors;
    done_ = offset_ == request_->sectors;
}

void Splitter::next_trim(Command& command) {
    const std::uint32_t blocks = request_->ranges.size() == 1 ? 1 : limits_.max_dsm_blocks;
    const std::size_t most = std::size_t{blocks} * hw::kDsmEntriesPerBlock;
    while (range_ < request_->ranges.size() && command.ranges.size() < most) {
        const TrimRange& range = request_->ranges[range_];
        const std::uint32_t sectors = std::min<std::uint32_t>(
            limits_.max_range_sectors, range.sectors - static_cast<std::uint32_t>(offset_));
        if (sectors > 0) {
            command.ranges.push_back(TrimRange{hal::Lba{range.lba.value + offset_}, sectors});
            command.sectors += sectors;
        }
        offset_ += sectors;
        if (offset_ == range.sectors) {
            offset_ = 0;
            ++range_;
        }
    }
    done_ = range_ == request_->ranges.size();
}

}  // namespace solidtlm::testbench
