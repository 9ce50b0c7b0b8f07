// Candidates are compared with the best so far, on the same data; the faster one stays.
#include "stack/checksum/tuning.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "stack/base/assert.hpp"
#include "stack/checksum/crc32c_kernel.hpp"
#include "stack/checksum/processor.hpp"

namespace holdfast {

namespace {

constexpr std::size_t kFragmentBytes = 32768;  // a usual fragment, in the innermost caches
constexpr std::size_t kShortBytes = 4096;
constexpr std::uint64_t kLargestBytes = std::uint64_t{128} << 20;
constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr double kCloseToEqual = 0.8;

// Fit to detect errors: every bit of the value depends on every byte and its place.
constexpr auto kFit = std::to_array<std::string_view>(
    {"adler32", "fletcher64", "jenkins_oaat", "fnv1a", "murmur2a", "superfast", "crc32c", "xxh3"});

struct Memory {
  explicit Memory(std::size_t bytes) : from(bytes, std::byte{0x5a}), to(bytes) {}
  std::vector<std::byte> from, to;
};

// Copying a fragment; of two that copy alike, summing short messages.
const Crc32cKernel& fastest_kernel(const CompareSpeed& compare, Memory& memory) {
  const auto copying = [&](const Crc32cKernel& kernel) {
    return [&] {
      static_cast<void>(kernel.copy(0, memory.to.data(), memory.from.data(), kFragmentBytes));
    };
  };
  const auto summing = [&](const Crc32cKernel& kernel) {
    return [&] { static_cast<void>(kernel.update(0, memory.from.data(), kShortBytes)); };
  };
  const auto wins = [&](const Crc32cKernel& one, const Crc32cKernel& other) {
    return one.copy == other.copy ? compare(summing(one), summing(other)) > 1
                                  : compare(copying(one), copying(other)) > 1;
  };
  const Crc32cKernel* fastest = nullptr;
  for (const Crc32cKernel* kernel : crc32c_kernels()) {
    if (!kernel->runs_here()) continue;
    if (fastest == nullptr || wins(*kernel, *fastest)) fastest = kernel;
  }
  HOLDFAST_ASSERT(fastest != nullptr);
  return *fastest;
}

// The shortest of a few lengths around the last-level cache from which on going past it wins.
std::uint64_t find_streaming(const CompareSpeed& compare, const Crc32cKernel& kernel,
                             Memory& memory) {
  std::uint64_t from = kNever;
  for (std::uint64_t bytes = memory.from.size(); bytes >= last_level_cache_bytes() / 8;
       bytes /= 2) {
    const auto moving = [&](decltype(Crc32cKernel::copy) move) {
      return [&memory, bytes, move] {
        static_cast<void>(move(0, memory.to.data(), memory.from.data(), bytes));
      };
    };
    const double won = compare(moving(kernel.stream), moving(kernel.copy));
    // Close to equal beyond the cache: then others' data had better stay in it.
    if (won < (bytes > last_level_cache_bytes() ? kCloseToEqual : 1)) break;
    from = bytes;
  }
  return from;
}

std::string fastest_checksum(const CompareSpeed& compare, const ChecksumPlan& plan,
                             Memory& memory) {
  std::string_view fastest;
  std::unique_ptr<Checksum> best;
  const auto copying = [&](const Checksum& checksum) {
    return [&] {
      static_cast<void>(
          checksum.copy_of(memory.to.data(), std::span(memory.from).first(kFragmentBytes)));
    };
  };
  for (const std::string_view name : kFit) {
    auto checksum = make_checksum(name, plan);
    HOLDFAST_ASSERT(checksum != nullptr);
    if (best != nullptr && compare(copying(*checksum), copying(*best)) <= 1) continue;
    fastest = name;
    best = std::move(checksum);
  }
  return std::string(fastest);
}

// The rest of the line that begins with `key` and a space; the line is taken off the text.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view key) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view line = text.substr(0, end);
  if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ')
    return std::nullopt;
  text.remove_prefix(end + 1);
  line.remove_prefix(key.size() + 1);
  return line;
}

}  // namespace

ChecksumPlan ChecksumTuning::plan() const {
  const Crc32cKernel* const kernel = find_crc32c_kernel(crc32c_kernel);
  HOLDFAST_ASSERT(kernel != nullptr);
  return {kernel, streaming_from};
}

ChecksumTuning tune_checksums(const CompareSpeed& compare) {
  Memory memory(static_cast<std::size_t>(
      std::clamp<std::uint64_t>(3 * last_level_cache_bytes() / 2, kFragmentBytes, kLargestBytes)));
  const Crc32cKernel& kernel = fastest_kernel(compare, memory);
  const std::uint64_t streaming_from = find_streaming(compare, kernel, memory);
  return {std::string(kernel.name), streaming_from,
          fastest_checksum(compare, {&kernel, streaming_from}, memory)};
}

std::string to_text(const ChecksumTuning& tuning) {
  return "crc32c_kernel " + tuning.crc32c_kernel + "\nstreaming_from_bytes " +
         std::to_string(tuning.streaming_from) + "\nfastest " + tuning.fastest + "\n";
}

std::optional<ChecksumTuning> parse_checksum_tuning(std::string_view text) {
  const auto kernel = take_line(text, "crc32c_kernel");
  const auto bytes = take_line(text, "streaming_from_bytes");
  const auto fastest = take_line(text, "fastest");
  if (!kernel || !bytes || !fastest || !text.empty()) return std::nullopt;
  ChecksumTuning tuning{std::string(*kernel), 0, std::string(*fastest)};
  const char* const end = bytes->data() + bytes->size();
  const auto [stopped, error] = std::from_chars(bytes->data(), end, tuning.streaming_from);
  const bool is_number = error == std::errc() && stopped == end;
  const bool is_fit = std::ranges::find(kFit, *fastest) != kFit.end();
  if (!is_number || !is_fit || find_crc32c_kernel(*kernel) == nullptr) return std::nullopt;
  return tuning;
}

}  // namespace holdfast
