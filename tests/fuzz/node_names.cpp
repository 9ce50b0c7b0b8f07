// A node-name map, and the names of parts as people write them.
#include "sim/topology/part_names.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

std::vector<Bytes> seeds() {
  return {bytes_of(
              "# racks\n0x0008f10500108bba \"leaf 1\"\n0x3048c7488b0000 \"node7 HCA-1\" # spare\n"),
          bytes_of("0x1 \"a\"\n0x1 \"b\"\n"), bytes_of("S-0008f10500108bba[3]"), bytes_of("0x7")};
}

void play(Input input) {
  const std::string_view text = text_of(input);
  sim::NodeNames names;
  const Status status = sim::parse_node_names(text, "fuzz", names);
  if (!status.is_ok()) {
    check_sentences(status.message());
    FUZZ_CHECK(names.empty());
  }
  if (const auto part = sim::parse_part(text)) {
    std::string again = sim::guid_text(part->guid);
    if (part->port) again += "[" + std::to_string(*part->port) + "]";
    const auto reread = sim::parse_part(again);
    FUZZ_CHECK(reread && reread->guid == part->guid && reread->port == part->port);
  }
}

}  // namespace holdfast::fuzz
