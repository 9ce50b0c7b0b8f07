// Addresses of the fabrics that a job may run over, where it does not matter which one it is.
#pragma once

#include <string>

#include "hw/launch/job_fabric.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

// False for what another kind of fabric understands, or none.
bool is_address_of(JobFabric fabric, const Address& address);

// For people; of addresses of no known fabric their bytes.
std::string text_of(const Address& address);

}  // namespace holdfast::hw
