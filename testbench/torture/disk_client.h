// SPDX-License-Identifier: Apache-2.0
//
// A client of tb_disk without a server in between: it hands a source's requests over as slots of the channel,
// with contents of its own, and connects again when the drive is back. It needs no other program and no wall
// time, so a case always runs the same way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "testbench/doors/disk/clients.h"
#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

class DiskClient : public disk::Clients {
  public:
    /// Uses at most `depth` slots at a time. `source` must outlive the client; its requests have no arrival
    /// times.
    DiskClient(RequestSource& source, std::uint32_t depth, std::uint64_t seed);

    [[nodiscard]] std::optional<std::uint32_t> take() override;
    [[nodiscard]] disk::Slot& slot(std::uint32_t index) override { return slots_.at(index); }
    [[nodiscard]] std::byte* data(std::uint32_t index) override { return bytes_.at(index).data(); }
    void answer(std::uint32_t index, int error) override;
    void wait(std::optional<Wall> /*at_most*/) override {}
    void sleep(Wall /*time*/) override {}
    [[nodiscard]] bool ended() const override { return exhausted_ && pieces_.empty(); }
    [[nodiscard]] std::optional<disk::Order> order() override { return std::nullopt; }
    /// Drops the parts of a request that were not handed over.
    void cut_off(bool /*come_back*/) override { pieces_.clear(); }
    [[nodiscard]] Wall wall() const override { return Wall{0}; }

  private:
    /// The request of one slot.
    struct Piece {
        disk::Ask ask;
        bool fua;
        std::uint64_t offset;
        std::uint64_t bytes;
    };
    void add(disk::Ask ask, bool fua, Lba lba, std::uint64_t sectors);
    void cut_up(const Request& request);

    RequestSource& source_;
    std::mt19937_64 random_;
    Request request_;
    std::deque<Piece> pieces_;  // parts of the present request that are not handed over yet
    std::array<disk::Slot, disk::kSlots> slots_{};
    std::array<std::vector<std::byte>, disk::kSlots> bytes_;
    std::vector<std::uint32_t> free_;
    bool exhausted_ = false;
};

}  // namespace solidtlm::testbench
