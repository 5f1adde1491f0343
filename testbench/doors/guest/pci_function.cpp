// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/pci_function.h"

#include <array>

#include "hw/tlm/blocking_access.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::testbench {

std::uint64_t PciFunction::read(unsigned /*bar*/, std::uint64_t offset, unsigned bytes) {
    std::array<std::byte, sizeof(std::uint64_t)> data{};
    const std::span wanted = std::span(data).first(bytes);
    return access(tlm::TLM_READ_COMMAND, offset, wanted) ? hw::get_little_endian(wanted) : ~std::uint64_t{0};
}

void PciFunction::write(unsigned /*bar*/, std::uint64_t offset, std::uint64_t value, unsigned bytes) {
    std::array<std::byte, sizeof(std::uint64_t)> data{};
    const std::span wanted = std::span(data).first(bytes);
    hw::put_little_endian(wanted, value);
    (void)access(tlm::TLM_WRITE_COMMAND, offset, wanted);
}

/// False: the registers refuse the access.
bool PciFunction::access(tlm::tlm_command command, std::uint64_t offset, std::span<std::byte> data) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_response_status status =
        hw::blocking_access(processor_init_, command, offset, data, delay);
    wait(delay);
    return status == tlm::TLM_OK_RESPONSE;
}

}  // namespace solidtlm::testbench
