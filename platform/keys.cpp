// SPDX-License-Identifier: Apache-2.0
#include "platform/keys.h"

#include "platform/units.h"

namespace solidtlm::platform {

Written plain(std::string_view text) {
    text = trimmed(text);
    return {std::string(without_quotes(text)), text.empty() ? "nothing" : std::string(text)};
}

bool takes(ValueType type, Form form) {
    if (form == Form::plain) {
        return true;
    }
    switch (type) {
        case ValueType::boolean:
            return form == Form::boolean;
        case ValueType::integer:
            return form == Form::integer;
        case ValueType::number:
            return form == Form::number || form == Form::integer;
        case ValueType::size:
            return form == Form::text || form == Form::integer;
        case ValueType::durations:
            return form == Form::text || form == Form::list;
        case ValueType::duration:
        case ValueType::text:
            return form == Form::text;
    }
    return false;
}

std::string refusal(const Allowed& allowed, const Written& written) {
    return "found " + written.shown + "; allowed: " + allowed.allowed() +
           did_you_mean(written.text, allowed.names);
}

}  // namespace solidtlm::platform
