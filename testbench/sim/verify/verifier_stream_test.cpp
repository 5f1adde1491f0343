// SPDX-License-Identifier: Apache-2.0
//
// Random streams of overlapping commands, completed in random order, with errors and retries. A device that
// obeys the rules is never accused, and one that breaks them is always caught.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <tuple>

#include "hw/tlm/test_printing.h"
#include "testbench/sim/verify/verifier_test_bench.h"

namespace solidtlm::testbench {
namespace {

using hal::ContentMode;

enum class Fault : std::uint8_t { none, stale, swapped, lost_trim, misdirected, partial };

void PrintTo(Fault fault, std::ostream* out) {
    constexpr std::array kNames{"none", "stale", "swapped", "lost_trim", "misdirected", "partial"};
    *out << kNames.at(static_cast<std::size_t>(fault));
}

constexpr std::uint64_t kSectors = 4096;
constexpr std::size_t kDepth = 32;

class Stream {
  public:
    Stream(ContentMode mode, Fault fault, std::uint64_t seed, bool deterministic = true, bool zeros = true)
        : Stream({mode, kSectors, deterministic, zeros}, fault, seed) {}
    Stream(const VerifierConfig& config, Fault fault, std::uint64_t seed)
        : bench_(config), fault_(fault), random_(seed) {}

    const Verifier& run(int commands, bool errors) {
        for (int i = 0; i < commands; ++i) {
            if (outstanding_.size() == kDepth) {
                finish_one();
            }
            issue_one(errors && doomed_ == nullptr && random_() % 50 == 0);
            if (doomed_ != nullptr && random_() % 8 == 0) {
                error();
            }
        }
        if (doomed_ != nullptr) {
            error();
        }
        while (!outstanding_.empty()) {
            finish_one();
        }
        // Everything is read once more while no command is outstanding.
        for (std::uint64_t lba = 0; lba < kSectors; lba += 64) {
            bench_.read(lba, 64);
        }
        return bench_.verifier;
    }

  private:
    void issue_one(bool doomed) {
        const std::uint64_t dice = random_() % 100;
        const Operation operation = dice < 45   ? Operation::read
                                    : dice < 88 ? Operation::write
                                    : dice < 98 ? Operation::trim
                                                : Operation::flush;
        const std::uint64_t lba = random_() % (kSectors - 32);
        auto command = bench_.make(operation, lba, static_cast<std::uint32_t>(1 + random_() % 32));
        if (operation == Operation::write && random_() % 2 == 0) {
            command->identity_layout = ContentLayout{}.behind(random_() % 8);
            if (random_() % 2 == 0) {
                command->identity_layout = ContentLayout::aligned_to(lba);
            }
            command->identities.resize(command->identity_layout.identities(command->sectors));
            for (std::uint64_t& identity : command->identities) {
                identity = random_() % 5;  // few identities, so that blocks are often equal
            }
        }
        bench_.verifier.issued(*command);
        if (!doomed) {
            execute(*command);
        } else {
            doomed_ = command.get();
            if (command->operation == Operation::write) {
                bench_.device.write(*command, 0, command->sectors / 2);
            }
        }
        outstanding_.push_back(std::move(command));
    }

    void execute(Command& command) {
        const bool strike = fault_ != Fault::none && random_() % 40 == 0;
        const bool write = command.operation == Operation::write;
        if (strike && write && fault_ == Fault::stale) {
            return;
        }
        if (strike && command.operation == Operation::trim && fault_ == Fault::lost_trim) {
            return;
        }
        if (strike && write && fault_ == Fault::misdirected) {
            command.lba = Lba{(command.lba.value + 100) % (kSectors - 32)};
            bench_.device.execute(command);
            command.lba = Lba{(command.lba.value + kSectors - 32 - 100) % (kSectors - 32)};
            return;
        }
        if (strike && write && fault_ == Fault::partial) {
            bench_.device.write(command, 0, command.sectors / 2);
            return;
        }
        bench_.device.execute(command);
        if (strike && write && fault_ == Fault::swapped && command.sectors > 1) {
            std::swap(bench_.device.store[command.lba.value], bench_.device.store[command.lba.value + 1]);
        }
    }

    void finish_one() {
        const auto chosen =
            outstanding_.begin() + static_cast<std::ptrdiff_t>(random_() % outstanding_.size());
        if (chosen->get() == doomed_) {
            error();
        } else {
            bench_.finish(**chosen);
            outstanding_.erase(chosen);
        }
    }

    /// The doomed command fails; all others are aborted, issued again in their order, and executed again.
    void error() {
        bench_.finish(*doomed_, CommandStatus::failed);
        std::erase_if(outstanding_, [this](const auto& command) { return command.get() == doomed_; });
        doomed_ = nullptr;
        for (const auto& command : outstanding_) {
            ++command->retries;
            bench_.verifier.issued(*command);
            bench_.device.execute(*command);
        }
    }

    VerifierBench bench_;
    Fault fault_;
    std::mt19937_64 random_;
    std::vector<std::unique_ptr<Command>> outstanding_;
    Command* doomed_ = nullptr;  ///< it will fail; a write is already half executed
};

class PerfectStream : public testing::TestWithParam<std::tuple<ContentMode, int>> {};

TEST_P(PerfectStream, IsNeverAccused) {
    const auto [mode, seed] = GetParam();
    Stream stream(mode, Fault::none, static_cast<std::uint64_t>(seed));
    const Verifier& verifier = stream.run(5000, false);
    EXPECT_EQ(verifier.counts().mismatches, 0U);
    EXPECT_EQ(verifier.counts().unchecked_trimmed + verifier.counts().unchecked_retried, 0U);
    EXPECT_GT(verifier.counts().reads_checked, 2000U);
}

TEST_P(PerfectStream, IsNeverAccusedWithErrorsAndRetries) {
    const auto [mode, seed] = GetParam();
    Stream stream(mode, Fault::none, static_cast<std::uint64_t>(seed));
    const Verifier& verifier = stream.run(5000, true);
    EXPECT_EQ(verifier.counts().mismatches, 0U);
    EXPECT_GT(verifier.counts().failed_changes, 10U);
    EXPECT_GT(verifier.counts().unchecked_retried, 0U);
    EXPECT_GT(verifier.counts().sectors_checked, verifier.counts().unchecked_retried);
}

/// Forgetting alternatives as early as possible changes no verdict.
TEST_P(PerfectStream, IsJudgedAlikeWithoutUnneededAlternatives) {
    const auto [mode, seed] = GetParam();
    for (const Fault fault : {Fault::none, Fault::stale}) {
        VerifierConfig config{mode, kSectors};
        Stream usual(config, fault, static_cast<std::uint64_t>(seed));
        config.doubts_kept = 0;
        Stream frugal(config, fault, static_cast<std::uint64_t>(seed));
        const Verifier& expected = usual.run(5000, true);
        const Verifier& found = frugal.run(5000, true);
        EXPECT_EQ(found.counts().mismatches, expected.counts().mismatches);
        EXPECT_EQ(found.counts().mismatches > 0, fault == Fault::stale);
        EXPECT_EQ(found.counts().sectors_checked, expected.counts().sectors_checked);
        EXPECT_EQ(found.counts().unchecked_trimmed, expected.counts().unchecked_trimmed);
        EXPECT_LT(found.doubts().weight(), expected.doubts().weight() / 2);
    }
}

TEST_P(PerfectStream, IsNeverAccusedWithAnyPromiseOfTrim) {
    const auto [mode, seed] = GetParam();
    for (const bool deterministic : {true, false}) {
        Stream stream(mode, Fault::none, static_cast<std::uint64_t>(seed), deterministic, false);
        const Verifier& verifier = stream.run(3000, true);
        EXPECT_EQ(verifier.counts().mismatches, 0U);
        EXPECT_GT(verifier.counts().unchecked_trimmed, 0U);
    }
}
INSTANTIATE_TEST_SUITE_P(Random, PerfectStream,
                         testing::Combine(testing::Values(ContentMode::tags, ContentMode::bytes),
                                          testing::Range(1, 6)));

class FaultyStream : public testing::TestWithParam<std::tuple<ContentMode, Fault, int>> {};

TEST_P(FaultyStream, IsCaught) {
    const auto [mode, fault, seed] = GetParam();
    Stream stream(mode, fault, static_cast<std::uint64_t>(seed));
    EXPECT_GT(stream.run(5000, false).counts().mismatches, 0U);
}
INSTANTIATE_TEST_SUITE_P(Random, FaultyStream,
                         testing::Combine(testing::Values(ContentMode::tags, ContentMode::bytes),
                                          testing::Values(Fault::stale, Fault::swapped, Fault::lost_trim,
                                                          Fault::misdirected, Fault::partial),
                                          testing::Range(1, 4)));

}  // namespace
}  // namespace solidtlm::testbench
