// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/content_picker.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "testbench/sim/load/crc_collisions.h"
#include "testbench/sim/load/study_models.h"
#include "testbench/sim/load/zipf.h"

namespace solidtlm::testbench {
namespace {

/// Keeps the random numbers for contents apart from those for addresses.
constexpr std::uint64_t kOtherSeed = 0x636F6E74656E7473U;

/// After this many failed draws, hardly anything is left to repeat, so new content is written.
constexpr int kTries = 64;

}  // namespace

ContentPicker::ContentPicker(const ContentConfig& config, std::uint64_t seed)
    : config_(config), random_(seed ^ kOtherSeed), share_(config.duplicates, config.run) {}

void ContentPicker::write(Request& request) {
    SOLIDTLM_CHECK(request.lba.value % kSectorsPerPage == 0 && request.sectors % kSectorsPerPage == 0,
                   "whole blocks are written");
    const std::uint64_t first = request.lba.value / kSectorsPerPage;
    const Pages covered{first, first + request.sectors / kSectorsPerPage};
    request.content.clear();
    for (std::uint64_t page = covered.first; page < covered.end; ++page) {
        const Block written{page, draw(covered)};
        request.content.push_back(written.content);
        keep(written);
    }
}

void ContentPicker::trim(const Request& request) {
    for (const hal::TrimRange& range : request.ranges) {
        const std::uint64_t end = (range.lba.value + range.sectors) / kSectorsPerPage;
        for (std::uint64_t page = (range.lba.value + kSectorsPerPage - 1) / kSectorsPerPage; page < end;
             ++page) {
            contents_.erase(page);
        }
    }
}

std::uint64_t ContentPicker::draw(const Pages& covered) {
    if (random_.chance(config_.collisions)) {
        const auto& pair = kCrcCollisions[random_.below(kCrcCollisions.size())];
        return pair[random_.below(pair.size())];
    }
    const auto duplicate = draw_duplicate(covered);
    share_.add(1, duplicate.has_value());
    return duplicate ? *duplicate : next_identity_++;
}

std::optional<std::uint64_t> ContentPicker::draw_duplicate(const Pages& covered) {
    if (in_run_ && usable(source_, covered)) {
        in_run_ = goes_on(config_.run, random_);
        return block(source_++).content;
    }
    if (!in_run_ && !random_.chance(share_.chance())) {
        return std::nullopt;
    }
    in_run_ = false;
    const std::uint64_t kept = std::min(written_, kHistory);
    for (int tries = 0; tries < kTries && kept > 0; ++tries) {
        const std::uint64_t number = written_ - Zipf(kept, config_.recency)(random_);
        if (usable(number, covered)) {
            in_run_ = goes_on(config_.run, random_);
            source_ = number + 1;
            return block(number).content;
        }
    }
    return std::nullopt;
}

bool ContentPicker::usable(std::uint64_t number, const Pages& covered) const {
    if (number >= written_ || written_ - number > kHistory) {
        return false;
    }
    const Block& candidate = block(number);
    const auto held = contents_.find(candidate.page);
    return (candidate.page < covered.first || candidate.page >= covered.end) && held != contents_.end() &&
           held->second == candidate.content;
}

void ContentPicker::keep(const Block& written) {
    contents_[written.page] = written.content;
    if (history_.size() < kHistory) {
        history_.push_back(written);
    } else {
        history_[written_ % kHistory] = written;
    }
    ++written_;
}

}  // namespace solidtlm::testbench
