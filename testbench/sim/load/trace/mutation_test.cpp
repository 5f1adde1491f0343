// SPDX-License-Identifier: Apache-2.0
//
// Random damage to a piece of every format: a reader must give valid requests or an InputError.
#include <gtest/gtest.h>

#include <random>

#include "testbench/sim/load/trace/formats.h"
#include "testbench/sim/load/trace/test_files.h"

namespace solidtlm::testbench {
namespace {

struct Piece {
    const char* format;
    std::string text;
};

std::vector<Piece> pieces() {
    std::string vscsi;
    for (int i = 0; i < 6; ++i) {
        vscsi += std::string("\1\0\0\0\0\20\0\0\1\0\0\0\x2a\0\0\1", 16) +
                 std::string("\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0", 16);
    }
    std::string tar(512, '\0');
    tar.replace(124, 11, "00000000130");
    tar[156] = '0';
    tar.replace(257, 5, "ustar");
    return {
        {"nbd", "# c\n1 W 0 40 FUA 0*2,+2,1\n2 Z 8 16 M\n3 T 0 64\n4 R 0 8\n5 W 9 24 - 1-2,+2\n6 F 0 0\n"},
        {"cmds",
         "0\to\t0\t0\t-1\tcmd=a1\t\n1\tR\t0\t8\t1\t\t10\n2\tT\t0\t0\t-1\tn=2:1+8,9+"
         "8\t\n3\tW\t0\t8\t2\tFUA\t9\n"},
        {"spc", "0,20941264,8192,W,0.551706\n1,5,512,r,0.6\n"},
        {"flashsim", "26.214000 0 303574 1 0\n78.6 0 55596 2 1\n"},
        {"msr", "128166372003061629,hm,1,Read,383496192,32768,413\n128166372003061630,hm,1,Write,0,512,4\n"},
        {"msr_cut", "0.000 0 200626176 4096 0\n1.5 0 512 512 1\n"},
        {"disksim", "640.875\t0\t522424\t16\t1\n844.0 0 6342216 16 0\n"},
        {"mqsim", "938513000 4 264719034 16 0\n938828000 3 197570570 16 1\n"},
        {"blkparse",
         "8,16 3 5 0.0000264 3645 D FWFS 49 + 256 [java]\n8,16 3 5 0.1 3645 D DS 49 + 256 [x]\nCPU0 "
         "(8,16):\n"},
        {"fio", "fio version 2 iolog\nf add\nf write 4096 8192\nf wait 5\nf trim 0 4096\nf sync 0 0\n"},
        {"fio", "fio version 3 iolog\n1 f add\n2 f write 4096 8192\n3 f read 0 4096\n"},
        {"fiu",
         "1 2 a b 8 16 W 6 0 d6c75ba46e82326fefa545b57a12e221\n2 2 x 8 8 R 6 0 "
         "d6c75ba46e82326fefa545b57a12e221\n"},
        {"fiu", tar + "1 2 a 8 16 W 6 0 d6c75ba46e82326fefa545b57a12e221\n" + std::string(600, '\0')},
        {"vscsi", vscsi},
        {"nexus5", "8681184\t\t88\t\t45056\t\t0\t\t1.5\t\t1.6\t\t1.7\t\t1.8\n8 8 4096 1 1.2 2 3 4\n"},
    };
}

std::string damaged(std::string text, std::mt19937_64& random) {
    static constexpr std::string_view kLikely = "0123456789 ,.+-*:\t\n=WRTFn#\0\xff";
    for (std::uint64_t changes = 1 + random() % 4; changes > 0 && !text.empty(); --changes) {
        const std::size_t at = random() % text.size();
        const char likely = kLikely[random() % kLikely.size()];
        switch (random() % 4) {
            case 0:
                text[at] = likely;
                break;
            case 1:
                text.insert(at, 1 + random() % 12, likely);
                break;
            case 2:
                text.erase(at, 1 + random() % 8);
                break;
            default:
                text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
                break;
        }
    }
    return text;
}

void expect_sound(const Request& request) {
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 48;
    if (request.operation == Operation::read || request.operation == Operation::write) {
        ASSERT_GE(request.sectors, 1U);
        ASSERT_LE(request.lba.value + request.sectors, kLimit + (std::uint64_t{1} << 23));
        ASSERT_TRUE(request.content.empty() ||
                    request.content.size() == request.content_layout.identities(request.sectors));
    } else {
        ASSERT_TRUE(request.content.empty());
    }
    for (const TrimRange& range : request.ranges) {
        ASSERT_GE(range.sectors, 1U);
        ASSERT_LE(range.lba.value + range.sectors, kLimit);
    }
}

TEST(Mutation, DamagedTracesGiveSoundRequestsOrAnInputError) {
    std::mt19937_64 random(2026);
    std::uint64_t requests = 0;
    std::uint64_t errors = 0;
    for (const Piece& piece : pieces()) {
        TraceRecord record;
        const Format format = format_named(piece.format);
        const auto whole =
            open_reader(format, {.stream = InputStream("whole", piece.text), .format = piece.format});
        ASSERT_TRUE(whole->read(record)) << piece.format << ": the piece itself is valid";
        for (int round = 0; round < 1500; ++round) {
            try {
                const std::string text = damaged(piece.text, random);
                const auto reader =
                    open_reader(format, {.stream = InputStream("FILE", text), .format = piece.format});
                while (reader->read(record)) {
                    ++requests;
                    expect_sound(record.request);
                    ASSERT_FALSE(HasFatalFailure()) << piece.format;
                }
            } catch (const InputError& error) {
                ++errors;
                ASSERT_EQ(std::string_view(error.what()).substr(0, 5), "FILE:") << error.what();
            }
        }
    }
    EXPECT_GT(requests, 10000U);
    EXPECT_GT(errors, 10000U);
}

}  // namespace
}  // namespace solidtlm::testbench
