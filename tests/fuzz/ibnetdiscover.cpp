// What `ibnetdiscover` prints: a fabric that is taken can be routed, summed up and written again,
// and what is written is taken and is the same fabric.
#include "sim/topology/ibnetdiscover.hpp"

#include "sim/topology/formats/formats.hpp"
#include "sim/topology/pgft.hpp"
#include "sim/topology/topology.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

constexpr sim::LinkSpec kLink{100'000'000'000, nanoseconds(150)};

// As real discoveries have it: names with and without adapters, -g's chassis, odd rates.
constexpr std::string_view kByHand = R"(#
# Topology file: generated on Mon Jun  1 10:00:00 2020
vendid=0x8f1
devid=0x5a30
sysimgguid=0x8f10500108bbb
switchguid=0x8f10500108bba(8f10500108bba)
Switch	24 "S-0008f10500108bba"		# "ISR9024D Voltaire" enhanced port 0 lid 7 lmc 0
[1]	"H-003048c7488b0000"[1](3048c7488b0001) 		# "node7 HCA-1" lid 86 4xDDR
[2]	"H-003048c7488c0000"[1](3048c7488c0001) 		# "node8 mlx5_0" lid 87 4xEDR
[24]	"H-003048c7488c0000"[2](3048c7488c0002) 		# "node8 mlx5_0" lid 88 1xSDR

vendid=0x2c9
devid=0x6274
sysimgguid=0x3048c7488b0003
caguid=0x3048c7488b0000
Ca	1 "H-003048c7488b0000"		# "node7 HCA-1"
[1](3048c7488b0001) 	"S-0008f10500108bba"[1]		# lid 86 lmc 0 "ISR9024D Voltaire" lid 7 4xDDR

caguid=0x3048c7488c0000
Ca	2 "H-003048c7488c0000"		# "node8 mlx5_0"
[1](3048c7488c0001) 	"S-0008f10500108bba"[2]		# lid 87 lmc 0 "ISR9024D Voltaire" lid 7 4xEDR
[2](3048c7488c0002) 	"S-0008f10500108bba"[24]		# lid 88 lmc 0 "ISR9024D Voltaire" lid 7 1xSDR
)";

}  // namespace

std::vector<Bytes> seeds() {
  std::vector<Bytes> texts{bytes_of(kByHand)};
  for (const sim::PgftSpec& spec :
       {sim::PgftSpec{{3}, {1}, {1}}, sim::PgftSpec{{2, 2}, {1, 2}, {1, 2}}}) {
    sim::Pgft tree;
    FUZZ_CHECK(sim::Pgft::create(spec, tree).is_ok());
    std::string text;
    FUZZ_CHECK(sim::write_ibnetdiscover(sim::build_pgft(tree, kLink), text).is_ok());
    texts.push_back(bytes_of(text));
  }
  return texts;
}

void play(Input input) {
  sim::ImportedFabric fabric;
  const Status status = sim::parse_ibnetdiscover(text_of(input), "fuzz", {}, kLink.latency, fabric);
  if (!status.is_ok()) {
    check_sentences(status.message());
    FUZZ_CHECK(fabric.graph.host_count() == 0);
    return;
  }
  for (const std::string& warning : fabric.warnings) check_sentence(warning);
  // A file without a link is refused, as it was cut off; what is left of a real one may have none.
  if (fabric.graph.links().empty()) return;
  std::string text;
  if (const Status written = sim::write_ibnetdiscover(fabric.graph, text); written.is_ok()) {
    sim::ImportedFabric again;
    const Status reread = sim::parse_ibnetdiscover(text, "again", {}, kLink.latency, again);
    FUZZ_CHECK(reread.is_ok());
    FUZZ_CHECK(again.graph.host_count() == fabric.graph.host_count());
  } else {
    check_sentence(written.message());
  }
  if (fabric.graph.host_count() == 0) return;
  const sim::Topology topology = sim::Topology::imported(std::move(fabric));
  FUZZ_CHECK(topology.summary().hosts == topology.host_count());
  FUZZ_CHECK(!topology.picture().empty());
}

}  // namespace holdfast::fuzz
