// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

/// Numbers in the order of their last use: a list linked through an array.
class Recency {
  public:
    /// REQUIRES: `number` is not in the list.
    void add(std::uint32_t number) {
        SOLIDTLM_CHECK(!contains(number), "the number is not in the list");
        if (number >= links_.size()) {
            links_.resize(number + std::size_t{1});
        }
        links_[number] = {kNone, newest_};
        (newest_ == kNone ? oldest_ : links_[newest_].newer) = number;
        newest_ = number;
    }
    /// REQUIRES (also for use()): `number` is in the list.
    void remove(std::uint32_t number) {
        SOLIDTLM_CHECK(contains(number), "the number is in the list");
        const Link& link = links_[number];
        (link.newer == kNone ? newest_ : links_[link.newer].older) = link.older;
        (link.older == kNone ? oldest_ : links_[link.older].newer) = link.newer;
    }
    void use(std::uint32_t number) {
        if (number != newest_) {
            remove(number);
            add(number);
        }
    }
    /// REQUIRES: the list is not empty.
    [[nodiscard]] std::uint32_t least_recent() const {
        SOLIDTLM_CHECK(oldest_ != kNone, "the list is not empty");
        return oldest_;
    }
    void serialize(hal::StateArchive& archive) { archive(hal::list(links_), newest_, oldest_); }

  private:
    /// A number is in the list if its newer neighbour, or the end of the list, links to it.
    [[nodiscard]] bool contains(std::uint32_t number) const {
        if (number >= links_.size()) {
            return false;
        }
        const std::uint32_t newer = links_[number].newer;
        return (newer == kNone ? newest_ : links_[newer].older) == number;
    }
    static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
    struct Link {
        std::uint32_t newer = kNone;
        std::uint32_t older = kNone;

        void serialize(hal::StateArchive& archive) { archive(newer, older); }
    };

    std::vector<Link> links_;
    std::uint32_t newest_ = kNone;
    std::uint32_t oldest_ = kNone;
};

}  // namespace solidtlm::fw
