// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/pci_proxy/guest_memory.h"

#include <spdlog/fmt/fmt.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "fw/hal/check.h"
#include "testbench/doors/pci_proxy/error.h"

namespace solidtlm::testbench::pci_proxy {

void GuestMemory::Unmap::operator()(std::byte* start) const {
    munmap(start, bytes);
}

void GuestMemory::map(const MemoryRegions& regions, std::span<const Descriptor> descriptors) {
    SOLIDTLM_CHECK(descriptors.size() <= kMostRegions, "there is one descriptor per region");
    regions_.clear();
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
        const std::size_t bytes = regions.bytes[i];
        void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptors[i].get(),
                           static_cast<off_t>(regions.offsets[i]));
        if (start == MAP_FAILED) {
            const int error = errno;
            regions_.clear();
            throw ProxyError(
                fmt::format("cannot map {} bytes of the guest's memory: {}", bytes, std::strerror(error)));
        }
        regions_[regions.addresses[i]] = Mapping(static_cast<std::byte*>(start), Unmap{bytes});
    }
}

std::span<std::byte> GuestMemory::from(std::uint64_t address) const {
    const auto after = regions_.upper_bound(address);
    if (after == regions_.begin()) {
        return {};
    }
    const auto& [first, mapping] = *std::prev(after);
    const std::uint64_t offset = address - first;
    const std::size_t bytes = mapping.get_deleter().bytes;
    return offset < bytes ? std::span(mapping.get() + offset, bytes - offset) : std::span<std::byte>{};
}

bool GuestMemory::read(std::uint64_t address, std::span<std::byte> to) const {
    while (!to.empty()) {
        const std::span<std::byte> there = from(address);
        if (there.empty()) {
            return false;
        }
        const std::size_t count = std::min(there.size(), to.size());
        std::memcpy(to.data(), there.data(), count);
        address += count;
        to = to.subspan(count);
    }
    return true;
}

bool GuestMemory::write(std::uint64_t address, std::span<const std::byte> data) {
    while (!data.empty()) {
        const std::span<std::byte> there = from(address);
        if (there.empty()) {
            return false;
        }
        const std::size_t count = std::min(there.size(), data.size());
        std::memcpy(there.data(), data.data(), count);
        address += count;
        data = data.subspan(count);
    }
    return true;
}

}  // namespace solidtlm::testbench::pci_proxy
