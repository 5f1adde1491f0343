// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/host/port/ahci_port.h"

#include <algorithm>
#include <bit>

#include "fw/hal/check.h"
#include "hw/tlm/blocking_access.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::testbench {

namespace ata = hw::ata;
namespace ahci = hw::ahci;
using hal::Ps;
using hal::Stage;
using hw::now;
using R = hw::ahci::PortRegister;

namespace {

constexpr const char* kAhciPortReport = "/host/ahci_port";

// Layout of memory: command list, received FISes, tables, and the data of each slot.
constexpr std::uint64_t kList = 0x1000;
constexpr std::uint64_t kReceived = 0x1400;
constexpr std::uint64_t kReceivedBytes = 0x100;
constexpr std::uint64_t kTables = 0x2000;
constexpr std::uint64_t kTableBytes =
    ahci::kPrdtOffset + std::uint64_t{AhciPortConfig::kMostPrds} * ahci::kPrdBytes;
constexpr std::uint64_t kData = 0x100000;
static_assert(kTableBytes % 0x80 == 0 && kTables + ahci::kSlots * kTableBytes <= kData);
/// Buffer size for commands that do not give the length of their data.
constexpr std::uint32_t kUnknownBytes = 0x10000;

constexpr ahci::Word kErrors =
    ahci::kTfes | ahci::kHbfs | ahci::kHbds | ahci::kIfs | ahci::kOfs | ahci::kUfs | ahci::kPcs | ahci::kPrcs;
constexpr ahci::Word kEnds = ahci::kDhrs | ahci::kPss | ahci::kSdbs;
constexpr Ps kPollTime = std::chrono::microseconds{1};
constexpr std::size_t kStack = 0x100000;

constexpr std::uint64_t table_address(std::uint8_t slot) {
    return kTables + slot * kTableBytes;
}

}  // namespace

std::uint32_t AhciPortConfig::sectors() const {
    return std::min(max_sectors, prd_bytes * kMostPrds / hal::kSectorBytes);
}

AhciPort::AhciPort(const sc_core::sc_module_name& name, const AhciPortConfig& config, hw::Agenda* agenda)
    : AgendaModule(name, agenda),
      config_(config),
      slot_bytes_(std::max(config.sectors() * hal::kSectorBytes, kUnknownBytes)),
      memory_("memory", kData + ahci::kSlots * slot_bytes_, Ps{0}),
      hba_("hba", config.adapter) {
    SC_HAS_PROCESS(AhciPort);
    SC_THREAD(driver_thread);
    set_stack_size(kStack);
    SC_METHOD(line_rose);
    sensitive << line_.posedge_event();
    dont_initialize();
    register_init_.bind(hba_.register_target);
    hba_.dma_init.bind(memory_.dma_target);
    hba_.interrupt.bind(line_);
    hba_.set_ledgers([this](std::uint8_t, std::uint8_t slot) -> hal::Ledger* {
        return slots_[slot] != nullptr ? slots_[slot]->ledger : nullptr;
    });
    this->agenda().set_quantum(Ps{0});
}

// ---- From the host

void AhciPort::begin(PortCommand& command) {
    SOLIDTLM_CHECK(command.data_bytes <= slot_bytes_, "the data fits into the slot's memory");
    if (command.ledger != nullptr) {
        command.ledger->enter(Stage::host_cpu_wait, now());
    }
    asked_.push(&command);
    work_.notify(sc_core::SC_ZERO_TIME);
}

void AhciPort::forget_queued() {
    slots_.fill(nullptr);
    asked_.clear();
}

void AhciPort::power_cut() {
    SC_REPORT_FATAL(kAhciPortReport, "a drive behind an adapter keeps its power");
}

// ---- The driver

void AhciPort::driver_thread() {
    start();
    while (true) {
        if (line_.posedge()) {
            line_rose();  // in case the process of the line runs after this one
        }
        const Ps due = raised_ + config_.interrupt_latency;
        if (line_.read() && now() >= due) {
            interrupted();
            raised_ = now();  // for the next interrupt, if the line is still up
        } else if (!asked_.empty()) {
            submit(*asked_.pop());
        } else if (line_.read()) {
            sc_core::wait(hw::to_sc_time(due - now()), work_);
        } else {
            sc_core::wait(line_.posedge_event() | work_);
        }
    }
}

void AhciPort::line_rose() {
    raised_ = now();
}

/// Resets the adapter and waits for the drive's signature (AHCI 1.3.1, 10.1).
void AhciPort::start() {
    const auto ghc = static_cast<std::uint32_t>(ahci::Global::ghc);
    store(ghc, ahci::kGhcAe | ahci::kGhcHr);
    store(ghc, ahci::kGhcAe);
    store(R::clb, kList);
    store(R::clbu, 0);
    store(R::fb, kReceived);
    store(R::fbu, 0);
    store(R::cmd, load(R::cmd) | ahci::kSud | ahci::kFre);
    while ((load(R::ssts) & ahci::kDetMask) != ahci::kDetPresent ||
           (load(R::tfd) & (ata::kBusy | ata::kDrq)) != 0) {
        sc_core::wait(hw::to_sc_time(kPollTime));
    }
    store(R::serr, ~Word{0});
    store(R::is, ~Word{0});
    store(static_cast<std::uint32_t>(ahci::Global::is), 1);
    store(R::ie, kErrors | kEnds);
    store(R::cmd, load(R::cmd) | ahci::kSt);
    store(ghc, ahci::kGhcAe | ahci::kGhcIe);
    tell({});
}

void AhciPort::submit(PortCommand& command) {
    if (command.ledger != nullptr) {
        command.ledger->enter(Stage::host_cpu, now());
    }
    if (command.queued() && config_.submit_time > Ps{0}) {
        sc_core::wait(hw::to_sc_time(config_.submit_time));
    }
    const std::uint8_t slot = command.queued() ? command.tag : 0;
    write_table(slot, command);
    slots_[slot] = &command;
    if (command.queued()) {
        store(R::sact, Word{1} << slot);
    } else {
        // removes FISes of earlier commands
        std::ranges::fill(memory(kReceived, kReceivedBytes), std::byte{0});
    }
    store(R::ci, Word{1} << slot);
    if (command.ledger != nullptr) {
        command.ledger->enter(Stage::hba_fetch, now());
    }
}

/// Writes header, command FIS, PRDs and data of a command (4.2).
void AhciPort::write_table(std::uint8_t slot, const PortCommand& command) {
    const std::uint32_t bytes = command.received != nullptr ? kUnknownBytes : command.data_bytes;
    const std::uint64_t data = data_address(slot);
    if (command.to_device) {
        std::ranges::copy(command.content, memory(data, bytes).begin());
    }
    const hw::FisHeader fis = encode(command.registers);
    std::ranges::transform(fis.bytes.begin(), fis.bytes.begin() + fis.length,
                           memory(table_address(slot), fis.length).begin(),
                           [](std::uint8_t byte) { return std::byte{byte}; });
    std::uint32_t prds = 0;
    for (std::uint32_t done = 0; done < bytes; done += config_.prd_bytes) {
        const auto prd =
            memory(table_address(slot) + ahci::kPrdtOffset + std::uint64_t{prds++} * ahci::kPrdBytes,
                   ahci::kPrdBytes);
        hw::put_little_endian(prd.first<8>(), data + done);
        hw::put_little_endian(prd.subspan<8, 4>(), 0);
        hw::put_little_endian(prd.subspan<12, 4>(), std::min(bytes - done, config_.prd_bytes) - 1);
    }
    const auto header = memory(kList + std::uint64_t{slot} * ahci::kHeaderBytes, ahci::kHeaderBytes);
    hw::put_little_endian(header.first<4>(), Word{fis.length} / sizeof(Word) |
                                                 (command.to_device ? ahci::kHeaderWrite : 0) |
                                                 prds << ahci::kPrdtlShift);
    hw::put_little_endian(header.subspan<ahci::kByteCountOffset, 4>(), 0);
    hw::put_little_endian(header.subspan<8, 8>(), table_address(slot));
}

void AhciPort::interrupted() {
    const Ps begin = now();
    const auto global = static_cast<std::uint32_t>(ahci::Global::is);
    const Word ports = load(global);
    const Word causes = load(R::is);
    store(R::is, causes);
    const Word busy = load(R::sact) | load(R::ci);
    const Ps looked = now();
    for (Word ended = issued() & ~busy; ended != 0; ended &= ended - 1) {
        finish(static_cast<std::uint8_t>(std::countr_zero(ended)), begin, looked);
    }
    if ((causes & kErrors) == ahci::kTfes) {
        recover();
    } else if ((causes & kErrors) != 0) {
        SC_REPORT_FATAL(kAhciPortReport, "the adapter tells of an error that this driver cannot have caused");
    }
    store(global, ports);
    settle();
}

/// The drive has ended a command. `begin`: when the driver took up the interrupt that reported it; `looked`:
/// when it saw the completion.
void AhciPort::finish(std::uint8_t slot, Ps begin, Ps looked) {
    PortCommand& command = *slots_[slot];
    if (hal::Ledger* ledger = command.ledger; ledger != nullptr) {
        if (config_.interrupt_latency > Ps{0} && ledger->last() < begin) {
            ledger->enter(Stage::interrupt_latency, std::max(raised_, ledger->last()));
        }
        ledger->enter(Stage::host_cpu, std::max(begin, ledger->last()));
        ledger->enter(Stage::host_cpu_wait, std::max(looked, ledger->last()));
        ledger->enter(Stage::host_cpu, now());
    }
    if (command.ledger != nullptr && config_.complete_time > Ps{0}) {
        sc_core::wait(hw::to_sc_time(config_.complete_time));
    }
    take_data(slot);
    slots_[slot] = nullptr;
    News news{command.queued(), 1U << slot, {}};
    if (command.queued()) {
        news.answer.status = ata::kReady;  // the last received FIS may report another command's error
    } else {
        news.answer = answer();
    }
    tell(news);
}

/// Takes the data that the adapter has moved. For a failed queued command, the amount is unknown; its data is
/// valid up to the sector that the log reports.
void AhciPort::take_data(std::uint8_t slot) {
    PortCommand& command = *slots_[slot];
    const auto header = memory(kList + std::uint64_t{slot} * ahci::kHeaderBytes, ahci::kHeaderBytes);
    const auto moved =
        static_cast<std::uint32_t>(hw::get_little_endian(header.subspan<ahci::kByteCountOffset, 4>()));
    command.moved = command.queued() ? command.data_bytes : moved;
    if (command.received != nullptr) {
        const auto data = memory(data_address(slot), moved);
        command.received->insert(command.received->end(), data.begin(), data.end());
    } else if (!command.to_device) {
        std::ranges::copy(memory(data_address(slot), command.moved), command.content.begin());
    }
}

/// The task file shows an error: stops and restarts the port (6.2.2); the host then asks for the log. A
/// command that is on its way meanwhile must be refused first.
void AhciPort::recover() {
    const Word task_file = load(R::tfd);
    const Word command = load(R::cmd);
    store(R::cmd, command & ~ahci::kSt);
    while ((load(R::cmd) & ahci::kCr) != 0 || (load(R::tfd) & (ata::kBusy | ata::kDrq)) != 0) {
        sc_core::wait(hw::to_sc_time(kPollTime));
    }
    store(R::serr, ~Word{0});
    store(R::is, ~Word{0});
    store(R::cmd, command);
    for (Word left = issued(); left != 0; left &= left - 1) {
        take_data(static_cast<std::uint8_t>(std::countr_zero(left)));
    }
    News news;
    news.answer.status = static_cast<std::uint8_t>(task_file);
    news.answer.error = static_cast<std::uint8_t>(task_file >> 8U);
    if (slots_[0] != nullptr && !slots_[0]->queued()) {
        slots_[0] = nullptr;
        news.answer = answer();
    } else {
        news.queued = true;
    }
    tell(news);
}

/// How the non-queued command has ended: as reported by a Register FIS or, after a PIO data phase, by its
/// last PIO Setup FIS.
hw::RegisterD2h AhciPort::answer() {
    if (*received(ahci::kReceivedRegister) == static_cast<std::uint8_t>(hw::FisType::register_d2h)) {
        return hw::decode<hw::RegisterD2h>(received(ahci::kReceivedRegister));
    }
    hw::RegisterD2h answer;
    answer.status = hw::decode<hw::PioSetup>(received(ahci::kReceivedPioSetup)).end_status;
    return answer;
}

/// The host handles the news before the driver continues.
void AhciPort::tell(const News& news) {
    news_ = news;
    at<&AhciPort::tell_user>(now());
    settle();
}

/// Lets other blocks handle what is due now; the interrupt line then matches the adapter's registers.
void AhciPort::settle() {
    at<&AhciPort::settled>(now());
    sc_core::wait(settled_);
}

void AhciPort::settled() {
    settled_.notify(sc_core::SC_ZERO_TIME);
}

void AhciPort::tell_user() {
    if (news_.queued) {
        user_->queued_ended(news_.tags, news_.answer.status, news_.answer.error);
    } else if (news_.answer.status != 0) {
        user_->ended(news_.answer);
    } else {
        user_->drive_came();
    }
    user_->go_on();
}

// ---- Registers and memory

AhciPort::Word AhciPort::load(std::uint32_t offset) {
    std::array<std::byte, sizeof(Word)> value{};
    access(tlm::TLM_READ_COMMAND, offset, value);
    return static_cast<Word>(hw::get_little_endian(value));
}

void AhciPort::store(std::uint32_t offset, Word value) {
    std::array<std::byte, sizeof(Word)> bytes{};
    hw::put_little_endian(bytes, value);
    access(tlm::TLM_WRITE_COMMAND, offset, bytes);
}

void AhciPort::access(tlm::tlm_command command, std::uint32_t offset, std::span<std::byte> bytes) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_response_status status =
        hw::blocking_access(register_init_, command, offset, bytes, delay);
    SOLIDTLM_CHECK(status == tlm::TLM_OK_RESPONSE && delay == sc_core::SC_ZERO_TIME,
                   "the adapter takes its time in the call");
}

std::uint64_t AhciPort::data_address(std::uint8_t slot) const {
    return kData + slot * slot_bytes_;
}

std::span<std::byte> AhciPort::memory(std::uint64_t address, std::uint64_t bytes) {
    return memory_.at(address, bytes);
}

const std::uint8_t* AhciPort::received(std::uint32_t offset) {
    return reinterpret_cast<const std::uint8_t*>(memory(kReceived + offset, 0x20).data());
}

std::uint32_t AhciPort::issued() const {
    std::uint32_t slots = 0;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        slots |= slots_[slot] != nullptr ? 1U << slot : 0;
    }
    return slots;
}

}  // namespace solidtlm::testbench
