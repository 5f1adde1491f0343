// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/files/zstd_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <string>

#include "testbench/sim/files/zstd_test_support.h"

namespace solidtlm::testbench {
namespace {

std::string compressed(const std::string& plain, ZstdOutput::Of contents = ZstdOutput::Of::anything) {
    std::string bytes;
    ZstdOutput compressor([&bytes](std::string_view piece) { bytes += piece; }, contents);
    std::ostream stream(&compressor);
    stream << plain;
    compressor.finish();
    return bytes;
}

/// Half noise, half zeros.
std::string content(std::size_t size) {
    std::mt19937 random(1);
    std::string text(size, '\0');
    std::generate(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size / 2),
                  [&random] { return static_cast<char>(random()); });
    return text;
}

TEST(ZstdStream, ReadsBackWrittenBytes) {
    for (const std::size_t size : {0, 1, 131'071, 131'072, 131'073, 1'000'000}) {
        const std::string plain = content(size);
        EXPECT_EQ(decompressed(compressed(plain)), plain) << size;
        EXPECT_EQ(decompressed(compressed(plain, ZstdOutput::Of::lines)), plain) << size;
    }
    EXPECT_LT(compressed(content(1'000'000)).size(), 510'000U) << "zeros compress to almost nothing";
}

TEST(ZstdStream, KeepsPiecesOfAnySizeInOrder) {
    const std::string plain = content(1'500'000);
    std::string bytes;
    ZstdOutput compressor([&bytes](std::string_view piece) { bytes += piece; });
    std::ostream stream(&compressor);
    std::size_t at = 0;
    for (const std::size_t size : {10, 400'000, 131'000, 3, 400'000, 72, 65'536, 503'379}) {
        stream.write(plain.data() + at, static_cast<std::streamsize>(size));
        at += size;
    }
    ASSERT_EQ(at, plain.size());
    compressor.finish();
    EXPECT_TRUE(decompressed(bytes) == plain);
}

TEST(ZstdStream, EndsWhereTheBytesEnd) {
    const std::string plain = content(300'000);
    const std::string bytes = compressed(plain);
    const std::string half = decompressed(bytes.substr(0, bytes.size() / 2));
    EXPECT_LT(half.size(), plain.size());
    EXPECT_EQ(half, plain.substr(0, half.size()));
    EXPECT_EQ(decompressed("the bytes are not a zstd frame"), "");
}

}  // namespace
}  // namespace solidtlm::testbench
