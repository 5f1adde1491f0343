// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "testbench/sim/host/request.h"
#include "testbench/sim/process/interruption.h"

namespace solidtlm::testbench {

/// Counts the requests that the host takes from a source. They are not the same as commands, because one
/// request may become several commands. `source` must outlive this object.
class CountedSource : public RequestSource {
  public:
    explicit CountedSource(RequestSource& source) : source_(source) {}

    bool next(Request& request) override {
        const bool more = !ended_ && source_.next(request);
        requests_ += more ? 1 : 0;
        const SourceFeedback* feedback = source_.feedback();
        exhausted_ |= !more && (ended_ || feedback == nullptr || feedback->ended());
        return more;
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const override { return source_.size(); }
    [[nodiscard]] SourceFeedback* feedback() override { return source_.feedback(); }
    /// Requests taken so far.
    [[nodiscard]] std::uint64_t requests() const { return requests_; }
    /// The host gets no further request.
    void end() { ended_ = true; }
    /// True when the source had no further request, or when the host will not ask again.
    [[nodiscard]] bool exhausted() const { return exhausted_ || Interruption::signal() != 0; }

  private:
    RequestSource& source_;
    std::uint64_t requests_ = 0;
    bool ended_ = false;
    bool exhausted_ = false;
};

}  // namespace solidtlm::testbench
