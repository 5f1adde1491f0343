// SPDX-License-Identifier: Apache-2.0
//
// Hardware for firmware tests, without SystemC: a small event loop, a flash array written from the rules (not
// from hw/nand), DRAM, and a host queue. Times are rough; order and data are exact.
#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fw/drive/config.h"
#include "fw/firmware.h"

namespace solidtlm::fw::testing {

/// Simulated time: events in order.
class FakeClock : public hal::Clock {
  public:
    [[nodiscard]] Ps now() const override { return now_; }
    void set_alarm(Ps at, hal::Completion alarm) override;
    void at(Ps when, std::function<void()> action);
    /// Runs the next event; false if there is none.
    bool run_one();
    /// Drops all events that have not run.
    void forget() {
        events_ = {};
        ++alarm_generation_;
    }

  private:
    struct Event {
        Ps when;
        std::uint64_t sequence;
        std::function<void()> action;
        bool operator>(const Event& other) const {
            return when != other.when ? when > other.when : sequence > other.sequence;
        }
    };
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    Ps now_{0};
    std::uint64_t sequence_ = 0;
    std::uint64_t alarm_generation_ = 0;
};

class FakeDram : public hal::Dram {
  public:
    FakeDram(std::uint64_t size, hal::ContentMode mode)
        : size_(size), stride_(hal::content_stride(mode)), content_(size / hal::kSectorBytes * stride_) {}
    Access core_accesses(hal::DramAddress, std::uint32_t, std::uint32_t count, bool, Ps) override {
        return Access{count * Ps{1000}, count * Ps{40'000}};
    }
    std::byte* content(hal::DramAddress address) override {
        return stride_ == 0 ? nullptr : content_.data() + address.value / hal::kSectorBytes * stride_;
    }
    [[nodiscard]] std::uint64_t size_bytes() const override { return size_; }

  private:
    std::uint64_t size_;
    std::size_t stride_;
    std::vector<std::byte> content_;
};

/// Hashes one job after the other. Digests are those of the content bytes, including identities.
class FakeHash : public hal::Hash {
  public:
    FakeHash(FakeClock& clock, FakeDram& dram, hal::ContentMode mode)
        : clock_(clock), dram_(dram), mode_(mode) {}
    void submit(hal::HashJob& job) override;
    /// Forgets every job.
    void power_cut();

    Ps crc32_time = std::chrono::microseconds(13);
    Ps md5_time = std::chrono::microseconds(100);
    std::uint32_t crc_bits = 32;  ///< bits kept of a CRC32; fewer bits make collisions more likely
    std::map<hal::HashFunction, std::uint64_t> jobs;

  private:
    void start_next();
    void finish();
    [[nodiscard]] std::array<std::byte, 16> digest(const hal::HashJob& job);

    FakeClock& clock_;
    FakeDram& dram_;
    hal::ContentMode mode_;
    std::deque<hal::HashJob*> urgent_;
    std::deque<hal::HashJob*> waiting_;
    hal::HashJob* running_ = nullptr;
    std::uint64_t cuts_ = 0;
};

/// Each die executes its operations in the order of submission.
class FakeFlash : public hal::Flash, public hal::EmergencyFlash {
  public:
    FakeFlash(const FirmwareConfig& config, FakeClock& clock, FakeDram& dram, std::uint64_t seed);
    void submit(hal::FlashOp& op) override;
    /// Tears the pages and blocks that the dies work on, and drops waiting operations.
    void power_cut();
    // hal::EmergencyFlash.
    [[nodiscard]] bool erased(const hal::FlashAddress& page) const override;
    bool program(const hal::FlashAddress& page, std::span<const std::byte> spare) override;
    /// The pages of its block are in SLC mode.
    [[nodiscard]] bool in_slc_mode(const hal::FlashAddress& page) const;
    [[nodiscard]] bool factory_bad(const hal::FlashAddress& block) const override {
        return bad_blocks.contains(block);
    }
    [[nodiscard]] std::uint32_t pending(hal::Channel channel, hal::Die die) const override;

    std::map<hal::FlashAddress, bool> bad_blocks;
    std::set<std::pair<hal::Channel, hal::Die>> dead;           ///< dies that no longer answer
    std::map<hal::FlashAddress, bool> unreadable;               ///< pages that ECC cannot correct
    std::map<hal::FlashAddress, std::uint64_t> reads;           ///< by unreadable page: number of reads
    std::map<hal::FlashAddress, std::uint16_t> corrected_bits;  ///< bits that ECC corrects; default 0
    double program_failure = 0.0;                               ///< probability that a program fails
    double erase_failure = 0.0;
    std::function<bool(const hal::FlashAddress&)> worn;  ///< blocks whose programs and erases fail, if any
    std::uint32_t endurance = 0;  ///< erases of a block after which the next one fails; 0: unlimited
    std::vector<std::string> violations;
    /// Most operations besides erases that were outstanding at once. More than most_flash_operations() of the
    /// configuration are a violation.
    std::size_t most_outstanding = 0;
    std::uint64_t emergency_programs = 0;
    std::map<hal::FlashOpcode, std::uint64_t> operations;                       ///< each plane counts once
    std::map<std::pair<hal::Cause, hal::FlashOpcode>, std::uint64_t> by_cause;  ///< each plane counts once

  private:
    struct PageData {
        std::vector<std::byte> content;
        std::vector<std::byte> spare;
        bool torn = false;
    };
    struct BlockData {
        std::map<std::uint32_t, PageData> pages;  // programmed since the erase, by page
        std::uint32_t erases = 0;
        bool torn = false;  // by an interrupted erase
        bool slc = false;   // the mode of its pages
    };
    struct Submitted {
        hal::FlashOp* op;
        Ps begin;
        Ps end;
    };
    void tear(const hal::FlashOp& op);
    void finish(hal::FlashOp& op);
    hal::FlashStatus apply(hal::FlashOp& op, std::uint8_t plane);
    hal::FlashStatus program_page(const hal::FlashAddress& at, PageData page, bool slc);
    PageData gather(const hal::FlashOp& op, std::uint8_t plane);
    void violate(const hal::FlashAddress& at, const std::string& what);
    BlockData& block_of(const hal::FlashAddress& at);

    const FirmwareConfig& config_;
    const FlashLayout layout_;
    FakeClock& clock_;
    FakeDram& dram_;
    std::mt19937_64 random_;
    std::map<hal::FlashAddress, BlockData> blocks_;
    std::vector<Ps> die_free_;
    std::vector<std::deque<Submitted>> queues_;  // of each die
    const std::size_t most_operations_;
    std::size_t outstanding_ = 0;  // besides erases
};

/// A host queue: commands enter with submit(); data moves over one link, in order.
class FakeHost : public hal::Host {
  public:
    FakeHost(FakeClock& clock, FakeDram& dram, hal::ContentMode mode)
        : clock_(clock), dram_(dram), stride_(hal::content_stride(mode)) {}

    struct Issued {
        hal::HostCommand command;
        Ledger ledger;
        std::vector<hal::TrimRange> ranges;
        hal::HealthReport health;
        std::vector<std::byte> content;  ///< of the whole command
        Ps arrival{0};
        std::uint64_t number = 0;  ///< order of submission
        hal::HostStatus status = hal::HostStatus::ok;
        Ps latency{0};
        std::function<void(Issued&)> completed;

        /// Identity of a sector of the command.
        [[nodiscard]] std::uint64_t identity(std::size_t sector) const {
            std::uint64_t found = 0;
            std::memcpy(&found, content.data() + sector * sizeof found, sizeof found);
            return found;
        }
        void set_identity(std::size_t sector, std::uint64_t identity) {
            std::memcpy(content.data() + sector * sizeof identity, &identity, sizeof identity);
        }
    };
    /// A command with room for the identities of its sectors.
    [[nodiscard]] static std::unique_ptr<Issued> make(hal::HostOpcode opcode, std::uint64_t lba = 0,
                                                      std::uint32_t sectors = 0) {
        auto issued = std::make_unique<Issued>();
        issued->command.opcode = opcode;
        issued->command.lba = hal::Lba{lba};
        issued->command.sectors = sectors;
        issued->content.resize(std::size_t{sectors} * sizeof(std::uint64_t));
        return issued;
    }
    /// Takes ownership until completion.
    void submit(std::unique_ptr<Issued> issued);
    [[nodiscard]] std::size_t outstanding() const { return active_.size(); }

    hal::HostCommand* fetch() override;
    void on_arrival(hal::Completion arrived) override { arrived_ = arrived; }
    void transfer(hal::HostTransfer& transfer) override;
    void complete(hal::HostCommand& command, hal::HostStatus status) override;

    /// Drops every command; calls `lost` for each that was outstanding, in order of submission.
    void power_cut(const std::function<void(Issued&)>& lost);

    double abort_probability = 0.0;  ///< probability that a transfer is aborted
    std::mt19937_64 random{1};

  private:
    void move(hal::HostTransfer& transfer);

    FakeClock& clock_;
    FakeDram& dram_;
    std::size_t stride_;
    hal::Completion arrived_;
    std::deque<Issued*> queue_;
    std::map<hal::HostCommand*, std::unique_ptr<Issued>> active_;
    std::uint64_t submitted_ = 0;
    Ps link_free_{0};
};

/// A whole device: all of this hardware, and firmware that runs on it.
class FakeDevice {
  public:
    FakeDevice(FirmwareConfig configuration, std::uint64_t seed,
               const std::function<void(FakeFlash&)>& prepare = {});
    /// Runs until no work is left.
    void run();
    /// Cuts the power now; calls `lost` for each outstanding command. Then power returns, and the firmware
    /// boots.
    void cycle_power(const std::function<void(FakeHost::Issued&)>& lost);

    FirmwareConfig config;
    FakeClock clock;
    FakeDram dram;
    FakeFlash flash;
    FakeHash hash;
    FakeHost host;
    hal::PageStore pages;
    std::unique_ptr<Firmware> firmware;
    std::uint64_t longest_turn = 0;  ///< cycles of consecutive slices of one turn while others were ready

  private:
    void boot(Boot how);
    void run_core();
    bool core_scheduled_ = false;
    std::uint64_t turn_ = 0;
};

/// 2 channels x 2 dies x 2 planes x 16 blocks x 8 pages of 8 KiB, 4 KiB units, with the largest legal
/// capacity.
FirmwareConfig tiny_config();
/// Sets the largest capacity that the firmware allows.
void export_everything(FirmwareConfig& config);

}  // namespace solidtlm::fw::testing
