// Sockets that are opened in a network namespace stay in it, wherever their process goes.
#pragma once

#include <functional>

#include "stack/base/status.hpp"

namespace holdfast::hw {

// This thread, for good. An error says why it cannot.
Status enter_namespace(int name_space);

// Does `act`, which must not throw, while this thread is in that namespace, and comes back. Returns
// what it returned; or an error, and has not done it: the namespace cannot be entered.
Status in_namespace(int name_space, const std::function<Status()>& act);

}  // namespace holdfast::hw
