// SPDX-License-Identifier: Apache-2.0
//
// A host with an NVMe drive, whose driver works like Linux's: it enables the controller, asks for queues and
// creates pairs of them, each with its own MSI-X vector if there are enough. Commands go to the queues in
// turn, and a queue's doorbell is rung once for all commands that are sent at one instant. Statistics do not
// count what the driver does before the first request.
//
//   NvmeHost -- registers --> [ drive ]
//       |                        |
//       +------> memory <--------+    queues, lists of pages, data (nvme_memory.h); interrupts
//
// Registers are calls, because host and drive share an agenda (hw/nvme/device.h); memory is a socket.
//
// The host learns of a completion when its entry is in memory (`polls`), or when the interrupt's message has
// arrived; then host time begins (host.h). Commands may overtake each other, so a command that conflicts with
// an outstanding one (one of them writes sectors of the other) waits and holds back those after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tlm>
#include <vector>

#include <tlm_utils/simple_target_socket.h>

#include "hw/nvme/device.h"
#include "hw/nvme/driver_pair.h"
#include "hw/nvme/entries.h"
#include "testbench/sim/host/host.h"
#include "testbench/sim/host/nvme_memory.h"

namespace solidtlm::testbench {

struct NvmeHostConfig {
    std::uint32_t queues = 1;            ///< number of pairs; the controller must have as many
    std::uint32_t queue_entries = 1024;  ///< the controller must allow this size
    std::uint32_t vectors = 65;          ///< MSI-X vectors of the drive; the first is the admin queue's
    std::uint32_t commands = 32;         ///< most commands outstanding; the queues have room for them
    bool polls = false;
};

class NvmeHost final : public Host {
  public:
    tlm_utils::simple_target_socket<NvmeHost> memory_target{"memory_target"};

    /// All references must outlive the host, which shares the drive's agenda. The caller binds memory_target.
    NvmeHost(const sc_core::sc_module_name& name, const HostConfig& config, const NvmeHostConfig& nvme,
             hw::NvmeDevice& drive, RequestSource& source, const Pacing& pacing, CommandObserver& observer);

    [[nodiscard]] bool ready() const override { return running_; }
    [[nodiscard]] bool recovering() const override { return false; }
    void shut_down() override;
    [[nodiscard]] std::optional<bool> is_shut_down() override;
    void power_cut() override;

  private:
    using Word = hw::nvme::Word;
    /// The steps of the driver before it sends commands, in order.
    enum class Step : std::uint8_t { identify, queues, completion_queue, submission_queue, write_cache };
    struct NvmeJob final : Job {
        std::span<std::byte> memory;    ///< the data at the slot's addresses
        std::size_t stride = 0;         ///< bytes in `memory` per sector; 0: all bytes are there
        std::vector<std::byte> ranges;  ///< range list of a trim
    };
    /// A pair of queues from the driver's view.
    struct Pair : hw::nvme::DriverPair {
        Word vector = 0;  ///< MSI-X vector
        std::uint32_t outstanding = 0;
        std::vector<Job*> sent;   ///< the doorbell was not rung yet
        std::vector<Job*> ended;  ///< the host was not interrupted yet
    };

    // Implements Host.
    [[nodiscard]] std::unique_ptr<Job> make_job() const override { return std::make_unique<NvmeJob>(); }
    [[nodiscard]] Splitter::Limits limits() const override;
    [[nodiscard]] bool at_rest() const override { return running_; }
    void slot_freed(std::uint16_t slot) override;
    void go_on() override;

    void issue();
    void send(NvmeJob& job);
    [[nodiscard]] hw::nvme::Command encode(NvmeJob& job) const;
    void put(std::uint32_t queue, const hw::nvme::Command& command);
    void ring(std::uint32_t queue);
    [[nodiscard]] std::uint32_t choose_queue();

    // Called by the drive
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    bool access(bool write, std::uint64_t address, std::span<std::byte> bytes);
    void take_completions(std::uint32_t queue);
    void take_completion(std::uint32_t queue, std::span<const std::byte> entry);
    void interrupted(Word vector);
    void end_jobs(std::uint32_t queue);

    // The driver's own commands (nvme_host_driver.cpp)
    void drive_came();
    void begin_step();
    void step_done(Word result);
    void send_own(std::uint32_t queue, hw::nvme::Command command);
    void own_ended(std::uint32_t queue, std::uint16_t status, Word result);
    void flush();
    void tell_shut_down();

    // Registers
    void store(hw::nvme::Register where, Word value) {
        (void)drive_.store(static_cast<std::uint32_t>(where), value);
    }
    [[nodiscard]] Word status() const {
        return drive_.load(static_cast<std::uint32_t>(hw::nvme::Register::csts));
    }
    /// Rings the doorbell. Returns the time after which the drive knows.
    Ps ring_submission(std::uint32_t queue) {
        return drive_.store(hw::nvme::kDoorbells + 8 * queue, pairs_[queue].tail);
    }
    void ring_completion(std::uint32_t queue) {
        (void)drive_.store(hw::nvme::kDoorbells + 8 * queue + 4, pairs_[queue].head);
    }

    [[nodiscard]] hal::Ledger* ledger_of(std::uint16_t queue, std::uint16_t id) const;
    [[nodiscard]] NvmeJob* job_of(std::size_t slot) const {
        return slot < slots() ? static_cast<NvmeJob*>(active(slot)) : nullptr;
    }

    const NvmeHostConfig nvme_;
    hw::NvmeDevice& drive_;
    NvmeMemory memory_;
    std::vector<Pair> pairs_;  ///< the admin queue is the first
    std::vector<std::uint16_t> free_slots_;
    std::vector<std::uint32_t> queue_of_slot_;
    std::uint32_t next_queue_ = 0;

    bool running_ = false;
    Step step_ = Step::identify;
    std::uint32_t created_ = 0;      ///< pairs of I/O queues that exist
    std::uint32_t max_sectors_ = 1;  ///< most sectors per command (MDTS)
    std::optional<bool> flushed_;    ///< whether the flush before a shutdown succeeded
};

}  // namespace solidtlm::testbench
