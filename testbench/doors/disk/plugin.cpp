// SPDX-License-Identifier: Apache-2.0
//
// The nbdkit plugin: hands clients' requests to tb_disk, which started nbdkit, and waits for the answers
// (channel.h). The drive itself is simulated in tb_disk.
#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>
#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "testbench/doors/disk/byte_access.h"
#include "testbench/doors/disk/channel.h"

namespace {

using namespace solidtlm::testbench::disk;

constexpr std::uint32_t kPreferredBytes = 4096;
constexpr std::uint32_t kMostStatusBytes = std::uint32_t{1} << 31U;

/// Settings that tb_disk passes on nbdkit's command line.
struct Settings {
    int control = -1;  ///< descriptor of the control socket
    int memory = -1;   ///< descriptor of the shared memory
    std::int64_t size = -1;
    int fast_zero = 0;
    std::string socket;  ///< path of the NBD socket; removed at the end
    std::string folder;  ///< private folder of the socket; empty: none
};
Settings settings;

Channel* channel = nullptr;
std::mutex mutex;
std::condition_variable slot_free;
std::vector<std::uint32_t> free_slots;
std::atomic<bool> gone{false};  ///< tb_disk has ended
std::thread watcher;

/// Sends a message to tb_disk.
bool wake() {
    const char message = 0;
    ssize_t sent = 0;
    while ((sent = send(settings.control, &message, sizeof message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
    }
    return sent == sizeof message;
}

/// Waits until tb_disk has closed its end of the socket.
void watch() {
    char byte = 0;
    while (recv(settings.control, &byte, sizeof byte, 0) > 0 || errno == EINTR) {
        errno = 0;
    }
    {
        const std::lock_guard lock(mutex);
        gone = true;
    }
    slot_free.notify_all();
    for (Slot& slot : channel->slots) {
        sem_post(&slot.answered);
    }
    nbdkit_shutdown();
}

/// Drives requests through the channel: each call waits for its answer.
class Drive : public SectorAccess {
  public:
    [[nodiscard]] std::uint32_t most_bytes() const override { return kSlotBytes; }
    int read(std::uint64_t offset, std::uint32_t bytes, const Take& take) override {
        return ask({Ask::read, false, false, bytes, offset}, nullptr,
                   [&take](const Slot&, const std::byte* data) { take(data); });
    }
    int write(std::uint64_t offset, std::uint32_t bytes, bool fua, const Put& put) override {
        return ask({Ask::write, fua, false, bytes, offset}, put, nullptr);
    }
    int trim(std::uint64_t offset, std::uint32_t bytes, bool fua) override {
        return ask({Ask::trim, fua, false, bytes, offset}, nullptr, nullptr);
    }
    int zero(std::uint64_t offset, std::uint32_t bytes, bool fua, bool may_trim) override {
        return ask({Ask::zero, fua, may_trim, bytes, offset}, nullptr, nullptr);
    }
    int flush() { return ask({Ask::flush, false, false, 0, 0}, nullptr, nullptr); }
    /// Returns extents from `offset` on, possibly not all of them.
    int block_status(std::uint64_t offset, std::uint32_t bytes, std::vector<Extent>& extents) {
        return ask({Ask::block_status, false, false, bytes, offset}, nullptr,
                   [&extents](const Slot& slot, const std::byte* data) {
                       extents.resize(slot.extents);
                       std::memcpy(extents.data(), data, slot.extents * sizeof(Extent));
                   });
    }

  private:
    struct Question {
        Ask ask;
        bool fua;
        bool may_trim;
        std::uint32_t bytes;
        std::uint64_t offset;
    };
    using After = std::function<void(const Slot&, const std::byte*)>;

    static int ask(const Question& question, const Put& before, const After& after);
};

/// Waits for a free slot; kSlots: tb_disk has ended.
std::uint32_t take_slot() {
    std::unique_lock lock(mutex);
    slot_free.wait(lock, [] { return gone || !free_slots.empty(); });
    if (gone) {
        return kSlots;
    }
    const std::uint32_t index = free_slots.back();
    free_slots.pop_back();
    return index;
}

void give_back(std::uint32_t index) {
    {
        const std::lock_guard lock(mutex);
        free_slots.push_back(index);
    }
    slot_free.notify_one();
}

int Drive::ask(const Question& question, const Put& before, const After& after) {
    const std::uint32_t index = take_slot();
    if (index == kSlots) {
        return ESHUTDOWN;
    }
    Slot& slot = channel->slots[index];
    slot.ask = question.ask;
    slot.fua = question.fua;
    slot.may_trim = question.may_trim;
    slot.bytes = question.bytes;
    slot.offset = question.offset;
    if (before) {
        before(data_of(*channel, index));
    }
    if (channel->post(index)) {
        (void)wake();
    }
    while (sem_wait(&slot.answered) < 0 && errno == EINTR) {
    }
    if (gone) {
        return ESHUTDOWN;
    }
    const int error = slot.error;
    if (error == 0 && after) {
        after(slot, data_of(*channel, index));
    }
    give_back(index);
    return error;
}

Drive drive;
ByteAccess bytes(drive);

/// The result in nbdkit's convention: 0 or -1 with the error set.
int outcome(int error) {
    if (error == 0) {
        return 0;
    }
    nbdkit_set_error(error);
    return -1;
}

bool has_fua(std::uint32_t flags) {
    return (flags & NBDKIT_FLAG_FUA) != 0;
}

int config(const char* key, const char* value) {
    const std::string name = key;
    if (name == "control") {
        return nbdkit_parse_int("control", value, &settings.control);
    }
    if (name == "memory") {
        return nbdkit_parse_int("memory", value, &settings.memory);
    }
    if (name == "size") {
        settings.size = nbdkit_parse_size(value);
        return settings.size < 0 ? -1 : 0;
    }
    if (name == "fast_zero") {
        settings.fast_zero = nbdkit_parse_bool(value);
        return settings.fast_zero < 0 ? -1 : 0;
    }
    if (name == "socket" || name == "folder") {
        (name == "socket" ? settings.socket : settings.folder) = value;
        return 0;
    }
    nbdkit_error("unknown parameter '%s'", key);
    return -1;
}

int config_complete() {
    if (settings.control < 0 || settings.memory < 0 || settings.size < 0) {
        nbdkit_error("this plugin is started by tb_disk, which has the drive: see docs/disk.md");
        return -1;
    }
    void* mapped = mmap(nullptr, kChannelBytes, PROT_READ | PROT_WRITE, MAP_SHARED, settings.memory, 0);
    if (mapped == MAP_FAILED) {
        nbdkit_error("mmap: %m");
        return -1;
    }
    channel = static_cast<Channel*>(mapped);
    for (std::uint32_t index = kSlots; index > 0; --index) {
        free_slots.push_back(index - 1);
    }
    return 0;
}

int after_fork() {
    watcher = std::thread(watch);
    if (!wake()) {
        nbdkit_error("tb_disk does not listen: %m");
        return -1;
    }
    return 0;
}

void unload() {
    if (watcher.joinable()) {
        shutdown(settings.control, SHUT_RDWR);
        watcher.join();
    }
    unlink(settings.socket.c_str());
    rmdir(settings.folder.c_str());
}

void* open_drive(int /*readonly*/) {
    return NBDKIT_HANDLE_NOT_NEEDED;
}

std::int64_t get_size(void* /*handle*/) {
    return settings.size;
}

int yes(void* /*handle*/) {
    return 1;
}

int no(void* /*handle*/) {
    return 0;
}

int can_fua(void* /*handle*/) {
    return NBDKIT_FUA_NATIVE;
}

int block_size(void* /*handle*/, std::uint32_t* minimum, std::uint32_t* preferred, std::uint32_t* maximum) {
    *minimum = 1;
    *preferred = kPreferredBytes;
    *maximum = ~std::uint32_t{0};
    return 0;
}

int pread_drive(void* /*handle*/, void* buffer, std::uint32_t count, std::uint64_t offset,
                std::uint32_t /*flags*/) {
    return outcome(bytes.read(static_cast<std::byte*>(buffer), count, offset));
}

int pwrite_drive(void* /*handle*/, const void* buffer, std::uint32_t count, std::uint64_t offset,
                 std::uint32_t flags) {
    return outcome(bytes.write(static_cast<const std::byte*>(buffer), count, offset, has_fua(flags)));
}

int flush_drive(void* /*handle*/, std::uint32_t /*flags*/) {
    return outcome(drive.flush());
}

int trim_drive(void* /*handle*/, std::uint32_t count, std::uint64_t offset, std::uint32_t flags) {
    return outcome(bytes.trim(count, offset, has_fua(flags)));
}

int zero_drive(void* /*handle*/, std::uint32_t count, std::uint64_t offset, std::uint32_t flags) {
    const bool may_trim = (flags & NBDKIT_FLAG_MAY_TRIM) != 0;
    // Offered always: nbdkit 1.32 ends when a client asks for it that was not offered it.
    if ((flags & NBDKIT_FLAG_FAST_ZERO) != 0 && !(may_trim && settings.fast_zero != 0)) {
        return outcome(EOPNOTSUPP);
    }
    return outcome(bytes.zero(count, offset, has_fua(flags), may_trim));
}

/// Returns extents of the whole sectors around the requested range; nbdkit ignores what lies before it.
int extents_drive(void* /*handle*/, std::uint32_t count, std::uint64_t offset, std::uint32_t /*flags*/,
                  nbdkit_extents* extents) {
    std::uint64_t at = offset / kSector * kSector;
    const std::uint64_t end = (offset + count + kSector - 1) / kSector * kSector;
    std::vector<Extent> found;
    const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(end - at, kMostStatusBytes));
    if (const int error = drive.block_status(at, length, found); error != 0) {
        return outcome(error);
    }
    for (const Extent& extent : found) {
        const std::uint32_t type =
            (extent.hole ? NBDKIT_EXTENT_HOLE : 0U) | (extent.zero ? NBDKIT_EXTENT_ZERO : 0U);
        if (nbdkit_add_extent(extents, at, extent.bytes, type) < 0) {
            return -1;
        }
        at += extent.bytes;
    }
    return 0;
}

nbdkit_plugin make_plugin() {
    nbdkit_plugin plugin{};
    plugin.name = "solidtlm";
    plugin.longname = "SolidTLM, a simulated SATA SSD";
    plugin.version = SOLIDTLM_VERSION;
    plugin.unload = unload;
    plugin.config = config;
    plugin.config_complete = config_complete;
    plugin.after_fork = after_fork;
    plugin.open = open_drive;
    plugin.get_size = get_size;
    plugin.block_size = block_size;
    plugin.can_write = yes;
    plugin.can_flush = yes;
    plugin.can_trim = yes;
    plugin.can_zero = yes;
    plugin.can_extents = yes;
    plugin.can_multi_conn = yes;  // all connections use the same drive
    plugin.is_rotational = no;
    plugin.can_fua = can_fua;
    plugin.can_fast_zero = yes;
    plugin.pread = pread_drive;
    plugin.pwrite = pwrite_drive;
    plugin.flush = flush_drive;
    plugin.trim = trim_drive;
    plugin.zero = zero_drive;
    plugin.extents = extents_drive;
    return plugin;
}

nbdkit_plugin the_plugin = make_plugin();

}  // namespace

NBDKIT_REGISTER_PLUGIN(the_plugin)
