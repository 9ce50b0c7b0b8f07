// All are measured in turns over the same memory, so that what else the machine does disturbs all;
// medians count.
#include "hw/tune/copy_rates.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hw/tune/kept_answer.hpp"
#include "hw/tune/thread_time.hpp"
#include "hw/tune/tuned_checksums.hpp"
#include "stack/checksum/processor.hpp"

namespace holdfast::hw {
namespace {

constexpr std::size_t kRounds = 9;
constexpr std::size_t kFragmentBytes = 32768;
constexpr std::size_t kBufferBytes = 512 * 1024;  // a chunk's
constexpr std::uint64_t kLargestBytes = std::uint64_t{128} << 20;

double median(std::array<double, kRounds> values) {
  std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
  return values[kRounds / 2];
}

// Bytes in a second of copying all of `message` with copy(to, fragment).
template <class Copy>
double rate_of(const std::vector<std::byte>& message, std::vector<std::byte>& buffer, Copy copy) {
  const double begun = thread_seconds();
  for (std::size_t done = 0; done < message.size(); done += kFragmentBytes)
    copy(buffer.data() + done % kBufferBytes, std::span(message).subspan(done, kFragmentBytes));
  return static_cast<double>(message.size()) / (thread_seconds() - begun);
}

CopyRates measure(const ChecksumPlan& plan) {
  const std::uint64_t wanted = std::min(2 * last_level_cache_bytes(), kLargestBytes);
  const std::vector<std::byte> message(
      std::max<std::uint64_t>(wanted, kBufferBytes) / kBufferBytes * kBufferBytes, std::byte{0x5a});
  std::vector<std::byte> buffer(kBufferBytes);
  const auto checksum = make_checksum("crc32c", plan);
  std::array<double, kRounds> copies, checked, checksums;
  volatile std::uint64_t kept = 0;  // so that nothing is left out
  for (std::size_t round = 0; round < kRounds; ++round) {
    copies[round] = rate_of(message, buffer, [](std::byte* to, std::span<const std::byte> from) {
      std::memcpy(to, from.data(), from.size());
      asm volatile("" : : "r"(to) : "memory");
    });
    checked[round] = rate_of(message, buffer, [&](std::byte* to, std::span<const std::byte> from) {
      kept = checksum->copy_of(to, from);
    });
    checksums[round] = rate_of(message, buffer, [&](std::byte*, std::span<const std::byte> from) {
      kept = checksum->of(from);
    });
  }
  static_cast<void>(kept);
  return {median(copies), median(checked), median(checksums)};
}

std::optional<double> take_rate(std::string_view& text, std::string_view key) {
  if (!text.starts_with(key)) return std::nullopt;
  text.remove_prefix(key.size());
  std::uint64_t rate = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
  if (error != std::errc() || rate == 0 || !text.starts_with('\n')) return std::nullopt;
  text.remove_prefix(1);
  return static_cast<double>(rate);
}

}  // namespace

MeasuredCopies measured_copies(const std::string& build, const std::string& folder) {
  MeasuredCopies copies;
  const KeptAnswer kept("copies", build, folder);
  if (const auto text = kept.read()) {
    if (const auto rates = parse_copy_rates(*text)) {
      copies.rates = *rates;
      copies.file = kept.path();
      return copies;
    }
  }
  copies.rates = measure(tuned_checksums(build, folder).tuning.plan());
  copies.measured = true;
  if (kept.write(to_text(copies.rates))) copies.file = kept.path();
  return copies;
}

std::string to_text(const CopyRates& rates) {
  const auto whole = [](double rate) { return std::to_string(static_cast<std::uint64_t>(rate)); };
  return "copy_bytes_per_s " + whole(rates.copy_bytes_per_s) + "\nchecked_bytes_per_s " +
         whole(rates.checked_bytes_per_s) + "\nchecksum_bytes_per_s " +
         whole(rates.checksum_bytes_per_s) + "\n";
}

std::optional<CopyRates> parse_copy_rates(std::string_view text) {
  const auto copy = take_rate(text, "copy_bytes_per_s ");
  const auto checked = copy ? take_rate(text, "checked_bytes_per_s ") : std::nullopt;
  const auto checksum = checked ? take_rate(text, "checksum_bytes_per_s ") : std::nullopt;
  if (!checksum || !text.empty()) return std::nullopt;
  return CopyRates{*copy, *checked, *checksum};
}

}  // namespace holdfast::hw
