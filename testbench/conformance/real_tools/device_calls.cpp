// SPDX-License-Identifier: Apache-2.0
//
// A library to preload (LD_PRELOAD) into programs that send commands to a device node, such as smartctl and
// nvme: there need not be such a node. What they ask of it goes to a server, which has a simulated drive
// (docs/real-tools.md).
//
// SOLIDTLM_DEVICES has a line for each pretended node: KIND PATH SOCKET, where KIND is b for a block device
// and c for a character device. open() of PATH connects to the Unix socket SOCKET, and the descriptor is the
// connection: close(), dup(), fork() and exec() do what they always do.
//
// An ioctl() is a message: its number, how many bytes follow, and how many are wanted in return, all as
// uint32_t; then the bytes. The answer is its result or a negative errno as int32_t, then the bytes wanted.
// Which memory of the caller they are is in memory_of().
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/hdreg.h>
#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr unsigned kMajor = 240;  // for local use (Linux, admin-guide/devices.txt)
constexpr mode_t kMode = 0660;
constexpr long kSectorBytes = 512;
constexpr std::uint8_t kNvmeToDevice = 1;  // bits of an opcode that say where its data go
constexpr std::uint8_t kNvmeFromDevice = 2;

struct Node {
    bool block;
    std::string path;
    std::string socket;
    unsigned number;
};

std::vector<Node> read_nodes() {
    std::vector<Node> nodes;
    const char* text = std::getenv("SOLIDTLM_DEVICES");
    std::istringstream lines(text != nullptr ? text : "");
    std::string kind;
    std::string path;
    std::string socket;
    while (lines >> kind >> path >> socket) {
        nodes.push_back({kind == "b", path, socket, static_cast<unsigned>(nodes.size())});
    }
    return nodes;
}

const std::vector<Node>& nodes() {
    static const std::vector<Node> all = read_nodes();
    return all;
}

const Node* node_of(const char* path) {
    const auto found = std::ranges::find_if(
        nodes(), [path](const Node& node) { return path != nullptr && node.path == path; });
    return found != nodes().end() ? &*found : nullptr;
}

sockaddr_un address_of(const std::string& socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket.data(), std::min(socket.size(), sizeof address.sun_path - 1));
    return address;
}

/// The node whose server is at the other end of a descriptor.
const Node* node_of(int descriptor) {
    if (nodes().empty()) {
        return nullptr;
    }
    const int error = errno;
    sockaddr_un address{};
    socklen_t length = sizeof address - 1;
    const bool connected = getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &length) == 0 &&
                           address.sun_family == AF_UNIX;
    errno = error;
    const auto found = std::ranges::find_if(
        nodes(), [&](const Node& node) { return connected && node.socket == address.sun_path; });
    return found != nodes().end() ? &*found : nullptr;
}

int connect_to(const Node& node, int flags) {
    const sockaddr_un address = address_of(node.socket);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | ((flags & O_CLOEXEC) != 0 ? SOCK_CLOEXEC : 0), 0);
    if (descriptor >= 0 &&
        connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        close(descriptor);
        errno = ENXIO;
        return -1;
    }
    return descriptor;
}

template <typename Status>
int describe(const Node& node, Status* status) {
    *status = {};
    status->st_mode = (node.block ? S_IFBLK : S_IFCHR) | kMode;
    status->st_rdev = makedev(kMajor, node.number);
    status->st_nlink = 1;
    status->st_blksize = 4096;
    return 0;
}

struct Piece {
    void* address = nullptr;
    std::size_t bytes = 0;
};

/// Memory of the caller that an ioctl() reads and writes, each in the order of the message.
struct Memory {
    std::array<Piece, 3> read{};
    std::array<Piece, 3> written{};
};

Memory memory_of_sg(sg_io_hdr& header) {
    const Piece data{header.dxferp, header.dxfer_len};
    const bool to_device = header.dxfer_direction == SG_DXFER_TO_DEV;
    const bool from_device = header.dxfer_direction == SG_DXFER_FROM_DEV;
    return {
        {Piece{&header, sizeof header}, Piece{header.cmdp, header.cmd_len}, to_device ? data : Piece{}},
        {Piece{&header, sizeof header}, Piece{header.sbp, header.mx_sb_len}, from_device ? data : Piece{}}};
}

Memory memory_of_nvme(nvme_passthru_cmd& command) {
    const Piece data{reinterpret_cast<void*>(static_cast<std::uintptr_t>(command.addr)), command.data_len};
    const bool to_device = (command.opcode & kNvmeToDevice) != 0;
    const bool from_device = (command.opcode & kNvmeFromDevice) != 0;
    return {{Piece{&command, sizeof command}, to_device ? data : Piece{}},
            {Piece{&command, sizeof command}, from_device ? data : Piece{}}};
}

/// HDIO_DRIVE_CMD: command, sector number, feature and number of sectors, which follow.
Memory memory_of_drive_command(std::uint8_t* arguments) {
    if (arguments == nullptr) {
        return {};  // "wait until the drive is idle"
    }
    constexpr std::size_t kArguments = 4;
    return {{Piece{arguments, kArguments}}, {Piece{arguments, kArguments + arguments[3] * kSectorBytes}}};
}

/// None: the server does not know this ioctl() either.
std::optional<Memory> memory_of(unsigned long request, void* argument) {
    const auto written = [argument](std::size_t bytes) { return Memory{{}, {Piece{argument, bytes}}}; };
    switch (request) {
        case SG_IO:
            if (*static_cast<const int*>(argument) != 'S') {
                errno = EINVAL;  // version 4, which block devices do not take
                return std::nullopt;
            }
            return memory_of_sg(*static_cast<sg_io_hdr*>(argument));
        case NVME_IOCTL_ADMIN_CMD:
        case NVME_IOCTL_IO_CMD:
            return memory_of_nvme(*static_cast<nvme_passthru_cmd*>(argument));
        case HDIO_DRIVE_CMD:
            return memory_of_drive_command(static_cast<std::uint8_t*>(argument));
        case HDIO_DRIVE_TASK: {
            const Piece registers{argument, 7};
            return Memory{{registers}, {registers}};
        }
        case HDIO_GET_IDENTITY:
            return written(kSectorBytes);
        case HDIO_GETGEO:
            return written(sizeof(hd_geometry));
        case BLKGETSIZE64:
            return written(sizeof(std::uint64_t));
        case BLKGETSIZE:
            return written(sizeof(unsigned long));
        case BLKSSZGET:
        case BLKPBSZGET:
        case BLKROGET:
        case SG_GET_VERSION_NUM:
            return written(sizeof(int));
        case BLKFLSBUF:
        case NVME_IOCTL_ID:
        case NVME_IOCTL_RESET:
        case NVME_IOCTL_RESCAN:
            return Memory{};
        default:
            errno = ENOTTY;
            return std::nullopt;
    }
}

/// False: the server is gone.
bool move_all(int descriptor, Piece piece, ssize_t (*move)(int, void*, std::size_t, int)) {
    auto* at = static_cast<char*>(piece.address);
    while (piece.bytes > 0) {
        const ssize_t moved = move(descriptor, at, piece.bytes, MSG_NOSIGNAL);
        if (moved == 0 || (moved < 0 && errno != EINTR)) {
            return false;
        }
        at += std::max<ssize_t>(moved, 0);
        piece.bytes -= static_cast<std::size_t>(std::max<ssize_t>(moved, 0));
    }
    return true;
}

bool send_all(int descriptor, Piece piece) {
    return move_all(descriptor, piece, [](int to, void* bytes, std::size_t count, int flags) {
        return send(to, bytes, count, flags);
    });
}

bool receive_all(int descriptor, Piece piece) {
    return move_all(descriptor, piece, [](int from, void* bytes, std::size_t count, int flags) {
        return recv(from, bytes, count, flags);
    });
}

std::uint32_t bytes_of(const std::array<Piece, 3>& pieces) {
    std::size_t bytes = 0;
    for (const Piece& piece : pieces) {
        bytes += piece.bytes;
    }
    return static_cast<std::uint32_t>(bytes);
}

int ask(int descriptor, unsigned long request, void* argument) {
    const std::optional<Memory> memory = memory_of(request, argument);
    if (!memory) {
        return -1;
    }
    std::array<std::uint32_t, 3> header{static_cast<std::uint32_t>(request), bytes_of(memory->read),
                                        bytes_of(memory->written)};
    std::int32_t result = -EIO;
    bool there = send_all(descriptor, {header.data(), sizeof header});
    for (const Piece& piece : memory->read) {
        there = there && send_all(descriptor, piece);
    }
    there = there && receive_all(descriptor, {&result, sizeof result});
    // The pieces are fixed before the first of them is overwritten.
    for (const Piece& piece : memory->written) {
        there = there && receive_all(descriptor, piece);
    }
    if (!there) {
        result = -EIO;
    }
    if (result < 0) {
        errno = -result;
        return -1;
    }
    return result;
}

/// The C library's function of this name.
template <typename Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int open_node(const char* name, const char* path, int flags, mode_t mode) {
    const Node* node = node_of(path);
    return node != nullptr ? connect_to(*node, flags)
                           : next<int(const char*, int, ...)>(name)(path, flags, mode);
}

mode_t mode_of(int flags, va_list rest) {
    const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    return creates ? va_arg(rest, mode_t) : 0;
}

/// `place`: a path or a descriptor.
template <typename Place, typename Status>
int status_of(const char* name, Place place, Status* status) {
    const Node* node = node_of(place);
    return node != nullptr ? describe(*node, status) : next<int(Place, Status*)>(name)(place, status);
}

}  // namespace

// With and without large files, and as _FORTIFY_SOURCE calls them.
extern "C" {

int open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_node("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_node("open64", path, flags, mode);
}

int __open_2(const char* path, int flags) {  // NOLINT(readability-identifier-naming)
    return open_node("open", path, flags, 0);
}

int __open64_2(const char* path, int flags) {  // NOLINT(readability-identifier-naming)
    return open_node("open64", path, flags, 0);
}

int stat(const char* path, struct stat* status) noexcept {
    return status_of("stat", path, status);
}

int stat64(const char* path, struct stat64* status) noexcept {
    return status_of("stat64", path, status);
}

int lstat(const char* path, struct stat* status) noexcept {
    return status_of("lstat", path, status);
}

int lstat64(const char* path, struct stat64* status) noexcept {
    return status_of("lstat64", path, status);
}

int fstat(int descriptor, struct stat* status) noexcept {
    return status_of("fstat", descriptor, status);
}

int fstat64(int descriptor, struct stat64* status) noexcept {
    return status_of("fstat64", descriptor, status);
}

int access(const char* path, int mode) noexcept {
    return node_of(path) != nullptr ? 0 : next<int(const char*, int)>("access")(path, mode);
}

// A socket would wait for the server, or confuse it.
ssize_t read(int descriptor, void* bytes, size_t count) {
    if (node_of(descriptor) != nullptr) {
        errno = EIO;
        return -1;
    }
    return next<ssize_t(int, void*, size_t)>("read")(descriptor, bytes, count);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
    if (node_of(descriptor) != nullptr) {
        errno = EIO;
        return -1;
    }
    return next<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, count);
}

int fsync(int descriptor) {
    return node_of(descriptor) != nullptr ? 0 : next<int(int)>("fsync")(descriptor);
}

int ioctl(int descriptor, unsigned long request, ...) noexcept {
    va_list rest;
    va_start(rest, request);
    void* argument = va_arg(rest, void*);
    va_end(rest);
    return node_of(descriptor) != nullptr
               ? ask(descriptor, request, argument)
               : next<int(int, unsigned long, ...)>("ioctl")(descriptor, request, argument);
}

}  // extern "C"
