// SPDX-License-Identifier: Apache-2.0
//
// Clients over NBD. Starts nbdkit with the plugin on a Unix socket, and optionally a command that uses it.
// However this process ends, nbdkit ends too, and the private folder of the socket is removed. If nbdkit
// crashes, it is started again as soon as the requests that it had handed over have ended: connections break,
// the drive continues.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/doors/disk/clients.h"
#include "testbench/sim/process/child.h"

namespace solidtlm::testbench::disk {

struct NbdSettings {
    std::uint64_t size_bytes = 0;
    bool fast_zero = false;            ///< zeros may be written by trimming
    std::filesystem::path plugin;      ///< libnbdkit-solidtlm-plugin.so
    std::filesystem::path socket;      ///< empty: created in a private folder
    std::vector<std::string> options;  ///< further arguments of nbdkit
    std::string command;  ///< shell command, with $uri; empty: serve until SIGINT or SIGTERM (SIGUSR1:
                          ///< report; SIGUSR2: cut_power after as many microseconds as the signal's value)
};

/// A folder with an unpredictable name among temporary files. The destructor removes it if it is empty.
class PrivateFolder {
  public:
    PrivateFolder() = default;
    ~PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    /// Creates the folder. Throws std::runtime_error.
    const std::filesystem::path& make();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

class NbdClients : public Clients {
  public:
    /// Returns when nbdkit accepts connections and the command runs. Throws std::runtime_error.
    explicit NbdClients(NbdSettings settings);

    [[nodiscard]] const std::string& uri() const { return uri_; }
    /// The fault after which no client comes any more; empty: no fault.
    [[nodiscard]] const std::string& fault() const { return fault_; }

    std::optional<std::uint32_t> take() override;
    Slot& slot(std::uint32_t index) override { return channel_->slots[index]; }
    std::byte* data(std::uint32_t index) override { return data_of(*channel_, index); }
    void answer(std::uint32_t index, int error) override;
    void wait(std::optional<Wall> at_most) override;
    void sleep(Wall time) override;
    [[nodiscard]] bool ended() const override { return ended_; }
    [[nodiscard]] Wall wall() const override;
    [[nodiscard]] std::optional<Order> order() override { return std::exchange(order_, std::nullopt); }
    void cut_off(bool come_back) override;
    /// Waits until the command has ended; use it after cut_off(), which the command notices.
    void await_command() { (void)command_.wait(); }

  private:
    void map_channel();
    void catch_signals();
    void open_channel();
    bool start_nbdkit();
    void nbdkit_ended();
    void signalled();
    static void let_ctrl_c_end();
    void remove_socket() const;
    void start_again();
    bool receive();

    struct Unmap {
        void operator()(Channel* channel) const;
    };

    Descriptor memory_;
    std::unique_ptr<Channel, Unmap> channel_;
    Descriptor signals_;
    const NbdSettings settings_;
    PrivateFolder folder_;
    std::filesystem::path socket_;
    std::string uri_;
    // Destroyed in reverse order: the command must not see its server disappear, and nbdkit then finds the
    // socket closed.
    Child nbdkit_;
    Descriptor control_;  ///< this process's end
    Child command_;
    std::uint32_t taken_ = 0;      ///< slots taken from the channel so far
    std::uint32_t in_flight_ = 0;  ///< slots taken and not answered
    std::uint32_t misses_ = 0;
    bool crashed_ = false;  ///< nbdkit crashed and was not restarted yet
    bool ended_ = false;
    std::optional<Order> order_;
    std::string fault_;
};

}  // namespace solidtlm::testbench::disk
