// Forwarding tables as dump_lfts and OpenSM write them, of a fabric that is known: every port that
// is taken leads somewhere, and no packet goes in a circle.
#include "sim/topology/linear_tables.hpp"

#include "sim/topology/part_names.hpp"
#include "sim/topology/pgft.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

// Four hosts below two leaf switches below two spines.
const sim::FabricGraph& fabric() {
  static const sim::FabricGraph graph = [] {
    sim::Pgft tree;
    FUZZ_CHECK(sim::Pgft::create({{2, 2}, {1, 2}, {1, 1}}, tree).is_ok());
    sim::FabricGraph made = sim::build_pgft(tree, {100'000'000'000, nanoseconds(150)});
    for (std::uint32_t h = 0; h < made.host_count(); ++h) {
      made.set_port_guid({made.host({h}).adapters.front(), 1}, 0x3000 + h);
    }
    return made;
  }();
  return graph;
}

// Each way down is the only one, each way up the first port or, for the odd addresses, the second.
std::string tables_of(std::uint32_t paths, bool as_opensm) {
  const sim::FabricGraph& graph = fabric();
  std::string text;
  for (std::uint32_t d = 0; d < graph.devices().size(); ++d) {
    const sim::Device& device = graph.device(d);
    if (device.kind != sim::DeviceKind::switch_chip) continue;
    text += "Unicast lids [0x0-0x1f] of switch Lid 1 guid " + sim::guid_text(device.guid) + " ('" +
            device.name + "'):\n  Lid  Out   Destination\n";
    const bool is_leaf = device.name.starts_with("leaf");
    for (std::uint32_t h = 0; h < graph.host_count(); ++h) {
      for (std::uint32_t path = 0; path < paths; ++path) {
        const bool below = device.name == "leaf-" + std::to_string(h / 2);
        const std::uint32_t port = !is_leaf ? 1 + h / 2 : below ? 1 + h % 2 : 3 + path % 2;
        text += "0x00" + std::to_string(16 + h * paths + path) + " 00" + std::to_string(port) +
                (as_opensm ? " : (" : " # ") + "Channel Adapter portguid 0x000000000000300" +
                std::to_string(h) + ": 'host'" + (as_opensm ? ")\n" : "\n");
      }
    }
  }
  return text + "8 lids dumped\n";
}

}  // namespace

std::vector<Bytes> seeds() {
  return {bytes_of(tables_of(1, false)), bytes_of(tables_of(2, false)),
          bytes_of(tables_of(2, true) + "0x0063 UNREACHABLE\n")};
}

void play(Input input) {
  const sim::FabricGraph& graph = fabric();
  std::optional<sim::ForwardingTables> tables;
  std::vector<std::string> warnings;
  const Status status = sim::parse_linear_tables(text_of(input), "fuzz", graph, tables, warnings);
  FUZZ_CHECK(status.is_ok() == tables.has_value());
  if (!status.is_ok()) {
    check_sentences(status.message());
    FUZZ_CHECK(warnings.empty());
    return;
  }
  for (const std::string& warning : warnings) check_sentence(warning);
  for (std::uint32_t h = 0; h < graph.host_count(); ++h) {
    for (std::uint32_t path = 0; path < tables->paths(); ++path) {
      for (std::uint32_t start = 0; start < graph.devices().size(); ++start) {
        std::uint32_t at = start;
        std::size_t hops = 0;
        while (graph.device(at).kind == sim::DeviceKind::switch_chip) {
          const std::uint16_t port = tables->port(at, {h}, path);
          if (port == 0) break;
          FUZZ_CHECK(++hops <= graph.devices().size());
          at = graph.links()[graph.device(at).ports.at(port).link].end_away_from(at).device;
        }
      }
    }
  }
}

}  // namespace holdfast::fuzz
