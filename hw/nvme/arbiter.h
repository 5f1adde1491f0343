// SPDX-License-Identifier: Apache-2.0
//
// Chooses the submission queue that is fetched from next (NVMe 1.4, command arbitration). The admin queue
// comes before all others. Round robin: the I/O queues in turn. Weighted round robin: urgent queues before
// all others; then each class of high, medium and low has credit for as many commands as its weight says, and
// all classes get new credit when none with credit has something to fetch. Queues of one class take turns.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/nvme/queues.h"

namespace solidtlm::hw::nvme {

class Arbiter {
  public:
    struct Grant {
        std::uint32_t queue = 0;
        std::uint32_t commands = 0;
    };
    /// `settings`: the value of feature 01h. At most `most` commands; a grant ends at the ring's end and
    /// after a burst. None: there is nothing to fetch. REQUIRES: most > 0.
    std::optional<Grant> next(const Queues& queues, bool weighted, Word settings, std::uint32_t most);
    /// Forgets whose turn it is.
    void reset() { *this = Arbiter{}; }

  private:
    static constexpr std::size_t kClasses = 4;
    static constexpr std::uint32_t kNoLimit = 7;  ///< of the burst, whose size is 2^n
    std::optional<std::uint32_t> turn(const Queues& queues, std::optional<Priority> only);

    std::array<std::uint32_t, kClasses> last_{};  ///< queue served last, by class
    std::array<std::uint32_t, kClasses> credit_{};
};

}  // namespace solidtlm::hw::nvme
