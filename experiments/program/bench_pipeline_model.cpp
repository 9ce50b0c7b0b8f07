// holdfast bench pipeline-model: what messages should cost, before any is sent.
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "experiments/bench/pipeline_model.hpp"
#include "experiments/program/bench_results.hpp"
#include "experiments/program/commands.hpp"
#include "experiments/runner/durable_file.hpp"
#include "experiments/runner/version.hpp"
#include "hw/tune/copy_rates.hpp"
#include "hw/tune/tuned_checksums.hpp"

namespace holdfast::program {
namespace {

nlohmann::ordered_json as_json(const bench::ModelParameters& parameters) {
  return {{"network_bytes_per_s", parameters.network.bytes_per_s},
          {"network_latency_ns", parameters.network.latency.ns},
          {"network_gap_ns", parameters.network.gap.ns},
          {"checksum_bytes_per_s", parameters.checksum},
          {"eager_checked_bytes_per_s", parameters.eager_checked},
          {"copy_bytes_per_s", parameters.copy},
          {"checked_bytes_per_s", parameters.checked},
          {"block_bytes", parameters.block_bytes}};
}

// This machine's copies behind jack's wire.
bench::ModelParameters with_copies_of(const hw::CopyRates& rates) {
  bench::ModelParameters parameters = bench::jack();
  parameters.checksum = rates.checksum_bytes_per_s;
  parameters.eager_checked = parameters.checked = rates.checked_bytes_per_s;
  parameters.copy = rates.copy_bytes_per_s;
  return parameters;
}

void print_published() {
  std::printf("%-46s %10s %10s\n", "cluster jack", "published", "model");
  for (const bench::PublishedNumber& number : bench::published_of_jack())
    std::printf("%-46s %10s %10.2f %s\n", number.what.c_str(), number.published.c_str(),
                number.computed, number.unit.c_str());
}

}  // namespace

int bench_pipeline_model(const Arguments& arguments) {
  std::string folder;
  if (Status status = make_results_folder(arguments, "results/bench-pipeline-model", folder);
      !status.is_ok())
    return refuse_bench(status.message());

  const hw::MeasuredCopies copies =
      hw::measured_copies(runner::version().git, hw::default_cache_folder());
  const bench::ModelParameters here = with_copies_of(copies.rates);
  std::vector<bench::BandwidthRow> rows = bench::model_rows("model_jack", bench::jack());
  for (const bench::BandwidthRow& row : bench::model_rows("model_here", here)) rows.push_back(row);
  const nlohmann::ordered_json model = {{"jack", as_json(bench::jack())}, {"here", as_json(here)}};
  for (const auto& [name, text] :
       {std::pair{"model.json", model.dump(2) + "\n"}, {"bandwidth.csv", bandwidth_csv(rows)}}) {
    if (Status status = runner::write_durably(folder + "/" + name, text); !status.is_ok())
      return refuse_bench(status.message());
  }
  print_published();
  std::printf(
      "\nthis machine, %s: copies %.2f GB/s, with CRC-32C %.2f GB/s, CRC-32C alone %.2f GB/s\n",
      copies.measured ? "measured now" : "measured before", copies.rates.copy_bytes_per_s / 1e9,
      copies.rates.checked_bytes_per_s / 1e9, copies.rates.checksum_bytes_per_s / 1e9);
  std::printf("results: %s\n", folder.c_str());
  return kDone;
}

}  // namespace holdfast::program
