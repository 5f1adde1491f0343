// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/disk/nbd_clients.h"

#include <poll.h>
#include <spdlog/fmt/fmt.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "fw/hal/check.h"
#include "testbench/sim/process/interruption.h"

namespace solidtlm::testbench::disk {
namespace {

/// Without requests, signals and child processes are checked once per this many waits.
constexpr std::uint32_t kMissesBetweenLooks = 1024;
/// Threads of nbdkit per connection: one per slot, so that a single client can use all slots.
constexpr std::uint32_t kThreads = kSlots;
constexpr const char* kSocketName = "socket";

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

sigset_t watched_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) {
        sigaddset(&set, signal);
    }
    return set;
}

}  // namespace

PrivateFolder::~PrivateFolder() {
    std::error_code ignored;  // if nbdkit ended by itself, the plugin has removed the socket already
    std::filesystem::remove(path_ / kSocketName, ignored);
    std::filesystem::remove(path_, ignored);
}

const std::filesystem::path& PrivateFolder::make() {
    std::string name = (std::filesystem::temp_directory_path() / "solidtlm-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        fail("cannot make a folder for the socket");
    }
    path_ = name;
    return path_;
}

void NbdClients::Unmap::operator()(Channel* channel) const {
    munmap(channel, kChannelBytes);
}

NbdClients::NbdClients(NbdSettings settings) : settings_(std::move(settings)) {
    map_channel();
    open_channel();
    catch_signals();
    socket_ =
        std::filesystem::absolute(settings_.socket.empty() ? folder_.make() / kSocketName : settings_.socket);
    uri_ = "nbd+unix:///?socket=" + socket_.string();
    if (!start_nbdkit()) {
        throw std::runtime_error(
            nbdkit_.wait() == fmt::format("exit code {}", kNotFound)
                ? "nbdkit is not installed: it is what clients connect to (scripts/setup clients)"
                : "nbdkit did not start: " + nbdkit_.wait());
    }
    if (!settings_.command.empty()) {
        command_.start({"/bin/sh", "-c", settings_.command}, {},
                       {"uri=" + uri_, "unixsocket=" + socket_.string()});
    }
}

void NbdClients::map_channel() {
    memory_.reset(memfd_create("solidtlm-disk", MFD_CLOEXEC));
    if (memory_.get() < 0 || ftruncate(memory_.get(), static_cast<off_t>(kChannelBytes)) < 0) {
        fail("memory to share with nbdkit");
    }
    void* mapped = mmap(nullptr, kChannelBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
    if (mapped == MAP_FAILED) {
        fail("memory to share with nbdkit");
    }
    channel_.reset(static_cast<Channel*>(mapped));
}

/// Initialises the channel: its ring is empty.
void NbdClients::open_channel() {
    new (channel_.get()) Channel;
    for (Slot& slot : channel_->slots) {
        sem_init(&slot.answered, 1, 0);
    }
    taken_ = 0;
}

void NbdClients::catch_signals() {
    const sigset_t set = watched_signals();
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (signals_.get() < 0) {
        fail("signalfd");
    }
}

/// Starts nbdkit and waits until it accepts connections; false: it ended instead.
bool NbdClients::start_nbdkit() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) < 0) {
        fail("socketpair");
    }
    control_.reset(ends[0]);
    Descriptor theirs(ends[1]);
    std::vector<std::string> arguments{"nbdkit",         "--foreground", "--exit-with-parent",    "--unix",
                                       socket_.string(), "--threads",    std::to_string(kThreads)};
    std::vector<std::string> parameters;
    for (const std::string& option : settings_.options) {
        (option.starts_with('-') ? arguments : parameters).push_back(option);
    }
    arguments.push_back(settings_.plugin.string());
    arguments.insert(arguments.end(), parameters.begin(), parameters.end());
    arguments.push_back("control=" + std::to_string(theirs.get()));
    arguments.push_back("memory=" + std::to_string(memory_.get()));
    arguments.push_back("size=" + std::to_string(settings_.size_bytes));
    arguments.push_back(std::string("fast_zero=") + (settings_.fast_zero ? "true" : "false"));
    arguments.push_back("socket=" + socket_.string());
    if (!folder_.path().empty()) {
        arguments.push_back("folder=" + folder_.path().string());
    }
    nbdkit_.start(arguments, {theirs.get(), memory_.get()}, {});
    // otherwise its end of the socket would stay open here, and nbdkit's end would go unnoticed
    theirs.reset();
    return receive();
}

/// Receives a message; false: nbdkit has ended.
bool NbdClients::receive() {
    char message = 0;
    ssize_t count = 0;
    while ((count = recv(control_.get(), &message, sizeof message, 0)) < 0 && errno == EINTR) {
    }
    return count == sizeof message;
}

void NbdClients::nbdkit_ended() {
    const std::string how = nbdkit_.wait();
    if (nbdkit_.killed()) {
        crashed_ = true;
        std::cerr << "nbdkit was " << how << " and is started again\n";
    } else {
        ended_ = true;
        fault_ = "nbdkit has ended: " + how;
    }
}

void NbdClients::start_again() {
    crashed_ = false;
    remove_socket();
    open_channel();
    if (!start_nbdkit()) {
        ended_ = true;
        fault_ = "nbdkit did not start again: " + nbdkit_.wait();
    }
}

void NbdClients::remove_socket() const {
    std::error_code ignored;
    std::filesystem::remove(socket_, ignored);
}

void NbdClients::cut_off(bool come_back) {
    nbdkit_.kill();
    crashed_ = come_back && !ended_;
    ended_ = !crashed_;
    remove_socket();
}

std::optional<std::uint32_t> NbdClients::take() {
    if (crashed_ && in_flight_ == 0) {
        start_again();
    }
    if (ended_ || crashed_) {
        return std::nullopt;
    }
    const std::uint32_t index = channel_->take(taken_);
    if (index != kSlots) {
        ++taken_;
        ++in_flight_;
        return index;
    }
    if (++misses_ % kMissesBetweenLooks == 0) {
        wait(Wall{0});
    }
    return std::nullopt;
}

void NbdClients::answer(std::uint32_t index, int error) {
    slot(index).error = error;
    sem_post(&slot(index).answered);
    --in_flight_;
}

void NbdClients::wait(std::optional<Wall> at_most) {
    if (crashed_) {
        sleep(at_most.value_or(Wall{0}));
        return;
    }
    constexpr std::int64_t kNsPerS = 1'000'000'000;
    std::array<pollfd, 4> watched{pollfd{control_.get(), POLLIN, 0}, pollfd{signals_.get(), POLLIN, 0},
                                  pollfd{nbdkit_.descriptor(), POLLIN, 0},
                                  pollfd{command_.descriptor(), POLLIN, 0}};
    channel_->asleep = true;
    const bool posted = channel_->ring[taken_ % kSlots] != 0;
    const std::int64_t ns = posted ? 0 : at_most.value_or(Wall{0}).count();
    const timespec limit{ns / kNsPerS, ns % kNsPerS};
    const int ready = ppoll(watched.data(), watched.size(), at_most || posted ? &limit : nullptr, nullptr);
    channel_->asleep = false;
    if (ready <= 0) {
        return;
    }
    // A signal from the terminal reaches all processes, so nbdkit may be the first to end.
    if (watched[1].revents != 0) {
        signalled();
    } else if ((watched[0].revents != 0 && !receive()) || watched[2].revents != 0) {
        nbdkit_ended();
    } else if (watched[3].revents != 0) {
        ended_ = true;
        const std::string how = command_.wait();
        fault_ = command_.succeeded() ? "" : "the command of --run has ended with " + how;
    }
}

void NbdClients::signalled() {
    signalfd_siginfo signal{};
    if (read(signals_.get(), &signal, sizeof signal) != sizeof signal) {
        return;
    }
    if (signal.ssi_signo == SIGUSR1) {
        order_ = Order{Order::Kind::report};
    } else if (signal.ssi_signo == SIGUSR2) {
        order_ = Order{Order::Kind::cut_power, std::chrono::microseconds(std::max(signal.ssi_int, 0))};
    } else {
        ended_ = true;
        if (!settings_.command.empty()) {  // without a command, a signal is the normal end
            Interruption::note(static_cast<int>(signal.ssi_signo));
        }
        let_ctrl_c_end();
    }
}

/// The next SIGINT ends the process at once.
void NbdClients::let_ctrl_c_end() {
    std::signal(SIGINT, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void NbdClients::sleep(Wall time) {
    std::this_thread::sleep_for(time);
}

Clients::Wall NbdClients::wall() const {
    return std::chrono::steady_clock::now().time_since_epoch();
}

}  // namespace solidtlm::testbench::disk
