// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/files/file_claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "testbench/sim/files/output_file.h"

namespace solidtlm::testbench {

FileClaim::FileClaim(const std::filesystem::path& path) : lock_(path.string() + ".lock") {
    while (true) {
        file_ = open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOutputFileMode);
        if (file_ < 0) {
            fail_output(lock_, errno);
        }
        if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
            const int error = errno;
            close(file_);
            if (error == EWOULDBLOCK) {
                throw OutputError(path.string() + " is in use by another run");
            }
            fail_output(lock_, error);
        }
        struct stat facts {};
        if (fstat(file_, &facts) == 0 && facts.st_nlink > 0) {
            return;
        }
        close(file_);  // the last holder has just removed the file
    }
}

FileClaim::~FileClaim() {
    unlink(lock_.c_str());
    close(file_);
}

}  // namespace solidtlm::testbench
