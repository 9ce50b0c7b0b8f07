// The table of forms.
#include "sim/topology/formats/formats.hpp"

#include <array>

namespace holdfast::sim {

std::span<const FabricFormat> fabric_formats() {
  static constexpr std::array kFormats = {
      FabricFormat{"ibnetdiscover", "as infiniband-diags print it", write_ibnetdiscover},
      FabricFormat{"ibsim", "the net file of ibsim, which simulates its management",
                   write_ibsim_net},
      FabricFormat{"dot", "for graphviz", write_dot},
      FabricFormat{"slurm", "topology.conf for Slurm's topology/tree", write_slurm},
  };
  return kFormats;
}

}  // namespace holdfast::sim
