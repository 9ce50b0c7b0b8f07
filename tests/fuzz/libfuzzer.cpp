// A target as libFuzzer calls it. Before anything else the seeds are written into the first folder
// of the command line, the corpus, so that it begins with what real encoders have made.
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  for (int i = 1; i < *count; ++i) {
    const std::filesystem::path folder = (*arguments)[i];
    if (!std::filesystem::is_directory(folder)) continue;
    std::size_t number = 0;
    for (const holdfast::fuzz::Bytes& seed : holdfast::fuzz::seeds()) {
      std::ofstream file(folder / ("seed-" + std::to_string(number++)), std::ios::binary);
      file.write(reinterpret_cast<const char*>(seed.data()),
                 static_cast<std::streamsize>(seed.size()));
    }
    break;
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  holdfast::fuzz::play(std::as_bytes(std::span(data, size)));
  return 0;
}
