// Each model gives the seconds of a message; a row has its bytes over them.
#include "experiments/bench/pipeline_model.hpp"

#include <functional>
#include <utility>

namespace holdfast::bench {

namespace {

constexpr std::size_t kShortest = 1024, kLongest = std::size_t{64} << 20;

double chunks_of(double bytes, const NetworkCost& network, double copy) {
  return chunk_count(bytes, first_chunk_bytes(network, copy), chunk_ratio(network, copy));
}

}  // namespace

ModelParameters jack() {
  return {{3e9, nanoseconds(1'400), nanoseconds(300)}, 6e9, 6e9, 4.53e9, 4.30e9, 4096};
}

std::vector<BandwidthRow> model_rows(const std::string& measurement,
                                     const ModelParameters& parameters) {
  const NetworkCost& network = parameters.network;
  const std::vector<std::pair<std::string, std::function<double(double)>>> models = {
      {"network", [&](double bytes) { return network_seconds(bytes, network); }},
      {"naive", [&](double bytes) { return naive_seconds(bytes, network, parameters.checksum); }},
      {"eager",
       [&](double bytes) { return eager_seconds(bytes, network, parameters.eager_checked); }},
      {"super_pipeline",
       [&](double bytes) {
         return super_pipeline_seconds(bytes, network, parameters.checked, parameters.block_bytes);
       }},
      {"super_pipeline_unchecked", [&](double bytes) {
         return super_pipeline_seconds(bytes, network, parameters.copy, parameters.block_bytes);
       }}};
  std::vector<BandwidthRow> rows;
  for (const auto& [name, seconds] : models) {
    for (std::size_t bytes = kShortest; bytes <= kLongest; bytes *= 4) {
      const double length = static_cast<double>(bytes);
      const double rate = length / seconds(length);
      rows.push_back({measurement, name, bytes, 0, rate, std::nullopt});
    }
  }
  return rows;
}

std::vector<PublishedNumber> published_of_jack() {
  const ModelParameters parameters = jack();
  const NetworkCost& network = parameters.network;
  constexpr double kMegabyte = 1e6;
  const auto pipelined = [&](double copy) {
    return super_pipeline_seconds(kMegabyte, network, copy, parameters.block_bytes);
  };
  const double gaps = chunks_of(kMegabyte, network, parameters.checked) -
                      chunks_of(kMegabyte, network, parameters.copy);
  return {{"naive bandwidth of endless messages", "1.5",
           naive_bytes_per_s(network.bytes_per_s, parameters.checksum) / 1e9, "GB/s"},
          {"copies' share of an eager message of 4 KiB", "34",
           100 * eager_copy_share(4096, network, parameters.eager_checked), "%"},
          {"gaps more for the checksum of 1 MB", "300", gaps * static_cast<double>(network.gap.ns),
           "ns"},
          {"time more for the checksum of 1 MB", "under 1",
           100 * (pipelined(parameters.checked) / pipelined(parameters.copy) - 1), "%"}};
}

}  // namespace holdfast::bench
