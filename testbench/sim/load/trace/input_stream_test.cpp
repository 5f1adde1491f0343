// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/input_stream.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include "testbench/sim/load/trace/test_files.h"

namespace solidtlm::testbench {
namespace {

struct Filter {
    const char* name;
    int (*add)(archive*);
};

void PrintTo(const Filter& filter, std::ostream* out) {
    *out << filter.name;
}

constexpr Filter kNone{"none", archive_write_add_filter_none};
constexpr Filter kXz{"xz", archive_write_add_filter_xz};
constexpr Filter kZstd{"zstd", archive_write_add_filter_zstd};
constexpr Filter kGzip{"gzip", archive_write_add_filter_gzip};
constexpr Filter kBzip2{"bzip2", archive_write_add_filter_bzip2};
constexpr Filter kLz4{"lz4", archive_write_add_filter_lz4};

/// `text`, compressed as a complete file.
std::string compressed(std::string_view text, const Filter& filter) {
    std::string buffer(text.size() + 65536, '\0');
    std::size_t used = 0;
    archive* writer = archive_write_new();
    EXPECT_EQ(filter.add(writer), ARCHIVE_OK);
    EXPECT_EQ(archive_write_set_format_raw(writer), ARCHIVE_OK);
    archive_write_set_bytes_per_block(writer, 0);
    EXPECT_EQ(archive_write_open_memory(writer, buffer.data(), buffer.size(), &used), ARCHIVE_OK);
    archive_entry* entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    EXPECT_EQ(archive_write_header(writer, entry), ARCHIVE_OK);
    EXPECT_EQ(archive_write_data(writer, text.data(), text.size()), static_cast<la_ssize_t>(text.size()));
    EXPECT_EQ(archive_write_close(writer), ARCHIVE_OK);
    archive_entry_free(entry);
    archive_write_free(writer);
    buffer.resize(used);
    return buffer;
}

/// Lines of different lengths, about 600 kB: several buffers.
std::string long_text() {
    std::string text;
    for (int i = 0; i < 20000; ++i) {
        text += std::to_string(i) + " " + std::string(static_cast<std::size_t>(i % 50), 'x') + "\n";
    }
    return text;
}

std::string error_of_opening(const std::string& path) {
    try {
        InputStream stream(path);
        std::string_view line;
        while (stream.next_line(line)) {
        }
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

class Compression : public testing::TestWithParam<Filter> {};

TEST_P(Compression, IsDetectedAndGivesTheSameLines) {
    const std::string text = long_text();
    const TempFile file(compressed(text, GetParam()), "no_telling_name");
    InputStream stream(file.path());
    std::string joined;
    std::string_view line;
    std::uint64_t count = 0;
    while (stream.next_line(line)) {
        joined += std::string(line) + "\n";
        ASSERT_EQ(stream.line_number(), ++count);
    }
    EXPECT_EQ(joined, text);
    EXPECT_EQ(stream.offset(), text.size());
}

INSTANTIATE_TEST_SUITE_P(Filters, Compression, testing::Values(kNone, kXz, kZstd, kGzip, kBzip2, kLz4));

class Damage : public testing::TestWithParam<Filter> {};

TEST_P(Damage, TruncatedFileIsAnErrorThatNamesTheFile) {
    const std::string whole = compressed(long_text(), GetParam());
    const TempFile file(whole.substr(0, whole.size() / 2));
    const std::string error = error_of_opening(file.path());
    EXPECT_EQ(error.find(file.path() + ": "), 0U) << error;
    EXPECT_NE(error.find("truncated"), std::string::npos) << error;
}

TEST_P(Damage, CorruptFileIsAnError) {
    std::string whole = compressed(long_text(), GetParam());
    // Damage near the beginning: a zstd frame need not have a checksum, so damage in its middle may go
    // unnoticed.
    for (std::size_t i = 12; i < 76; ++i) {
        whole[i] = static_cast<char>(~whole[i]);
    }
    const TempFile file(whole);
    const std::string error = error_of_opening(file.path());
    EXPECT_NE(error.find("truncated or corrupt"), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(Filters, Damage, testing::Values(kXz, kZstd, kGzip));

TEST(InputStream, ReportsUnusableFiles) {
    EXPECT_EQ(error_of_opening("/no/such/trace.xz"), "/no/such/trace.xz: no such file");
    const std::string folder = testing::TempDir();
    EXPECT_EQ(error_of_opening(folder), folder + ": is a directory, expected a trace file");
    const TempFile empty("");
    EXPECT_EQ(error_of_opening(empty.path()), empty.path() + ": is empty");
    const TempFile empty_inside(compressed("", kXz));
    EXPECT_EQ(error_of_opening(empty_inside.path()), empty_inside.path() + ": is empty");
}

TEST(InputStream, UnreadableFileIsAnError) {
    const TempFile file("text\n");
    std::filesystem::permissions(file.path(), std::filesystem::perms::none);
    constexpr uid_t kUnprivileged = 65534;
    const uid_t user = geteuid();
    if (user == 0) {  // root may read any file
        ASSERT_EQ(seteuid(kUnprivileged), 0);
    }
    const std::string error = error_of_opening(file.path());
    if (user == 0) {
        ASSERT_EQ(seteuid(user), 0);
    }
    EXPECT_EQ(error, file.path() + ": cannot be opened: Permission denied");
}

TEST(InputStream, EndsOfLines) {
    InputStream stream("memory", "a\r\n\nlast");
    std::string_view line;
    ASSERT_TRUE(stream.next_line(line));
    EXPECT_EQ(line, "a");
    ASSERT_TRUE(stream.next_line(line));
    EXPECT_EQ(line, "");
    ASSERT_TRUE(stream.next_line(line));
    EXPECT_EQ(line, "last");
    EXPECT_EQ(stream.line_number(), 3U);
    EXPECT_FALSE(stream.next_line(line));
}

TEST(InputStream, LineLongerThanTheBufferComesWhole) {
    const std::string line(3'000'000, 'z');
    const TempFile file("short\n" + line + "\nend\n");
    InputStream stream(file.path());
    std::string_view found;
    ASSERT_TRUE(stream.next_line(found));
    ASSERT_TRUE(stream.next_line(found));
    EXPECT_EQ(found, line);
    ASSERT_TRUE(stream.next_line(found));
    EXPECT_EQ(found, "end");
}

TEST(InputStream, PeekLeavesReadTakesSkipPasses) {
    InputStream stream("memory", "ab\ncdef\ngh");
    EXPECT_EQ(stream.peek(4), "ab\nc");
    EXPECT_EQ(stream.read(4), "ab\nc");
    EXPECT_EQ(stream.line_number(), 1U) << "skipped line ends are counted";
    stream.skip(4);
    EXPECT_EQ(stream.line_number(), 2U);
    EXPECT_EQ(stream.read(100), "gh");
    EXPECT_EQ(stream.read(1), "");
    EXPECT_EQ(stream.offset(), 10U);
}

}  // namespace
}  // namespace solidtlm::testbench
