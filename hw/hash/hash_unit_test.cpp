// SPDX-License-Identifier: Apache-2.0
#include "hw/hash/hash_unit.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "hw/dram/dram.h"
#include "hw/tlm/content.h"
#include "hw/tlm/protocol_checker.h"
#include "hw/tlm/report_guard.h"
#include "hw/tlm/test_actions.h"
#include "hw/tlm/test_printing.h"
#include "hw/tlm/test_run.h"

namespace solidtlm::hw {
namespace {

using hal::ContentMode;
using hal::DramAddress;
using hal::HashFunction;
using hal::Stage;
using namespace std::chrono_literals;

std::string hex(const Digest::Value& value) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : value) {
        text += kDigits[std::to_integer<std::size_t>(byte) / 16];
        text += kDigits[std::to_integer<std::size_t>(byte) % 16];
    }
    return text;
}

std::uint32_t crc_of(const Digest::Value& value) {
    std::uint32_t crc = 0;
    std::memcpy(&crc, value.data(), sizeof crc);
    return crc;
}

/// CRC-32 bit by bit, from its definition: reflected polynomial EDB88320h.
std::uint32_t crc32_by_definition(std::span<const std::byte> data) {
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const std::byte byte : data) {
        crc ^= std::to_integer<std::uint32_t>(byte);
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
        }
    }
    return ~crc;
}

struct HashBench : TestActions {
    explicit HashBench(const sc_core::sc_module_name& name, ContentMode mode = ContentMode::tags)
        : TestActions(name), dram("dram", dram_config(mode), 0), unit("unit", hash_config(mode)) {
        checkers.join(unit.dram_init, dram.hash_target);
        checkers.join(host_init, dram.host_target);
        host_init.register_nb_transport_bw(this, &HashBench::nb_transport_bw);
    }
    static DramConfig dram_config(ContentMode mode) {
        DramConfig config;
        config.content = mode;
        return config;
    }
    static HashConfig hash_config(ContentMode mode) {
        HashConfig config;
        config.content = mode;
        return config;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& /*payload*/, tlm::tlm_phase& /*phase*/,
                                       sc_core::sc_time& /*delay*/) {
        return tlm::TLM_COMPLETED;
    }
    void occupy_dram(std::uint32_t bytes) {
        tlm::tlm_generic_payload& payload = payloads.take(tlm::TLM_READ_COMMAND, 0, nullptr, bytes);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        host_init->nb_transport_fw(payload, phase, delay);
        payload.release();
    }

    Dram dram;
    HashUnit unit;
    tlm_utils::simple_initiator_socket<HashBench> host_init{"host_init"};
    PayloadPool<DramExtension> payloads{1U << 20U};
    ProtocolCheckers checkers;
};

struct Job {
    explicit Job(HashFunction function, std::uint64_t source = 0, std::uint32_t bytes = 4096) {
        job.function = function;
        job.source = DramAddress{source};
        job.bytes = bytes;
        job.ledger = &ledger;
        job.done = {[](void* self) { static_cast<Job*>(self)->done_at = now(); }, this};
        ledger.start(Stage::firmware_execute, Ps{0});
    }
    hal::HashJob job;
    hal::Ledger ledger;
    Ps done_at{-1};
};

// DDR3-1600 11-11-11 x16: closed row, then 4 KiB at 3.2 GB/s.
constexpr Ps kColdRead = 2 * Ps{13'750} + Ps{1'280'000};
constexpr Ps kRowHitRead = Ps{13'750} + Ps{1'280'000};

TEST(Digest, PublishedTestVectors) {
    Digest digest;
    const std::string check = "123456789";
    digest.begin(HashFunction::crc32);
    digest.add(std::as_bytes(std::span(check)));
    EXPECT_EQ(crc_of(digest.end()), 0xCBF43926U);  // the check value of CRC-32/ISO-HDLC
    digest.begin(HashFunction::md5);
    EXPECT_EQ(hex(digest.end()), "d41d8cd98f00b204e9800998ecf8427e");  // RFC 1321 A.5, ""
    const std::string text = "message digest";
    digest.begin(HashFunction::md5);
    digest.add(std::as_bytes(std::span(text)).first(5));
    digest.add(std::as_bytes(std::span(text)).subspan(5));
    EXPECT_EQ(hex(digest.end()), "f96b697d7cb7938d525a2f31aaf161d0");  // RFC 1321 A.5
}

TEST(HashUnit, ZerosHaveTheKnownDigests) {
    HashBench bench("bench");
    Job crc(HashFunction::crc32);
    Job md5(HashFunction::md5);
    bench.at(0ns, [&] {
        bench.unit.submit(crc.job);
        bench.unit.submit(md5.job);
    });
    run(1ms);
    EXPECT_EQ(crc_of(crc.job.digest), 0xC71C0011U) << "4096 zero bytes";
    EXPECT_EQ(hex(md5.job.digest), "620f0b67a91f7f74151bc5be745b7110") << "4096 zero bytes";
}

TEST(HashUnit, TimeIsDramReadPlusHashInProportionToBytes) {
    HashBench bench("bench");
    Job crc(HashFunction::crc32);
    Job half(HashFunction::md5, 0, 2048);
    bench.at(1us, [&] { bench.unit.submit(crc.job); });
    bench.at(500us, [&] { bench.unit.submit(half.job); });
    run(1us + kColdRead + 13us - Ps{1});
    EXPECT_EQ(crc.done_at, Ps{-1}) << "not ready 1 ps earlier";
    run(1ms);
    EXPECT_EQ(crc.done_at, 1us + kColdRead + 13us);
    EXPECT_EQ(half.done_at, 500us + Ps{13'750} + Ps{640'000} + 50us);
    EXPECT_EQ(crc.ledger[Stage::dram_wait], 0ns);
    EXPECT_EQ(crc.ledger[Stage::dram_transfer], kColdRead);
    EXPECT_EQ(crc.ledger[Stage::hash], 13us);
    EXPECT_EQ(crc.ledger[Stage::firmware_execute], 1us);
    EXPECT_EQ(crc.ledger.current(), Stage::firmware_wait);
    EXPECT_EQ(bench.unit.statistics().hashing, 63us);
    EXPECT_EQ(bench.unit.statistics().bytes, 6144U);
}

TEST(HashUnit, OneJobAfterTheOther) {
    HashBench bench("bench");
    Job first(HashFunction::crc32);
    Job second(HashFunction::md5);
    Job third(HashFunction::crc32);
    bench.at(0ns, [&] {
        bench.unit.submit(first.job);
        bench.unit.submit(second.job);
    });
    bench.at(5us, [&] { bench.unit.submit(third.job); });
    run(1ms);
    const Ps first_done = kColdRead + 13us;
    const Ps second_done = first_done + kRowHitRead + 100us;
    EXPECT_EQ(first.done_at, first_done);
    EXPECT_EQ(second.done_at, second_done);
    EXPECT_EQ(third.done_at, second_done + kRowHitRead + 13us);
    EXPECT_EQ(second.ledger[Stage::hash], first_done + 100us) << "waiting for the unit and being hashed";
    for (const Job* job : {&first, &second, &third}) {
        EXPECT_EQ(job->ledger.total(), job->done_at);
        EXPECT_EQ(job->ledger.last(), job->done_at);
    }
    EXPECT_EQ(bench.unit.statistics().max_waiting, 2U);
    EXPECT_EQ(bench.unit.statistics().busy, third.done_at);
    EXPECT_EQ(bench.unit.statistics().crc32_jobs, 2U);
    EXPECT_EQ(bench.unit.statistics().md5_jobs, 1U);
}

TEST(HashUnit, PriorityOvertakesWaitingJobsButNotTheRunningOne) {
    HashBench bench("bench");
    Job running(HashFunction::md5);
    Job background(HashFunction::md5);
    Job first(HashFunction::crc32);
    Job second(HashFunction::crc32);
    first.job.priority = second.job.priority = true;
    bench.at(0ns, [&] {
        bench.unit.submit(running.job);
        bench.unit.submit(background.job);
    });
    bench.at(5us, [&] { bench.unit.submit(first.job); });
    bench.at(6us, [&] { bench.unit.submit(second.job); });
    run(1ms);
    EXPECT_EQ(running.done_at, kColdRead + 100us);
    EXPECT_EQ(first.done_at, running.done_at + kRowHitRead + 13us);
    EXPECT_EQ(second.done_at, first.done_at + kRowHitRead + 13us);
    EXPECT_EQ(background.done_at, second.done_at + kRowHitRead + 100us);
    EXPECT_EQ(background.ledger.total(), background.done_at);
    EXPECT_EQ(bench.unit.statistics().max_waiting, 3U);
}

TEST(HashUnit, WaitsForABusyDram) {
    HashBench bench("bench");
    Job job(HashFunction::crc32);
    const Ps busy = 2 * Ps{13'750} + Ps{2'560'000};  // 8 KiB for the host
    bench.at(0ns, [&] { bench.occupy_dram(8192); });
    bench.at(1us, [&] { bench.unit.submit(job.job); });
    run(1ms);
    EXPECT_EQ(job.done_at, busy + kRowHitRead + 13us);
    EXPECT_EQ(job.ledger[Stage::dram_wait], busy - 1us);
    EXPECT_EQ(job.ledger.total(), job.done_at);
}

class HashContent : public testing::TestWithParam<ContentMode> {};

TEST_P(HashContent, DigestsAreThoseOfTheExpandedBytes) {
    HashBench bench("bench", GetParam());
    std::mt19937_64 random(23);
    std::vector<std::byte> bytes(4096);
    std::array<std::uint64_t, 8> identities{};
    for (std::size_t sector = 0; sector < identities.size(); ++sector) {
        identities[sector] = sector == 3 ? 0 : random();
        expand_content(identities[sector], std::span<std::byte, 512>(bytes.data() + sector * 512, 512));
    }
    const DramAddress address{1 << 16};
    if (GetParam() == ContentMode::tags) {
        std::memcpy(bench.dram.content(address), identities.data(), sizeof identities);
    } else {
        std::memcpy(bench.dram.content(address), bytes.data(), bytes.size());
    }
    Job crc(HashFunction::crc32, address.value);
    Job md5(HashFunction::md5, address.value);
    Job part(HashFunction::crc32, address.value + 512, 1024);
    bench.at(0ns, [&] {
        bench.unit.submit(crc.job);
        bench.unit.submit(md5.job);
        bench.unit.submit(part.job);
    });
    run(1ms);
    EXPECT_EQ(crc_of(crc.job.digest), crc32_by_definition(bytes));
    EXPECT_EQ(crc_of(part.job.digest), crc32_by_definition(std::span(bytes).subspan(512, 1024)));
    Digest::Value expected{};
    unsigned int length = 0;
    EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(expected.data()), &length,
               EVP_md5(), nullptr);
    EXPECT_EQ(md5.job.digest, expected);
}
INSTANTIATE_TEST_SUITE_P(Modes, HashContent, testing::Values(ContentMode::tags, ContentMode::bytes));

TEST(HashUnit, WithoutContentItIsFatal) {
    HashBench bench("bench", ContentMode::none);
    run(1ns);
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    const ExpectReport expected("/ssd/hash");
    Job job(HashFunction::crc32);
    EXPECT_THROW(bench.unit.submit(job.job), sc_core::sc_report);
}

TEST(HashUnit, PartOfASectorIsFatal) {
    HashBench bench("bench");
    run(1ns);
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    const ExpectReport expected("/ssd/hash");
    Job job(HashFunction::crc32, 0, 513);
    EXPECT_THROW(bench.unit.submit(job.job), sc_core::sc_report);
}

TEST(HashUnit, APowerCutForgetsJobsAndTheUnitWorksAfterwards) {
    HashBench bench("bench");
    Job running(HashFunction::crc32);
    Job waiting(HashFunction::crc32);
    Job urgent(HashFunction::crc32);
    urgent.job.priority = true;
    Job reading(HashFunction::crc32);
    Job fresh(HashFunction::crc32);
    bench.at(0ns, [&] {
        bench.unit.submit(running.job);
        bench.unit.submit(waiting.job);
        bench.unit.submit(urgent.job);
    });
    bench.at(5us, [&] { bench.unit.power_cut(); });
    bench.at(10us, [&] {
        bench.occupy_dram(8192);
        bench.unit.submit(reading.job);  // waits for the DRAM
        bench.unit.power_cut();
    });
    bench.at(20us, [&] { bench.unit.submit(fresh.job); });
    run(1ms);
    EXPECT_EQ(running.done_at, Ps{-1});
    EXPECT_EQ(waiting.done_at, Ps{-1});
    EXPECT_EQ(urgent.done_at, Ps{-1});
    EXPECT_EQ(reading.done_at, Ps{-1});
    EXPECT_EQ(fresh.done_at, 20us + kRowHitRead + 13us);
}

// The event of the job's end has fired, and its process will run in this very delta cycle. The cut is
// requested before the event in one case and after it in the other, so that it comes first in one of them.
class HashCutAtTheEnd : public testing::TestWithParam<bool> {
  protected:
    void run_to_end(HashBench& bench, Job& job, const std::function<void()>& action) const {
        if (GetParam()) {
            bench.at(1ns, [&] { bench.unit.submit(job.job); });
            bench.at(kEnd, action);
        } else {
            bench.at(kEnd, action);
            run(1ns);
            bench.unit.submit(job.job);
        }
        run(1ms);
    }
    static constexpr Ps kEnd = 1ns + kColdRead + 13us;
};

TEST_P(HashCutAtTheEnd, NothingIsLeftToBeFinished) {
    HashBench bench("bench");
    Job running(HashFunction::crc32);
    run_to_end(bench, running, [&] { bench.unit.power_cut(); });
    EXPECT_TRUE(running.done_at == Ps{-1} || running.done_at == kEnd);
    EXPECT_EQ(bench.unit.statistics().crc32_jobs, running.done_at == kEnd ? 1U : 0U);
    EXPECT_EQ(bench.unit.statistics().hashing, bench.unit.statistics().crc32_jobs * 13us);
}

TEST_P(HashCutAtTheEnd, AJobSubmittedInThatInstantTakesItsTime) {
    HashBench bench("bench");
    Job running(HashFunction::crc32);
    Job fresh(HashFunction::crc32);
    run_to_end(bench, running, [&] {
        bench.unit.power_cut();
        bench.unit.submit(fresh.job);
    });
    EXPECT_EQ(fresh.done_at, kEnd + kRowHitRead + 13us);
    EXPECT_EQ(fresh.ledger[Stage::hash], 13us);
}

INSTANTIATE_TEST_SUITE_P(Orders, HashCutAtTheEnd, testing::Bool());

}  // namespace
}  // namespace solidtlm::hw
