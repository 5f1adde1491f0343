// SPDX-License-Identifier: Apache-2.0
#include "testbench/conformance/qtest/qtest_board.h"

#include <istream>
#include <ostream>
#include <string>

#include "fw/hal/horizon.h"
#include "hw/tlm/blocking_access.h"
#include "hw/tlm/time.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kPsPerNs = 1000;

}  // namespace

QtestBoard::QtestBoard(const sc_core::sc_module_name& name, const QtestSettings& settings,
                       std::uint64_t register_bytes, std::istream& in, std::ostream& out)
    : sc_module(name),
      bus_("bus", settings.registers, register_bytes),
      memory_("memory", settings.ram_bytes, hal::Ps{0}),
      irq_(settings.irq),
      in_(in),
      out_(out) {
    checkers_.join(processor_init_, bus_.processor_target);
    checkers_.join(bus_.memory_init, memory_.target);
    SC_HAS_PROCESS(QtestBoard);
    SC_THREAD(line_thread);
    SC_METHOD(interrupt_method);
    sensitive << interrupt_;
    dont_initialize();
}

void QtestBoard::line_thread() {
    settle();
    for (std::string line; std::getline(in_, line);) {
        const std::string answer = answer_qtest(*this, line);
        settle();
        out_ << answer << std::endl;
    }
    sc_core::sc_stop();
}

void QtestBoard::interrupt_method() {
    out_ << "IRQ " << (interrupt_.read() ? "raise " : "lower ") << irq_ << std::endl;
}

/// Runs all events that are due at the present time.
void QtestBoard::settle() {
    while (sc_core::sc_pending_activity_at_current_time()) {
        wait(sc_core::SC_ZERO_TIME);
    }
}

/// False: the access is refused.
bool QtestBoard::access(tlm::tlm_command command, std::uint64_t address, std::span<std::byte> bytes) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_response_status status =
        hw::blocking_access(processor_init_, command, address, bytes, delay);
    if (delay != sc_core::SC_ZERO_TIME) {
        wait(delay);
    }
    return status == tlm::TLM_OK_RESPONSE;
}

bool QtestBoard::load(std::uint64_t address, std::span<std::byte> bytes) {
    return access(tlm::TLM_READ_COMMAND, address, bytes);
}

bool QtestBoard::store(std::uint64_t address, std::span<const std::byte> bytes) {
    // A TLM write does not modify its data, so the const_cast is safe.
    return access(tlm::TLM_WRITE_COMMAND, address, {const_cast<std::byte*>(bytes.data()), bytes.size()});
}

std::optional<std::uint64_t> QtestBoard::step(std::optional<std::uint64_t> ns) {
    std::uint64_t ps = ns.value_or(0) * kPsPerNs;
    if (!ns && sc_core::sc_pending_activity()) {
        ps = (sc_core::sc_time_to_pending_activity().value() + kPsPerNs - 1) / kPsPerNs * kPsPerNs;
    }
    if (ps > static_cast<std::uint64_t>((hal::kHorizon - hw::kernel_now()).count())) {
        return std::nullopt;
    }
    if (ns || ps > 0) {
        wait(sc_core::sc_time::from_value(ps));
    }
    settle();
    return sc_core::sc_time_stamp().value() / kPsPerNs;
}

}  // namespace solidtlm::testbench
