// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/pci_proxy/server.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "testbench/doors/pci_proxy/error.h"

namespace solidtlm::testbench::pci_proxy {
namespace {

/// The value of a read that no region of the device answers.
constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr unsigned kMostBytes = 8;

bool is_access(std::uint32_t bytes) {
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == kMostBytes;
}

}  // namespace

bool Server::serve(std::chrono::milliseconds at_most) {
    std::array<pollfd, 2> watched{
        {{connection_.descriptor(), POLLIN, 0}, {interrupt_ended_.get(), POLLIN, 0}}};
    if (poll(watched.data(), watched.size(), static_cast<int>(at_most.count())) < 0 && errno != EINTR) {
        throw ProxyError(std::string("poll: ") + std::strerror(errno));
    }
    if ((watched[1].revents & POLLIN) != 0) {
        interrupt_ended();
    }
    if (watched[0].revents == 0) {
        return true;
    }
    std::optional<Message> message = connection_.receive();
    if (message) {
        handle(*message);
    }
    return message.has_value();
}

void Server::handle(Message& message) {
    switch (message.kind) {
        case Kind::memory:
            memory_.map(message.as<MemoryRegions>(), message.descriptors);
            break;
        case Kind::interrupt:
            interrupt_.reset(message.descriptors[0].release());
            interrupt_ended_.reset(message.descriptors[1].release());
            break;
        case Kind::reset:
            config_ = ConfigSpace(identity_);
            set_line(false);
            device_.reset();
            connection_.answer(0);
            break;
        default:
            connection_.answer(access(message));
    }
}

std::uint64_t Server::access(const Message& message) {
    if (message.kind == Kind::config_read || message.kind == Kind::config_write) {
        const auto wanted = message.as<ConfigAccess>();
        if (!is_access(static_cast<std::uint32_t>(wanted.bytes)) || wanted.bytes == kMostBytes) {
            return kAllOnes;
        }
        if (message.kind == Kind::config_read) {
            return config_.read(wanted.address, static_cast<unsigned>(wanted.bytes));
        }
        config_.write(wanted.address, wanted.value, static_cast<unsigned>(wanted.bytes));
        return 0;
    }
    const auto wanted = message.as<BarAccess>();
    const auto place = wanted.is_memory != 0 ? config_.find(wanted.address) : std::nullopt;
    if (!place || !is_access(wanted.bytes)) {
        return kAllOnes;
    }
    if (message.kind == Kind::bar_read) {
        return device_.read(place->bar, place->offset, wanted.bytes);
    }
    device_.write(place->bar, place->offset, wanted.value, wanted.bytes);
    return 0;
}

void Server::set_line(bool level) {
    const bool rises = level && !line_;
    line_ = level;
    if (rises) {
        signal();
    }
}

// KVM lowers the line at the end of an interrupt; this raises it again if the device still requests it.
void Server::interrupt_ended() {
    std::uint64_t count = 0;
    if (::read(interrupt_ended_.get(), &count, sizeof count) == sizeof count && line_) {
        signal();
    }
}

void Server::signal() {
    const std::uint64_t one = 1;
    if (interrupt_.get() >= 0 && config_.interrupts_allowed() &&
        ::write(interrupt_.get(), &one, sizeof one) != sizeof one) {
        throw ProxyError(std::string("cannot raise the interrupt: ") + std::strerror(errno));
    }
}

}  // namespace solidtlm::testbench::pci_proxy
