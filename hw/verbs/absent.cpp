// Verbs in a build without libibverbs.
#include "hw/verbs/verbs.hpp"

namespace holdfast::hw {

namespace {

Status absent() {
  return Status::error(
      "this build has no verbs: install libibverbs-dev (Debian) and build it again");
}

}  // namespace

Status find_verbs_ports(std::vector<VerbsPort>&) {
  return absent();
}

std::optional<VerbsPort> find_verbs_port(const std::array<std::byte, 16>&) {
  return std::nullopt;
}

Status open_verbs(const VerbsOptions&, std::unique_ptr<Fabric>&) {
  return absent();
}

Status open_verbs_at(const VerbsOptions&, KeptQueue&, std::unique_ptr<Fabric>&) {
  return absent();
}

}  // namespace holdfast::hw
