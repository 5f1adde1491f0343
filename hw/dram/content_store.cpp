// SPDX-License-Identifier: Apache-2.0
#include "hw/dram/content_store.h"

#include <sys/mman.h>

#include <cstring>

#include "fw/hal/check.h"
#include "fw/hal/zeroed_memory.h"

namespace solidtlm::hw {

ContentStore::ContentStore(hal::ContentMode mode, std::uint64_t modelled_bytes)
    : mode_(mode), size_(hal::content_bytes(mode, modelled_bytes)) {
    SOLIDTLM_CHECK(modelled_bytes % hal::kSectorBytes == 0, "a store of whole sectors");
    if (size_ > 0) {
        base_ = static_cast<std::byte*>(hal::map_zeros(size_, "contents of the drive's DRAM"));
    }
}

ContentStore::~ContentStore() {
    if (base_ != nullptr) {
        ::munmap(base_, size_);
    }
}

bool ContentStore::aligned(hal::DramAddress address, std::uint64_t bytes) const {
    return mode_ != hal::ContentMode::tags || (address.value | bytes) % hal::kSectorBytes == 0;
}

std::byte* ContentStore::at(hal::DramAddress address) {
    return base_ == nullptr ? nullptr : base_ + stored(address.value);
}

void ContentStore::read(hal::DramAddress address, std::uint64_t bytes, void* to) {
    if (base_ != nullptr) {
        SOLIDTLM_CHECK(holds(address, bytes), "content lies within the store");
        std::memcpy(to, at(address), stored(bytes));
    }
}

void ContentStore::write(hal::DramAddress address, std::uint64_t bytes, const void* from) {
    if (base_ != nullptr) {
        SOLIDTLM_CHECK(holds(address, bytes), "content lies within the store");
        std::memcpy(at(address), from, stored(bytes));
    }
}

void ContentStore::forget() {
    // Private anonymous pages that were given up read as zeros when touched again (madvise(2)).
    if (base_ != nullptr && ::madvise(base_, size_, MADV_DONTNEED) != 0) {
        std::memset(base_, 0, size_);
    }
}

}  // namespace solidtlm::hw
