// SPDX-License-Identifier: Apache-2.0
//
// For tests: one channel between a core that submits operations and a DRAM that serves them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "hw/nand/channel.h"
#include "hw/tlm/payload_pool.h"
#include "hw/tlm/protocol_checker.h"
#include "hw/tlm/test_actions.h"

namespace solidtlm::hw::test {

using hal::Block;
using hal::Cause;
using hal::FlashAddress;
using hal::FlashOp;
using hal::FlashOpcode;
using hal::FlashPiece;
using hal::FlashStatus;
using hal::Ledger;
using hal::Page;
using hal::Plane;
using hal::Stage;

constexpr std::uint32_t kPage = 4096;  ///< bytes of a page of the bench's part

/// Serves one access after another: waits until it is free, then takes a fixed time per byte. Answers at once
/// with the delay or, with `answers_later`, at the end.
class FakeDram : public TestActions {
  public:
    tlm_utils::passthrough_target_socket<FakeDram> port_target{"port_target"};

    explicit FakeDram(const sc_core::sc_module_name& name, hal::ContentMode mode)
        : TestActions(name), mode_(mode), memory(hal::content_bytes(mode, kBytes)) {
        port_target.register_nb_transport_fw(this, &FakeDram::nb_transport_fw);
    }

    static constexpr std::uint64_t kBytes = 4ULL << 20;
    Ps byte_time{0};
    bool answers_later = false;
    std::uint64_t accesses = 0;
    std::uint64_t bytes_moved = 0;

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        EXPECT_EQ(phase, tlm::BEGIN_REQ);
        EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
        EXPECT_LE(payload.get_address() + payload.get_data_length(), kBytes);
        std::byte* there = memory.data() + hal::content_bytes(mode_, payload.get_address());
        const std::size_t bytes = hal::content_bytes(mode_, payload.get_data_length());
        if (bytes != 0 && payload.is_read()) {
            std::memcpy(payload.get_data_ptr(), there, bytes);
        } else if (bytes != 0) {
            std::memcpy(there, payload.get_data_ptr(), bytes);
        }
        ++accesses;
        bytes_moved += payload.get_data_length();
        auto& extension = *payload.get_extension<DramExtension>();
        extension.wait = std::max(free_at_ - now(), Ps{0});
        extension.transfer = payload.get_data_length() * byte_time;
        free_at_ = now() + extension.wait + extension.transfer;
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        if (answers_later) {
            payload.acquire();
            at(free_at_, [this, &payload] { answer(payload); });
            phase = tlm::END_REQ;
            return tlm::TLM_UPDATED;
        }
        delay = to_sc_time(free_at_ - now());
        return tlm::TLM_COMPLETED;
    }
    void answer(tlm::tlm_generic_payload& payload) {
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        EXPECT_EQ(port_target->nb_transport_bw(payload, phase, delay), tlm::TLM_COMPLETED);
        payload.release();
    }

    hal::ContentMode mode_;
    Ps free_at_{0};

  public:
    std::vector<std::byte> memory;
};

/// Submits operations and records when they end.
class FakeCore : public sc_core::sc_module {
  public:
    FlashInitiatorSocket<FakeCore> controller_init{"controller_init"};
    explicit FakeCore(const sc_core::sc_module_name& name) : sc_module(name) {
        controller_init.register_nb_transport_bw(this, &FakeCore::nb_transport_bw);
    }

    void submit(FlashOp& op) {
        EXPECT_TRUE(open_.insert(&op).second);
        FlashPhase phase = FlashPhase::submit;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        EXPECT_EQ(controller_init->nb_transport_fw(op, phase, delay), tlm::TLM_ACCEPTED);
    }
    [[nodiscard]] bool done(const FlashOp& op) const { return finished_.contains(&op); }
    [[nodiscard]] Ps finished_at(const FlashOp& op) const { return finished_.at(&op); }
    void forget() { finished_.clear(); }
    /// Operations under way never end.
    void power_cut() { open_.clear(); }
    /// Operations submitted and not done.
    [[nodiscard]] std::size_t open() const { return open_.size(); }

    std::function<void(FlashOp&)> on_done;

  private:
    tlm::tlm_sync_enum nb_transport_bw(FlashOp& op, FlashPhase& phase, sc_core::sc_time& delay) {
        EXPECT_EQ(phase, FlashPhase::done);
        EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
        EXPECT_TRUE(op.ledger == nullptr || op.ledger->current() == Stage::firmware_wait);
        EXPECT_EQ(open_.erase(&op), 1U) << "done twice";
        finished_[&op] = now();
        if (on_done) {
            on_done(op);
        }
        return tlm::TLM_COMPLETED;
    }
    std::set<const FlashOp*> open_;
    std::map<const FlashOp*, Ps> finished_;
};

/// A small SLC part: 2 planes x 8 blocks x 16 pages of 4096 bytes, ECC off, DRAM infinitely fast.
inline NandConfig small_config(std::uint32_t dies = 1) {
    NandConfig config;
    config.geometry = NandGeometry{1, dies, 1, 2, 8, 16, kPage, 224};
    config.bus = NandBusConfig{NandInterface::sdr, 5, Ps{25'000}};
    config.timing.read = {Ps{25'000'000}};
    config.timing.program = {Ps{200'000'000}};
    config.timing.erase = Ps{1'500'000'000};
    config.ecc.codeword_bytes = 0;
    config.metadata_bytes = 16;
    return config;
}

struct Bench {
    explicit Bench(const NandConfig& config)
        : mode(config.content),
          metadata_bytes(config.metadata_bytes),
          channel("channel", config, hal::Channel{0}),
          core("core"),
          dram("dram", config.content) {
        core.controller_init.bind(channel.controller.core_target);
        checkers.join(channel.controller.dram_init, dram.port_target);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }

    static void run_for(Ps time) { sc_core::sc_start(to_sc_time(time)); }
    /// Submits now and runs to the end; returns the time that this took.
    Ps run(FlashOp& op) {
        core.submit(op);
        const Ps begin = now();
        while (!core.done(op)) {
            sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
            EXPECT_LT(now() - begin, Ps{1'000'000'000'000}) << "the operation does not end";
        }
        const Ps took = core.finished_at(op) - begin;
        core.forget();
        return took;
    }
    /// Submits now and checks that the operation ends exactly after `time`, not a picosecond earlier.
    void expect_takes(FlashOp& op, Ps time) {
        const Ps begin = now();
        core.submit(op);
        run_for(time);  // the kernel stops before the events of its last instant
        EXPECT_FALSE(core.done(op)) << "too early, before " << time.count() << " ps";
        run_for(Ps{1});
        EXPECT_TRUE(core.done(op)) << "too late, after " << time.count() << " ps";
        if (!core.done(op)) {
            run_for(Ps{10'000'000'000});
            ASSERT_TRUE(core.done(op)) << "never";
        }
        EXPECT_EQ((core.finished_at(op) - begin).count(), time.count());
        core.forget();
    }
    void power_cut() {
        channel.power_cut();
        core.power_cut();
    }
    /// Programs a page without simulated time.
    void preset(const FlashAddress& at) {
        std::vector<std::byte> data(hal::content_bytes(mode, channel.array(at.die).geometry().page_bytes),
                                    std::byte{0x5a});
        ASSERT_EQ(channel.array(at.die).program_page(at, data, {}), FlashStatus::ok);
    }

    hal::ContentMode mode;
    std::uint32_t metadata_bytes;
    NandChannel channel;
    FakeCore core;
    FakeDram dram;
    ProtocolCheckers checkers;
};

inline FlashAddress at(unsigned die, unsigned plane, unsigned block, unsigned page) {
    return {hal::Channel{0}, hal::Die{static_cast<std::uint16_t>(die)},
            Plane{static_cast<std::uint8_t>(plane)}, Block{block}, Page{page}};
}

/// An operation with its own pieces and metadata.
struct TestOp {
    FlashOp op;
    std::vector<FlashPiece> pieces;
    std::vector<std::byte> spare;
    Ledger ledger;

    TestOp(FlashOpcode opcode, const FlashAddress& address, Cause cause = Cause::host) {
        op.opcode = opcode;
        op.address[0] = address;
        op.cause = cause;
    }
    TestOp(const TestOp&) = delete;
    TestOp& operator=(const TestOp&) = delete;
    TestOp& plane(const FlashAddress& address) {
        op.address[op.planes++] = address;
        return *this;
    }
    TestOp& piece(std::uint32_t column, std::uint32_t length, std::uint64_t dram, std::uint8_t slot = 0) {
        pieces.push_back(FlashPiece{slot, column, length, hal::DramAddress{dram}});
        op.pieces = pieces;
        return *this;
    }
    TestOp& with_spare(std::size_t bytes) {
        spare.resize(bytes);
        op.spare = spare;
        return *this;
    }
    TestOp& with_ledger() {
        ledger.start(Stage::firmware_execute, now());
        op.ledger = &ledger;
        return *this;
    }
};

}  // namespace solidtlm::hw::test
