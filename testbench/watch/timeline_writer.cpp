// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/timeline_writer.h"

#include <spdlog/fmt/fmt.h>

namespace solidtlm::testbench {
namespace {

std::string microseconds(hal::Ps at) {
    constexpr std::int64_t kPsPerUs = 1'000'000;
    return fmt::format("{}.{:06}", at.count() / kPsPerUs, at.count() % kPsPerUs);
}

}  // namespace

TimelineWriter::TimelineWriter(StreamedFile& file) : file_(file) {
    file_.write("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"SolidTLM\"},\"traceEvents\":[\n");
}

void TimelineWriter::line(std::string_view text) {
    file_.write(first_ ? "" : ",\n");
    file_.write(text);
    first_ = false;
}

void TimelineWriter::name_process(std::uint32_t process, std::string_view name) {
    line(fmt::format(R"({{"ph":"M","pid":{},"tid":0,"name":"process_name","args":{{"name":"{}"}}}})", process,
                     name));
    line(fmt::format(
        R"({{"ph":"M","pid":{0},"tid":0,"name":"process_sort_index","args":{{"sort_index":{0}}}}})",
        process));
}

void TimelineWriter::name_thread(Track track, std::string_view name) {
    line(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})",
                     track.process, track.thread, name));
    line(fmt::format(
        R"({{"ph":"M","pid":{0},"tid":{1},"name":"thread_sort_index","args":{{"sort_index":{1}}}}})",
        track.process, track.thread));
}

void TimelineWriter::begin(Track track, hal::Ps at, std::string_view name, std::string_view category,
                           std::string_view args) {
    line(fmt::format(R"({{"ph":"B","pid":{},"tid":{},"ts":{},"name":"{}","cat":"{}","args":{{{}}}}})",
                     track.process, track.thread, microseconds(at), name, category, args));
}

void TimelineWriter::end(Track track, hal::Ps at) {
    line(fmt::format(R"({{"ph":"E","pid":{},"tid":{},"ts":{}}})", track.process, track.thread,
                     microseconds(at)));
}

void TimelineWriter::flow(std::uint64_t id, Track from, hal::Ps from_at, Track to, hal::Ps to_at) {
    line(fmt::format(R"({{"ph":"s","pid":{},"tid":{},"ts":{},"id":{},"name":"flash","cat":"flow"}})",
                     from.process, from.thread, microseconds(from_at), id));
    line(fmt::format(R"({{"ph":"f","bp":"e","pid":{},"tid":{},"ts":{},"id":{},"name":"flash","cat":"flow"}})",
                     to.process, to.thread, microseconds(to_at), id));
}

void TimelineWriter::counter(std::uint32_t process, hal::Ps at, std::string_view name, std::uint64_t value) {
    line(fmt::format(R"({{"ph":"C","pid":{},"tid":0,"ts":{},"name":"{}","args":{{"value":{}}}}})", process,
                     microseconds(at), name, value));
}

void TimelineWriter::finish() {
    file_.write("\n]}\n");
}

}  // namespace solidtlm::testbench
