// SPDX-License-Identifier: Apache-2.0
//
// For tests: a source of requests from a list.
#pragma once

#include <utility>
#include <vector>

#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

class ListedSource final : public RequestSource {
  public:
    explicit ListedSource(std::vector<Request> requests) : requests_(std::move(requests)) {}
    bool next(Request& request) override {
        if (next_ == requests_.size()) {
            return false;
        }
        request = requests_[next_++];
        return true;
    }

  private:
    std::vector<Request> requests_;
    std::size_t next_ = 0;
};

[[nodiscard]] inline Request request_of(Operation operation, std::uint64_t lba, std::uint64_t sectors) {
    Request request;
    request.operation = operation;
    request.lba = Lba{lba};
    request.sectors = sectors;
    return request;
}

}  // namespace solidtlm::testbench
