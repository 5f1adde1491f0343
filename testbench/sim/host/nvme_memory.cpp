// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/host/nvme_memory.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::testbench {

namespace nvme = hw::nvme;

namespace {

constexpr std::uint64_t in_pages(std::uint64_t bytes) {
    return (bytes + nvme::kPageBytes - 1) / nvme::kPageBytes * nvme::kPageBytes;
}
static_assert(NvmeMemory::kAdminEntries * nvme::kSqeBytes <= nvme::kPageBytes);

}  // namespace

NvmeMemory::NvmeMemory(std::uint32_t queues, std::uint32_t entries, std::uint32_t slots)
    : submission_bytes_(in_pages(std::uint64_t{entries} * nvme::kSqeBytes)),
      pair_bytes_(submission_bytes_ + in_pages(std::uint64_t{entries} * nvme::kCqeBytes)),
      pairs_(own_page() + nvme::kPageBytes),
      lists_(pairs_ + queues * pair_bytes_),
      bytes_(lists_ + slots * kListBytes - kBase) {
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        for (std::uint32_t page = 1; page < nvme::kMostPages; ++page) {
            hw::put_little_endian(at(list(slot) + (page - 1) * std::uint64_t{8}, 8),
                                  data(slot) + page * std::uint64_t{nvme::kPageBytes});
        }
    }
}

std::optional<std::uint32_t> NvmeMemory::completion_queue_at(std::uint64_t address) const {
    if (address >= completion(0) && address < own_page()) {
        return 0;
    }
    if (address < pairs_ || address >= lists_ || (address - pairs_) % pair_bytes_ < submission_bytes_) {
        return std::nullopt;
    }
    return 1 + static_cast<std::uint32_t>((address - pairs_) / pair_bytes_);
}

std::optional<NvmeMemory::Place> NvmeMemory::data_at(std::uint64_t address) {
    if (address < kData) {
        return std::nullopt;
    }
    return Place{static_cast<std::uint32_t>((address - kData) / nvme::kMostBytes),
                 static_cast<std::uint32_t>((address - kData) % nvme::kMostBytes)};
}

std::span<std::byte> NvmeMemory::find(std::uint64_t address, std::uint64_t bytes) {
    if (address < kBase || address - kBase > bytes_.size() || bytes > bytes_.size() - (address - kBase)) {
        return {};
    }
    return std::span(bytes_).subspan(address - kBase, bytes);
}

std::span<std::byte> NvmeMemory::at(std::uint64_t address, std::uint64_t bytes) {
    const std::span<std::byte> found = find(address, bytes);
    SOLIDTLM_CHECK(found.size() == bytes, "the address is memory");
    return found;
}

void NvmeMemory::clear_queues() {
    std::ranges::fill(std::span(bytes_).first(lists_ - kBase), std::byte{0});
}

}  // namespace solidtlm::testbench
