// SPDX-License-Identifier: Apache-2.0
#include "hw/dram/content_store.h"

#include <sys/mman.h>

#include <cstring>

#include "fw/hal/check.h"

namespace solidtlm::hw {

ContentStore::ContentStore(hal::ContentMode mode, std::uint64_t modelled_bytes)
    : mode_(mode),
      size_(hal::content_bytes(mode, modelled_bytes)),
      memory_(size_, "contents of the drive's DRAM") {
    SOLIDTLM_CHECK(modelled_bytes % hal::kSectorBytes == 0, "a store of whole sectors");
}

bool ContentStore::aligned(hal::DramAddress address, std::uint64_t bytes) const {
    return mode_ != hal::ContentMode::tags || (address.value | bytes) % hal::kSectorBytes == 0;
}

std::byte* ContentStore::at(hal::DramAddress address) {
    return size_ == 0 ? nullptr : &memory_[stored(address.value)];
}

void ContentStore::read(hal::DramAddress address, std::uint64_t bytes, void* to) {
    if (size_ > 0) {
        SOLIDTLM_CHECK(holds(address, bytes), "content lies within the store");
        std::memcpy(to, at(address), stored(bytes));
    }
}

void ContentStore::write(hal::DramAddress address, std::uint64_t bytes, const void* from) {
    if (size_ > 0) {
        SOLIDTLM_CHECK(holds(address, bytes), "content lies within the store");
        std::memcpy(at(address), from, stored(bytes));
    }
}

void ContentStore::forget() {
    // Private anonymous pages that were given up read as zeros when touched again (madvise(2)).
    if (size_ > 0 && ::madvise(&memory_[0], size_, MADV_DONTNEED) != 0) {
        std::memset(&memory_[0], 0, size_);
    }
}

}  // namespace solidtlm::hw
