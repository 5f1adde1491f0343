// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/pci_proxy/connection.h"

#include <spdlog/fmt/fmt.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <span>

#include "testbench/doors/pci_proxy/error.h"

namespace solidtlm::testbench::pci_proxy {
namespace {

constexpr std::size_t kInterruptDescriptors = 2;

struct Form {
    std::size_t bytes;
    std::size_t least_descriptors;
    std::size_t most_descriptors;
};

std::optional<Form> form_of(Kind kind) {
    switch (kind) {
        case Kind::memory:
            return Form{sizeof(MemoryRegions), 0, kMostRegions};
        case Kind::config_write:
        case Kind::config_read:
            return Form{sizeof(ConfigAccess), 0, 0};
        case Kind::bar_write:
        case Kind::bar_read:
            return Form{sizeof(BarAccess), 0, 0};
        case Kind::interrupt:
            return Form{0, kInterruptDescriptors, kInterruptDescriptors};
        case Kind::reset:
            return Form{0, 0, 0};
        case Kind::answer:
            break;
    }
    return std::nullopt;
}

void check(const Header& header, std::size_t descriptors) {
    const std::optional<Form> form = form_of(header.kind);
    if (!form) {
        throw ProxyError(fmt::format("QEMU sent a message of kind {}, which it should not",
                                     static_cast<std::int32_t>(header.kind)));
    }
    if (header.bytes != form->bytes || descriptors < form->least_descriptors ||
        descriptors > form->most_descriptors) {
        throw ProxyError(
            fmt::format("QEMU sent a message of kind {} with {} bytes and {} descriptors; expected {} "
                        "bytes and {} to {} descriptors",
                        static_cast<std::int32_t>(header.kind), header.bytes, descriptors, form->bytes,
                        form->least_descriptors, form->most_descriptors));
    }
}

[[noreturn]] void fail(const char* what) {
    throw ProxyError(fmt::format("{}: {}", what, std::strerror(errno)));
}

void take_descriptors(msghdr& message, std::vector<Descriptor>& descriptors) {
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        descriptors.reserve(descriptors.size() + count);
        for (std::size_t i = 0; i < count; ++i) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(part) + i * sizeof number, sizeof number);
            descriptors.emplace_back(number);
        }
    }
}

}  // namespace

// The descriptors arrive with the first byte of a header.
bool Connection::read_header(Header& header, std::vector<Descriptor>& descriptors) {
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int) * kMostRegions)> control{};
    iovec place{&header, sizeof header};
    msghdr message{};
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t got = -1;
    while ((got = recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    if (got == 0 || (got < 0 && errno == ECONNRESET)) {
        return false;
    }
    if (got < 0) {
        fail("cannot hear QEMU");
    }
    take_descriptors(message, descriptors);
    if ((message.msg_flags & MSG_CTRUNC) != 0) {
        throw ProxyError(fmt::format("QEMU sent more than {} descriptors", kMostRegions));
    }
    const auto whole = std::as_writable_bytes(std::span(&header, 1));
    const auto rest = whole.subspan(static_cast<std::size_t>(got));
    read_rest(rest.data(), rest.size());
    return true;
}

void Connection::read_rest(std::byte* to, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t got = recv(socket_.get(), to, bytes, MSG_WAITALL);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            fail("cannot hear QEMU");
        }
        if (got == 0) {
            throw ProxyError("QEMU ended in the middle of a message");
        }
        to += got;
        bytes -= static_cast<std::size_t>(got);
    }
}

std::optional<Message> Connection::receive() {
    Header header{};
    Message message;
    if (!read_header(header, message.descriptors)) {
        return std::nullopt;
    }
    check(header, message.descriptors.size());
    message.kind = header.kind;
    message.contents.resize(header.bytes);
    read_rest(message.contents.data(), message.contents.size());
    return message;
}

void Connection::answer(std::uint64_t value) {
    struct {
        Header header;
        std::uint64_t value;
    } const answer{{Kind::answer, 0, sizeof value}, value};
    const auto* from = reinterpret_cast<const std::byte*>(&answer);
    for (std::size_t sent = 0; sent < sizeof answer;) {
        const ssize_t count = send(socket_.get(), from + sent, sizeof answer - sent, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) {
            fail("cannot answer QEMU");
        }
        sent += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
}

}  // namespace solidtlm::testbench::pci_proxy
