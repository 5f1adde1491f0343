// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/command_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "fw/testing/files.h"
#include "testbench/sim/files/zstd_test_support.h"
#include "testbench/watch/record_test_support.h"

namespace solidtlm::testbench {
namespace {

std::string table_of(const std::vector<Command*>& commands, const std::filesystem::path& path) {
    CommandTable table(path);
    for (Command* command : commands) {
        table.completed(*command);
    }
    table.finish();
    return read_file(path);
}

TEST(CommandTable, HasOneCompleteLinePerCommand) {
    const RecordFolder folder;
    Command command;
    command.sequence = 7;
    command.request = 6;
    command.operation = Operation::write;
    command.lba = Lba{4096};
    command.sectors = 65536;
    command.fua = true;
    command.tag = 31;
    command.retries = 2;
    command.arrival = Ps{1000};
    command.issued_at = Ps{1500};
    command.completed_at = Ps{9000};
    command.status = CommandStatus::failed;
    command.ledger.start(hal::Stage::host_queue, Ps{1000});
    command.ledger.enter(hal::Stage::array, Ps{1500});
    command.ledger.enter(hal::Stage::completion, Ps{8500});
    command.ledger.enter(hal::Stage::completion, Ps{9000});
    const std::vector<Row> rows = rows_of(table_of({&command}, folder / "c.csv"));
    ASSERT_EQ(rows.size(), 1U);
    Row row = rows.front();
    const auto take = [&row](const std::string& column) {
        const std::string value = row.at(column);
        row.erase(column);
        return value;
    };
    EXPECT_EQ(take("number"), "7");
    EXPECT_EQ(take("request"), "6");
    EXPECT_EQ(take("operation"), "write");
    EXPECT_EQ(take("lba"), "4096");
    EXPECT_EQ(take("sectors"), "65536");
    EXPECT_EQ(take("fua"), "1");
    EXPECT_EQ(take("queued"), "1");
    EXPECT_EQ(take("tag"), "31");
    EXPECT_EQ(take("retries"), "2");
    EXPECT_EQ(take("arrival_ps"), "1000");
    EXPECT_EQ(take("issued_ps"), "1500");
    EXPECT_EQ(take("completed_ps"), "9000");
    EXPECT_EQ(take("latency_ps"), "8000");
    EXPECT_EQ(take("failed"), "1");
    EXPECT_EQ(take("host_queue_ps"), "500");
    EXPECT_EQ(take("array_ps"), "7000");
    EXPECT_EQ(take("completion_ps"), "500");
    EXPECT_EQ(row.size(), hal::kStages - 3);
    for (const auto& [column, value] : row) {
        EXPECT_EQ(value, "0") << column;
    }
}

TEST(CommandTable, ATrimBeginsWithItsFirstRangeAndHasTheSectorsOfAll) {
    const RecordFolder folder;
    Command command;
    command.operation = Operation::trim;
    command.ranges = {{Lba{800}, 8}, {Lba{16}, 65535}};
    const std::vector<Row> rows = rows_of(table_of({&command}, folder / "c.csv"));
    EXPECT_EQ(rows.front().at("operation"), "trim");
    EXPECT_EQ(rows.front().at("lba"), "800");
    EXPECT_EQ(rows.front().at("sectors"), "65543");
}

/// One stage at a time, between stages that took no time.
TEST(CommandTable, EachStageHasItsColumn) {
    const RecordFolder folder;
    std::vector<Command> commands(hal::kStages);
    std::vector<Command*> each;
    for (std::size_t i = 0; i < hal::kStages; ++i) {
        commands[i].ledger.start(static_cast<hal::Stage>(i), Ps{0});
        commands[i].ledger.enter(static_cast<hal::Stage>(i), Ps{static_cast<std::int64_t>(i) + 1});
        each.push_back(&commands[i]);
    }
    const std::vector<Row> rows = rows_of(table_of(each, folder / "c.csv"));
    ASSERT_EQ(rows.size(), hal::kStages);
    for (std::size_t i = 0; i < hal::kStages; ++i) {
        for (std::size_t k = 0; k < hal::kStages; ++k) {
            ASSERT_EQ(number(rows[i], std::string(hal::kStageNames[k]) + "_ps"),
                      k == i ? static_cast<std::int64_t>(i) + 1 : 0)
                << i;
        }
    }
}

TEST(CommandTable, TheLargestValuesHaveRoom) {
    const RecordFolder folder;
    Command command;
    command.sequence = UINT64_MAX;
    command.request = UINT64_MAX;
    command.lba = Lba{UINT64_MAX};
    command.arrival = Ps{0};
    command.completed_at = Ps::max();
    EXPECT_EQ(rows_of(table_of({&command}, folder / "c.csv")).front().at("number"), "18446744073709551615");
}

TEST(CommandTable, IsTheSameWhenItWasCompressed) {
    const RecordFolder folder;
    std::vector<Command> commands(5000);
    std::vector<Command*> each;
    for (Command& command : commands) {
        command.sequence = each.size();
        each.push_back(&command);
    }
    const std::string plain = table_of(each, folder / "c.csv");
    const std::string small = table_of(each, folder / "c.csv.zst");
    EXPECT_LT(small.size(), plain.size() / 5);
    EXPECT_TRUE(decompressed(small) == plain);
}

/// A heading, a full block of 1000 lines, and a block with the last one.
TEST(CommandTable, IsBinaryByColumns) {
    const RecordFolder folder;
    std::vector<Command> commands(1001);
    std::vector<Command*> each;
    for (Command& command : commands) {
        command.sequence = each.size();
        command.operation = Operation::write;
        command.tag = 5;
        each.push_back(&command);
    }
    const std::string bytes = table_of(each, folder / "c.columns");
    const std::size_t heading = bytes.find('\n') + 1;
    const Json columns = Json::parse(bytes.substr(0, heading));
    ASSERT_EQ(columns.size(), 14 + hal::kStages);
    EXPECT_EQ(columns[0], Json::parse(R"({"name": "number", "texts": [], "optional": false})"));
    EXPECT_EQ(
        columns[2],
        Json::parse(
            R"({"name": "operation", "texts": ["read", "write", "trim", "flush"], "optional": false})"));
    const auto number_at = [&](std::size_t index) {
        std::uint64_t number = 0;
        std::memcpy(&number, bytes.data() + heading + 8 * index, sizeof number);
        return number;
    };
    ASSERT_EQ(bytes.size(), heading + 8 * (1 + 1000 * columns.size() + 1 + columns.size()));
    EXPECT_EQ(number_at(0), 1000U);
    for (std::size_t line = 0; line < 1000; ++line) {
        ASSERT_EQ(number_at(1 + line), line);
        ASSERT_EQ(number_at(1 + 2 * 1000 + line), 1U);  // write
        ASSERT_EQ(number_at(1 + 7 * 1000 + line), 5U);  // tag
    }
    const std::size_t last = 1 + 1000 * columns.size();
    EXPECT_EQ(number_at(last), 1U);
    EXPECT_EQ(number_at(last + 1), 1000U);
}

/// For a whole run: every command is there, and the stages of each add up to its latency.
TEST(CommandTable, AgreesWithTheResultOfARun) {
    const RecordFolder folder;
    RecorderSettings record;
    record.commands = folder / "c.csv.zst";
    const platform::Configuration configuration = random_variant(21);
    RandomMix source(21, configuration.firmware.exported_sectors, RandomMix::Shares{});
    const Json result = run_recorded(configuration, source, record, 16);
    const std::vector<Row> rows = rows_of(decompressed(read_file(record.commands)));
    std::map<std::string, std::int64_t> commands;
    std::map<std::string, std::int64_t> sectors;
    for (const Row& row : rows) {
        ++commands[row.at("operation")];
        sectors[row.at("operation")] += number(row, "sectors");
        std::int64_t stages = 0;
        for (const std::string_view stage : hal::kStageNames) {
            stages += number(row, std::string(stage) + "_ps");
        }
        ASSERT_EQ(stages, number(row, "latency_ps")) << row.at("number");
        ASSERT_EQ(number(row, "completed_ps") - number(row, "arrival_ps"), number(row, "latency_ps"));
        ASSERT_LE(number(row, "arrival_ps"), number(row, "issued_ps"));
    }
    const Json& host = result.at("host");
    for (const char* operation : {"read", "write", "trim", "flush"}) {
        EXPECT_EQ(commands[operation], host.at(operation).at("count")) << operation;
        EXPECT_GT(commands[operation], 0) << operation;
    }
    EXPECT_EQ(sectors["read"] * hal::kSectorBytes, host.at("read").at("bytes"));
    EXPECT_TRUE(std::ranges::is_sorted(rows, {}, [](const Row& row) { return number(row, "completed_ps"); }));
}

}  // namespace
}  // namespace solidtlm::testbench
