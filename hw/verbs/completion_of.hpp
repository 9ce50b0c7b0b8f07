// What an adapter says of an operation, in the words of seam 1. Where the seam knows of no such
// thing it is this machine's fault.
#pragma once

#include <infiniband/verbs.h>

#include "stack/fabric.hpp"

namespace holdfast::hw {

inline Completion completion_of(ibv_wc_status status) {
  switch (status) {
    case IBV_WC_SUCCESS:
      return Completion::ok;
    case IBV_WC_WR_FLUSH_ERR:
      return Completion::flushed;
    case IBV_WC_RETRY_EXC_ERR:
      return Completion::retry_exceeded;
    case IBV_WC_RNR_RETRY_EXC_ERR:
      return Completion::receiver_not_ready;
    case IBV_WC_REM_ACCESS_ERR:
    case IBV_WC_REM_INV_REQ_ERR:
    case IBV_WC_REM_OP_ERR:
      return Completion::remote_access;
    default:
      return Completion::local_error;
  }
}

}  // namespace holdfast::hw
