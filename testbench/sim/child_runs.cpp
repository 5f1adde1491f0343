// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/child_runs.h"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/fmt/fmt.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <iterator>
#include <map>
#include <utility>

#include "fw/hal/check.h"
#include "testbench/show/progress.h"
#include "testbench/sim/dry_run.h"
#include "testbench/sim/process/interruption.h"
#include "testbench/sim/process/out_of_memory.h"

namespace solidtlm::testbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 250;  // so that the progress is updated while no child ends
constexpr std::uint64_t kBytesPerKib = 1024;

/// The reading end of a pipe from a child, and the bytes received.
struct Stream {
    int descriptor = -1;  ///< -1: end of file was reached
    std::string text;

    [[nodiscard]] bool open() const { return descriptor >= 0; }

    void close() { ::close(std::exchange(descriptor, -1)); }

    /// Reads available bytes. REQUIRES: the pipe is open, and poll() reported that it is readable.
    void take() {
        SOLIDTLM_CHECK(descriptor >= 0, "the pipe is open");
        std::array<char, 65536> buffer{};
        const ssize_t count = read(descriptor, buffer.data(), buffer.size());
        if (count > 0) {
            text.append(buffer.data(), static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            close();
        }
    }
};

struct Child {
    pid_t process = -1;
    std::size_t point = 0;
    Clock::time_point began;
    Stream result;
    Stream messages;
};

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = write(descriptor, text.data(), text.size());
        if (count < 0 && errno != EINTR) {
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    return true;
}

SimulationOutcome guarded(const PointJob& job) {
    SimulationOutcome failed;
    try {
        return job.run();
    } catch (const std::bad_alloc& error) {
        failed.faults.push_back(out_of_memory(error));
    } catch (const std::exception& error) {
        failed.faults.emplace_back(error.what());
    } catch (...) {
        failed.faults.emplace_back("an exception of unknown type");
    }
    return failed;
}

/// Calls _exit() in a way that looks like an ordinary call to the compiler. Before a call that does not
/// return, AddressSanitizer checks the stack. It complains if a SystemC process has run on another stack, and
/// the child would then count as faulty.
void end_process(int code) {
    syscall(SYS_exit_group, code);
}

/// Everything the child does. Ends without destroying static objects, which belong to the parent.
void be_child(const PointJob& job, pid_t parent, int result, int messages) {
    // Ctrl-C reaches the whole process group. This call also ends the children of a parent that is killed.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    dup2(messages, STDERR_FILENO);
    const Json document = packed(guarded(job));
    std::cout.flush();
    (void)std::fflush(nullptr);
    // Names from a configuration may contain bytes that are not UTF-8.
    const bool sent = write_all(result, document.dump(-1, ' ', false, Json::error_handler_t::replace));
    end_process(sent ? 0 : 1);
}

std::string ending(int status) {
    if (WIFSIGNALED(status)) {
        return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    return fmt::format("ended with exit code {} and without a result", WEXITSTATUS(status));
}

/// The outcome that the child sent, or a fault.
SimulationOutcome outcome_of(const std::string& text, int status) {
    Json document = Json::parse(text, nullptr, false);
    if (status != 0 || document.is_discarded()) {
        return {nullptr, {ending(status)}};
    }
    return unpacked(document);
}

/// The running children. None is left running, however the parent's loop ends.
class Nursery {
  public:
    explicit Nursery(std::size_t points) : outcomes_(points) {}
    ~Nursery() { kill_all(); }
    Nursery(const Nursery&) = delete;
    Nursery& operator=(const Nursery&) = delete;

    [[nodiscard]] std::size_t running() const { return children_.size(); }
    [[nodiscard]] std::size_t ended() const { return ended_; }
    [[nodiscard]] std::vector<PointOutcome> take_outcomes() { return std::move(outcomes_); }

    /// Forks the child of point `index`.
    void start(const PointJob& job, std::size_t index);
    /// Waits for a short time, reads output, and reaps children that have ended.
    void attend();
    /// Kills the running children; they and the jobs from `started` on have no outcome.
    void interrupt(std::size_t started);

  private:
    void kill_all();
    void reap(Child& child);
    void fail(std::size_t index, const std::string& why) {
        outcomes_[index].outcome.faults.push_back(why);
        ++ended_;
    }

    std::vector<PointOutcome> outcomes_;
    std::vector<Child> children_;
    std::size_t ended_ = 0;
};

void Nursery::start(const PointJob& job, std::size_t index) {
    std::array<int, 2> result{-1, -1};
    std::array<int, 2> messages{-1, -1};
    const pid_t parent = getpid();
    // Otherwise both processes would write the buffered output.
    std::cout.flush();
    (void)std::fflush(nullptr);
    pid_t process = -1;
    const Clock::time_point began = Clock::now();  // the child may be half done before the parent continues
    if (pipe2(result.data(), O_CLOEXEC) == 0 && pipe2(messages.data(), O_CLOEXEC) == 0) {
        process = fork();
    }
    const int error = errno;
    if (process == 0) {
        be_child(job, parent, result[1], messages[1]);
    }
    const auto shut = [](int descriptor) {
        if (descriptor >= 0) {
            ::close(descriptor);
        }
    };
    shut(result[1]);
    shut(messages[1]);
    if (process < 0) {
        shut(result[0]);
        shut(messages[0]);
        fail(index, fmt::format("cannot start a process: {}", std::strerror(error)));
        return;
    }
    children_.push_back(Child{process, index, began, {result[0], {}}, {messages[0], {}}});
}

void Nursery::kill_all() {
    for (Child& child : children_) {
        kill(child.process, SIGKILL);
        waitpid(child.process, nullptr, 0);
        for (Stream* stream : {&child.result, &child.messages}) {
            if (stream->open()) {
                stream->close();
            }
        }
    }
}

void Nursery::interrupt(std::size_t started) {
    const auto end = [this](std::size_t index) {
        outcomes_[index].interrupted = true;
        fail(index, Interruption::in_words());
    };
    kill_all();
    for (const Child& child : children_) {
        end(child.point);
    }
    children_.clear();
    for (; started < outcomes_.size(); ++started) {
        end(started);
    }
}

void Nursery::attend() {
    std::vector<pollfd> waiting;
    std::vector<Stream*> streams;
    for (Child& child : children_) {
        for (Stream* stream : {&child.result, &child.messages}) {
            if (stream->open()) {
                waiting.push_back(pollfd{stream->descriptor, POLLIN, 0});
                streams.push_back(stream);
            }
        }
    }
    // Ctrl-C reaches the children too; a child that it ended is not at fault.
    if (poll(waiting.data(), waiting.size(), kPollMs) <= 0 || Interruption::signal() != 0) {
        return;
    }
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        if (waiting[i].revents != 0) {
            streams[i]->take();
        }
    }
    std::erase_if(children_, [this](Child& child) {
        const bool over = !child.result.open() && !child.messages.open();
        if (over) {
            reap(child);
        }
        return over;
    });
}

void Nursery::reap(Child& child) {
    int status = 0;
    rusage usage{};
    while (wait4(child.process, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    PointOutcome& outcome = outcomes_[child.point];
    outcome.outcome = outcome_of(child.result.text, status);
    outcome.messages = std::move(child.messages.text);
    outcome.wall_time_s = std::chrono::duration<double>(Clock::now() - child.began).count();
    outcome.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * kBytesPerKib;
    ++ended_;
}

/// Runs the jobs in children, a limited number at a time; calls `look` with the number of ended children.
template <class Look>
std::vector<PointOutcome> run_children(std::span<const PointJob> jobs, std::uint32_t at_a_time, Look look) {
    const Interruption interruption;
    Nursery nursery(jobs.size());
    std::size_t started = 0;
    while (nursery.ended() < jobs.size()) {
        while (Interruption::signal() == 0 && started < jobs.size() &&
               nursery.running() < std::max(1U, at_a_time)) {
            nursery.start(jobs[started], started);
            ++started;
        }
        nursery.attend();
        if (Interruption::signal() != 0) {
            nursery.interrupt(started);
        }
        look(nursery.ended());
    }
    return nursery.take_outcomes();
}

/// Indices of the jobs that one child carries out because they share a drive.
using Family = std::vector<std::size_t>;

std::vector<Family> families_of(std::span<const PointJob> points) {
    std::vector<Family> families;
    std::map<const DriveToRun*, std::size_t> of_drive;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const DriveToRun* drive = points[i].drive.get();
        const auto [entry, first] = of_drive.try_emplace(drive, families.size());
        if (first || drive == nullptr) {
            families.push_back({i});
        } else {
            families[entry->second].push_back(i);
        }
    }
    return families;
}

/// In the child: builds the drive and runs the members on copies of it. Their outcomes form the result.
SimulationOutcome run_family(std::span<const PointJob> members) {
    (void)members.front().drive->get();
    SimulationOutcome all;
    all.result = Json::array();
    for (const PointOutcome& member : run_children(members, 1, [](std::size_t) {})) {
        Json& document = all.result.emplace_back(packed(member.outcome));
        document["messages"] = member.messages;
        document["wall_time_s"] = member.wall_time_s;
        document["peak_memory_bytes"] = member.peak_memory_bytes;
    }
    return all;
}

/// Distributes a family's outcome to its members. If the drive could not be built, all members fail.
void share_out(PointOutcome& family, const Family& members, std::vector<PointOutcome>& outcomes) {
    if (members.size() == 1) {
        outcomes[members.front()] = std::move(family);
        return;
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
        PointOutcome& outcome = outcomes[members[i]];
        if (!family.outcome.result.is_array()) {
            outcome = family;
            continue;
        }
        Json& member = family.outcome.result[i];
        outcome.outcome = unpacked(member);
        outcome.messages = (i == 0 ? family.messages : "") + member["messages"].get<std::string>();
        outcome.wall_time_s = member["wall_time_s"];
        outcome.peak_memory_bytes = member["peak_memory_bytes"];
    }
}

void pass_on(const std::string& name, std::string_view messages) {
    while (!messages.empty()) {
        const std::size_t end = std::min(messages.find('\n'), messages.size());
        std::cerr << name << ": " << messages.substr(0, end) << "\n";
        messages.remove_prefix(std::min(end + 1, messages.size()));
    }
}

}  // namespace

Json packed(const SimulationOutcome& outcome) {
    return {{"result", outcome.result}, {"faults", outcome.faults}, {"noted", outcome.noted}};
}

SimulationOutcome unpacked(Json& document) {
    return {std::move(document.at("result")), document.at("faults").get<std::vector<std::string>>(),
            std::move(document.at("noted"))};
}

std::vector<PointOutcome> run_points(std::span<const PointJob> points, const PointPool& pool) {
    SOLIDTLM_CHECK(sc_core::sc_get_top_level_objects().empty(), "nothing was elaborated in this process");
    if (pool.dry_run != nullptr) {
        end_dry_run(*pool.dry_run,
                    std::to_string(points.size()) + " points, " + std::to_string(pool.jobs) + " at a time,");
    }
    const std::vector<Family> families = families_of(points);
    std::vector<PointJob> jobs;
    jobs.reserve(families.size());
    for (const Family& family : families) {
        jobs.push_back(points[family.front()]);
        if (family.size() > 1) {
            std::vector<PointJob> members;
            std::ranges::transform(family, std::back_inserter(members),
                                   [points](std::size_t i) { return points[i]; });
            jobs.back().run = [members = std::move(members)] { return run_family(members); };
        }
    }
    Progress progress("points", points.size(), progress_mode(pool.quiet));
    std::vector<PointOutcome> of_families = run_children(jobs, pool.jobs, [&](std::size_t ended) {
        progress.update(ended * points.size() / families.size());
    });
    progress.finish();
    std::vector<PointOutcome> outcomes(points.size());
    for (std::size_t i = 0; i < families.size(); ++i) {
        share_out(of_families[i], families[i], outcomes);
    }
    for (std::size_t i = 0; pool.pass_on_messages && i < points.size(); ++i) {
        pass_on(points[i].name, outcomes[i].messages);
    }
    return outcomes;
}

}  // namespace solidtlm::testbench
