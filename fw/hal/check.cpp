// SPDX-License-Identifier: Apache-2.0
#include "fw/hal/check.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace solidtlm::hal {
namespace {

void print(const std::string& message) {
    std::fprintf(stderr, "%s\n", message.c_str());
}

CheckHandler check_handler = print;

}  // namespace

CheckHandler set_check_handler(CheckHandler handler) {
    return std::exchange(check_handler, handler);
}

void check_failed(const char* condition, const char* expected, const char* file, int line) {
    std::string message = std::string("check failed: ") + expected + " (" + condition + ")\n  at " + file +
                          ":" + std::to_string(line);
    const CheckScene* scene = CheckScene::current;
    if (scene != nullptr) {
        message += "\n  in coroutine " + scene->running();
    }
    if (scene != nullptr || CheckScene::simulated_time != nullptr) {
        const Ps now = scene != nullptr ? scene->time() : CheckScene::simulated_time();
        message += "\n  at simulated time " + std::to_string(now.count()) + " ps";
    }
    check_handler(message);
    std::abort();
}

}  // namespace solidtlm::hal
