// A job's key as people hand it over: 64 hexadecimal digits among blanks, and nothing else.
#include "hw/launch/job_key.hpp"

#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

std::vector<Bytes> seeds() {
  const std::string key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1F";
  return {bytes_of(key), bytes_of(" " + key + "\n"), bytes_of("0x" + key.substr(2))};
}

void play(Input input) {
  const auto key = hw::parse_job_key(text_of(input));
  if (!key) return;
  std::string digits;
  for (const char c : text_of(input)) {
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    digits += c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  std::string again;
  for (const std::byte byte : key->bytes) {
    again += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4];
    again += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15];
  }
  FUZZ_CHECK(again == digits);
}

}  // namespace holdfast::fuzz
