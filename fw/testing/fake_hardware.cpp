// SPDX-License-Identifier: Apache-2.0
#include "fw/testing/fake_hardware.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "fw/flash/spare.h"
#include "fw/hal/xor_onto.h"
#include "fw/needs.h"
#include "fw/parity/die_group.h"

namespace solidtlm::fw::testing {

using namespace std::chrono_literals;

void FakeClock::at(Ps when, std::function<void()> action) {
    events_.push(Event{when, sequence_++, std::move(action)});
}

void FakeClock::set_alarm(Ps when, hal::Completion alarm) {
    const std::uint64_t generation = ++alarm_generation_;
    at(when, [this, generation, alarm] {
        if (generation == alarm_generation_) {
            alarm();
        }
    });
}

bool FakeClock::run_one() {
    if (events_.empty()) {
        return false;
    }
    const Event event = events_.top();
    events_.pop();
    now_ = event.when;
    event.action();
    return true;
}

void FakeHash::submit(hal::HashJob& job) {
    if (mode_ == hal::ContentMode::none || job.bytes == 0 || job.bytes % hal::kSectorBytes != 0) {
        std::abort();  // nothing to hash
    }
    if (job.ledger != nullptr) {
        job.ledger->enter(Stage::hash, clock_.now());
    }
    (job.priority ? urgent_ : waiting_).push_back(&job);
    if (running_ == nullptr) {
        start_next();
    }
}

void FakeHash::start_next() {
    std::deque<hal::HashJob*>& queue = urgent_.empty() ? waiting_ : urgent_;
    if (queue.empty()) {
        return;
    }
    running_ = queue.front();
    queue.pop_front();
    const Ps duration = running_->function == hal::HashFunction::crc32 ? crc32_time : md5_time;
    clock_.at(clock_.now() + duration, [this, cuts = cuts_] {
        if (cuts == cuts_) {
            finish();
        }
    });
}

void FakeHash::finish() {
    hal::HashJob& job = *running_;
    running_ = nullptr;
    ++jobs[job.function];
    job.digest = digest(job);
    if (job.ledger != nullptr) {
        job.ledger->enter(Stage::firmware_wait, clock_.now());
    }
    start_next();
    job.done();
}

std::array<std::byte, 16> FakeHash::digest(const hal::HashJob& job) {
    const auto* content = reinterpret_cast<const unsigned char*>(dram_.content(job.source));
    const std::size_t bytes = hal::content_bytes(mode_, job.bytes);
    std::array<std::byte, 16> value{};
    if (job.function == hal::HashFunction::crc32) {
        const std::uint64_t kept = (std::uint64_t{1} << crc_bits) - 1;
        const auto crc = static_cast<std::uint32_t>(::crc32_z(0, content, bytes) & kept);
        std::memcpy(value.data(), &crc, sizeof crc);
    } else if (EVP_Digest(content, bytes, reinterpret_cast<unsigned char*>(value.data()), nullptr, EVP_md5(),
                          nullptr) != 1) {
        std::abort();  // OpenSSL refuses MD5
    }
    return value;
}

void FakeHash::power_cut() {
    urgent_.clear();
    waiting_.clear();
    running_ = nullptr;
    ++cuts_;
}

FakeFlash::FakeFlash(const FirmwareConfig& config, FakeClock& clock, FakeDram& dram, std::uint64_t seed)
    : config_(config),
      layout_(physical_layout(config)),
      clock_(clock),
      dram_(dram),
      random_(seed),
      die_free_(std::size_t{layout_.channels} * layout_.dies),
      queues_(die_free_.size()),
      most_operations_(most_flash_operations(config, media_layout(config))) {}

std::uint32_t FakeFlash::pending(hal::Channel channel, hal::Die die) const {
    return static_cast<std::uint32_t>(queues_[channel.value * layout_.dies + die.value].size());
}

void FakeFlash::submit(hal::FlashOp& op) {
    const std::size_t die = op.address[0].channel.value * layout_.dies + op.address[0].die.value;
    Ps duration = 50us;
    if (op.opcode == hal::FlashOpcode::program || op.opcode == hal::FlashOpcode::copy_back) {
        duration = 500us;
    } else if (op.opcode == hal::FlashOpcode::erase) {
        duration = 3ms;
    }
    duration += Ps{static_cast<std::int64_t>(random_() % 10'000'000)};
    if (op.ledger != nullptr) {
        op.ledger->enter(hal::die_wait_for(hal::Holder::host), clock_.now());
        op.ledger->enter(Stage::array, std::max(clock_.now(), die_free_[die]));
    }
    if (op.opcode != hal::FlashOpcode::erase) {
        most_outstanding = std::max(most_outstanding, ++outstanding_);
        if (outstanding_ > most_operations_) {
            violate(op.address[0], "more operations are outstanding than the rooms declare");
        }
    }
    const Ps begin = std::max(clock_.now(), die_free_[die]);
    die_free_[die] = begin + duration;
    queues_[die].push_back(Submitted{&op, begin, die_free_[die]});
    clock_.at(die_free_[die], [this, &op, die] {
        queues_[die].pop_front();
        outstanding_ -= op.opcode != hal::FlashOpcode::erase ? 1 : 0;
        finish(op);
    });
}

void FakeFlash::power_cut() {
    for (std::deque<Submitted>& queue : queues_) {
        if (!queue.empty() && queue.front().begin <= clock_.now()) {
            tear(*queue.front().op);
        }
        queue.clear();
    }
    outstanding_ = 0;
    std::fill(die_free_.begin(), die_free_.end(), Ps{0});
}

void FakeFlash::tear(const hal::FlashOp& op) {
    for (std::uint8_t plane = 0; plane < op.slots(); ++plane) {
        BlockData& block = block_of(op.address[plane]);
        if (op.opcode == hal::FlashOpcode::erase) {
            block.torn = true;
        } else if (op.opcode != hal::FlashOpcode::read) {
            const std::uint32_t number = op.address[plane].page.value;
            if (block.torn || block.pages.contains(number)) {
                violate(op.address[plane], "program of a page that is not erased, torn");
            }
            block.slc = block.pages.empty() ? op.slc : block.slc;
            block.pages[number] = PageData{{}, {}, true};
            const std::uint32_t paired =
                layout_.page_by_page && !op.slc ? number % layout_.pages_per_program : 0;
            for (std::uint32_t below = 1; below <= paired; ++below) {
                block.pages[number - below] = PageData{{}, {}, true};
            }
            const std::vector<std::uint32_t>& pairs = layout_.page_below;
            for (std::uint32_t at = number; !op.slc && !pairs.empty() && pairs[at] != at; at = pairs[at]) {
                block.pages[pairs[at]] = PageData{{}, {}, true};
            }
        }
    }
}

void FakeFlash::finish(hal::FlashOp& op) {
    op.status = hal::FlashStatus::ok;
    op.corrected_bits = 0;
    if (op.opcode == hal::FlashOpcode::program &&
        op.word_line_pages != (op.slc || layout_.page_by_page ? 1 : layout_.pages_per_program)) {
        violate(op.address[0], "program of a part of a word line");
    }
    for (std::uint8_t plane = 0; plane < op.slots(); ++plane) {
        if (op.address[plane].page.value != op.address[0].page.value + plane / op.planes ||
            op.address[plane].die != op.address[0].die ||
            op.address[plane].channel != op.address[0].channel) {
            violate(op.address[plane], "multi-plane addresses differ");
        }
        op.plane_status[plane] = apply(op, plane);
        if (op.plane_status[plane] != hal::FlashStatus::ok) {
            op.status = op.plane_status[plane];
        }
        ++operations[op.opcode];
        ++by_cause[{op.cause, op.opcode}];
    }
    if (op.ledger != nullptr) {
        op.ledger->enter(Stage::firmware_wait, clock_.now());
    }
    op.done();
}

FakeFlash::BlockData& FakeFlash::block_of(const hal::FlashAddress& at) {
    hal::FlashAddress block = at;
    block.page = hal::Page{0};
    if (bad_blocks.contains(block)) {
        violate(at, "access to a factory-bad block");
    }
    return blocks_[block];
}

void FakeFlash::violate(const hal::FlashAddress& at, const std::string& what) {
    violations.push_back(what + " at channel " + std::to_string(at.channel.value) + " die " +
                         std::to_string(at.die.value) + " plane " + std::to_string(at.plane.value) +
                         " block " + std::to_string(at.block.value) + " page " +
                         std::to_string(at.page.value));
}

FakeFlash::PageData FakeFlash::gather(const hal::FlashOp& op, std::uint8_t plane) {
    const std::size_t stride = hal::content_stride(config_.content);
    PageData page;
    page.content.resize(layout_.page_bytes / hal::kSectorBytes * stride);
    for (const hal::FlashPiece& piece : op.pieces) {
        if (piece.plane_slot == plane && piece.dram.value != hal::FlashPiece::kPadding && stride != 0) {
            hal::xor_onto(page.content.data() + piece.column_bytes / hal::kSectorBytes * stride,
                          dram_.content(piece.dram), piece.length_bytes / hal::kSectorBytes * stride);
        }
    }
    const std::size_t metadata = op.spare.size() / op.slots();
    const auto spare = op.spare.subspan(plane * metadata, metadata);
    page.spare.assign(spare.begin(), spare.end());
    return page;
}

bool FakeFlash::erased(const hal::FlashAddress& page) const {
    hal::FlashAddress block = page;
    block.page = hal::Page{0};
    const auto found = blocks_.find(block);
    return found == blocks_.end() || (!found->second.torn && !found->second.pages.contains(page.page.value));
}

bool FakeFlash::in_slc_mode(const hal::FlashAddress& page) const {
    hal::FlashAddress block = page;
    block.page = hal::Page{0};
    const auto found = blocks_.find(block);
    return found != blocks_.end() && found->second.slc;
}

bool FakeFlash::program(const hal::FlashAddress& page, std::span<const std::byte> spare) {
    ++emergency_programs;
    PageData data;
    data.content.resize(layout_.page_bytes / hal::kSectorBytes * hal::content_stride(config_.content));
    data.spare.assign(spare.begin(), spare.end());
    return program_page(page, std::move(data), false) == hal::FlashStatus::ok;
}

hal::FlashStatus FakeFlash::program_page(const hal::FlashAddress& at, PageData page, bool slc) {
    BlockData& block = block_of(at);
    const std::uint32_t number = at.page.value;
    if ((slc && number >= layout_.slc_pages) || (!block.pages.empty() && block.slc != slc)) {
        violate(at, slc ? "program in SLC mode" : "program in normal mode");
        return hal::FlashStatus::rule_violation;
    }
    if (block.pages.contains(number) || block.torn) {
        violate(at, "program of a page that is not erased");
        return hal::FlashStatus::rule_violation;
    }
    if (layout_.ascending_pages && block.pages.upper_bound(number) != block.pages.end()) {
        violate(at, "program below page " + std::to_string(block.pages.rbegin()->first));
        return hal::FlashStatus::rule_violation;
    }
    block.slc = slc;
    block.pages[number] = std::move(page);
    const bool fails = std::uniform_real_distribution<>()(random_) < program_failure;
    return fails ? hal::FlashStatus::program_failed : hal::FlashStatus::ok;
}

hal::FlashStatus FakeFlash::apply(hal::FlashOp& op, std::uint8_t plane) {
    if (dead.contains({op.address[plane].channel, op.address[plane].die})) {
        return op.opcode == hal::FlashOpcode::read    ? hal::FlashStatus::uncorrectable
               : op.opcode == hal::FlashOpcode::erase ? hal::FlashStatus::erase_failed
                                                      : hal::FlashStatus::program_failed;
    }
    BlockData& block = block_of(op.address[plane]);
    const bool is_worn = worn && worn(op.address[plane]);
    if (op.opcode == hal::FlashOpcode::erase) {
        if (is_worn) {
            return hal::FlashStatus::erase_failed;
        }
        if (endurance != 0 && block.erases >= endurance) {
            return hal::FlashStatus::erase_failed;
        }
        ++block.erases;
        block.pages.clear();
        block.torn = false;
        std::erase_if(unreadable, [&op, plane](const auto& entry) {
            hal::FlashAddress page = entry.first;
            page.page = op.address[plane].page;
            return page == op.address[plane];
        });
        const bool fails = std::uniform_real_distribution<>()(random_) < erase_failure;
        return fails ? hal::FlashStatus::erase_failed : hal::FlashStatus::ok;
    }
    if (op.opcode == hal::FlashOpcode::program) {
        const hal::FlashStatus status = program_page(op.address[plane], gather(op, plane), op.slc);
        return is_worn ? hal::worse(status, hal::FlashStatus::program_failed) : status;
    }
    const hal::FlashAddress& from =
        op.opcode == hal::FlashOpcode::copy_back ? op.source[plane] : op.address[plane];
    BlockData& source = block_of(from);
    if (source.torn) {
        return hal::FlashStatus::uncorrectable;
    }
    if (!source.pages.empty() && source.slc != op.senses_slc()) {
        if (config_.slc_cache.has_dynamic() && op.cause == hal::Cause::recovery) {
            return hal::FlashStatus::uncorrectable;  // as for a boot that must find the mode
        }
        violate(from, op.senses_slc() ? "read in SLC mode" : "read in normal mode");
        return hal::FlashStatus::uncorrectable;
    }
    const auto found = source.pages.find(from.page.value);
    if (found == source.pages.end()) {
        if (op.cause != hal::Cause::recovery) {
            violate(from, "read of an erased page");
        }
        return hal::FlashStatus::erased;
    }
    const PageData& page = found->second;
    if (page.torn) {
        return hal::FlashStatus::uncorrectable;
    }
    if (op.opcode == hal::FlashOpcode::copy_back) {
        if (from.plane != op.address[plane].plane) {
            violate(from, "copy-back across planes");
        }
        PageData copy = page;
        if (!op.spare.empty()) {
            const std::size_t bytes = op.spare.size() / op.slots();
            const auto spare = op.spare.subspan(plane * bytes, bytes);
            copy.spare.assign(spare.begin(), spare.end());
        }
        return program_page(op.address[plane], std::move(copy), op.slc);
    }
    if (unreadable.contains(from)) {
        ++reads[from];
        return hal::FlashStatus::uncorrectable;
    }
    if (const auto weak = corrected_bits.find(from); weak != corrected_bits.end()) {
        op.corrected_bits = std::max(op.corrected_bits, weak->second);
    }
    const std::size_t stride = hal::content_stride(config_.content);
    for (const hal::FlashPiece& piece : op.pieces) {
        if (piece.plane_slot == plane && stride != 0 && piece.dram.value != hal::FlashPiece::kPadding) {
            std::byte* to = dram_.content(piece.dram);
            const std::size_t bytes = piece.length_bytes / hal::kSectorBytes * stride;
            std::fill_n(to, op.accumulate ? 0 : bytes, std::byte{0});
            hal::xor_onto(to, page.content.data() + piece.column_bytes / hal::kSectorBytes * stride, bytes);
        }
    }
    if (!op.spare.empty()) {
        const std::size_t bytes = op.spare.size() / op.slots();
        std::memcpy(op.spare.data() + plane * bytes, page.spare.data(), std::min(bytes, page.spare.size()));
    }
    return hal::FlashStatus::ok;
}

void FakeHost::submit(std::unique_ptr<Issued> issued) {
    Issued& entry = *issued;
    entry.command.ledger = &entry.ledger;
    entry.command.ranges = entry.ranges;
    entry.command.health = &entry.health;
    entry.arrival = clock_.now();
    entry.number = submitted_++;
    entry.ledger.start(Stage::command_queue, clock_.now());
    const bool was_empty = queue_.empty();
    queue_.push_back(&entry);
    active_.emplace(&entry.command, std::move(issued));
    if (was_empty && arrived_) {
        arrived_();
    }
}

hal::HostCommand* FakeHost::fetch() {
    if (queue_.empty()) {
        return nullptr;
    }
    Issued* issued = queue_.front();
    queue_.pop_front();
    return &issued->command;
}

void FakeHost::transfer(hal::HostTransfer& transfer) {
    const Ps start = std::max(clock_.now(), link_free_);
    link_free_ = start + 1us + Ps{transfer.sectors * std::int64_t{900'000}};
    transfer.ledger->enter(Stage::link_wait, clock_.now());
    transfer.ledger->enter(Stage::link_transfer, start);
    clock_.at(link_free_, [this, &transfer] {
        transfer.aborted = std::uniform_real_distribution<>()(random) < abort_probability;
        if (!transfer.aborted) {
            move(transfer);
        }
        transfer.ledger->enter(Stage::firmware_wait, clock_.now());
        transfer.done();
    });
}

void FakeHost::move(hal::HostTransfer& transfer) {
    Issued& issued = *active_.at(transfer.command);
    std::byte* host_side = issued.content.data() + transfer.first_sector * stride_;
    std::uint64_t bytes = 0;
    for (const hal::HostTransfer::Piece& piece : transfer.pieces) {
        const std::size_t length = piece.bytes / hal::kSectorBytes * stride_;
        if (issued.command.opcode == hal::HostOpcode::read) {
            std::memcpy(host_side, dram_.content(piece.dram), length);
        } else {
            std::memcpy(dram_.content(piece.dram), host_side, length);
        }
        host_side += length;
        bytes += piece.bytes;
    }
    if (bytes != std::uint64_t{transfer.sectors} * hal::kSectorBytes) {
        std::abort();  // the pieces of a transfer do not add up
    }
}

void FakeHost::complete(hal::HostCommand& command, hal::HostStatus status) {
    const auto entry = active_.extract(&command);
    Issued& issued = *entry.mapped();
    issued.ledger.enter(Stage::completion, clock_.now());
    issued.status = status;
    issued.latency = clock_.now() - issued.arrival;
    issued.completed(issued);
}

void FakeHost::power_cut(const std::function<void(Issued&)>& lost) {
    std::vector<Issued*> outstanding;
    for (const auto& [command, issued] : active_) {
        outstanding.push_back(issued.get());
    }
    std::sort(outstanding.begin(), outstanding.end(),
              [](const Issued* a, const Issued* b) { return a->number < b->number; });
    for (Issued* issued : outstanding) {
        lost(*issued);
    }
    active_.clear();
    queue_.clear();
    arrived_ = {};
    link_free_ = Ps{0};
}

FakeDevice::FakeDevice(FirmwareConfig configuration, std::uint64_t seed,
                       const std::function<void(FakeFlash&)>& prepare)
    : config(std::move(configuration)),
      dram(Firmware::dram_bytes(config), config.content),
      flash(config, clock, dram, seed),
      hash(clock, dram, config.content),
      host(clock, dram, config.content) {
    host.random.seed(seed);
    if (prepare) {
        prepare(flash);
    }
    boot(Boot::factory);
}

void FakeDevice::cycle_power(const std::function<void(FakeHost::Issued&)>& lost) {
    clock.forget();
    flash.power_cut();
    hash.power_cut();
    firmware->save(flash);
    firmware.reset();
    host.power_cut(lost);
    boot(Boot::scan);
}

void FakeDevice::boot(Boot how) {
    const Hardware hardware{clock, flash, dram, host, nullptr, &pages, &hash};
    firmware = std::make_unique<Firmware>(config, hardware, how);
    firmware->on_work(hal::Completion{[](void* context) {
                                          auto* self = static_cast<FakeDevice*>(context);
                                          if (!self->core_scheduled_) {
                                              self->core_scheduled_ = true;
                                              self->clock.at(self->clock.now(), [self] { self->run_core(); });
                                          }
                                      },
                                      this});
    core_scheduled_ = true;
    clock.at(clock.now(), [this] { run_core(); });
}

void FakeDevice::run_core() {
    core_scheduled_ = false;
    const hal::Slice slice = firmware->step();
    if (!slice.idle) {
        turn_ = slice.turn_after(turn_, slice.cycles);
        longest_turn = std::max(longest_turn, turn_);
        core_scheduled_ = true;
        clock.at(clock.now() + Ps{static_cast<std::int64_t>(slice.cycles) * 2000} + slice.stall,
                 [this] { run_core(); });
    }
}

void FakeDevice::run() {
    while (clock.run_one()) {
    }
}

FirmwareConfig tiny_config() {
    FirmwareConfig config;
    config.flash = FlashLayout{2, 2, 1, 2, 16, 8, 8192};
    config.unit_bytes = 4096;
    config.write_buffer.size_bytes = std::uint64_t{64} * 4096;
    config.read_segment_bytes = 65536;
    config.write_segment_bytes = 65536;
    export_everything(config);
    return config;
}

void export_everything(FirmwareConfig& config) {
    config.exported_sectors = max_exported_units(config) * (config.unit_bytes / hal::kSectorBytes);
}

}  // namespace solidtlm::fw::testing
