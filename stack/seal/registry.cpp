// The register of seals: one line each.
#include "stack/seal/none.hpp"
#include "stack/seal/seal.hpp"
#include "stack/seal/siphash128.hpp"

namespace holdfast {

std::unique_ptr<Seal> make_seal(std::string_view name) {
  if (name == "none") return make_no_seal();
  if (name == "siphash128") return make_siphash128();
  return nullptr;
}

}  // namespace holdfast
