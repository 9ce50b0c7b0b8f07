// Each change is one that found something in decoders before: a bit, a number at its limit, a piece
// that is gone, twice there, or of another input, a file that ends too early.
#include "tests/fuzz/mutator.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "stack/base/random.hpp"

namespace holdfast::fuzz {

namespace {

// Purpose of the random streams; see Random.
constexpr std::uint64_t kStream = 0x66757a7a;

constexpr std::array<std::uint64_t, 12> kNumbers{
    0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 65'536, 0x7fff'ffff, 0xffff'ffff, ~std::uint64_t{0}};
constexpr std::array<const char*, 14> kTexts{
    "0", "1",   "-1",      "4294967296", "18446744073709551616", "1e99", "NaN", "\"", "\n", ",",
    "[", "{\"", "\\u0000", "\xff"};

class Mutation {
 public:
  Mutation(Bytes& bytes, const Bytes& other, Random& random)
      : bytes_(bytes), other_(other), random_(random) {}

  void change() {
    switch (random_.below(10)) {
      case 0:
        if (!bytes_.empty()) bytes_[place()] ^= std::byte{1} << random_.below(8);
        break;
      case 1:
        if (!bytes_.empty()) bytes_[place()] = static_cast<std::byte>(random_.next());
        break;
      case 2:
        put_number();
        break;
      case 3:
        replace_digits();
        break;
      case 4:
        erase();
        break;
      case 5:
        insert(at(bytes_), piece_of(bytes_));
        break;
      case 6:
        insert(at(bytes_), piece_of(other_));
        break;
      case 7:
        insert(at(bytes_), bytes_of(kTexts[random_.below(kTexts.size())]));
        break;
      case 8:
        swap_lines();
        break;
      case 9:
        if (random_.below(4) == 0) bytes_.resize(at(bytes_));
        break;
    }
  }

 private:
  std::size_t place() { return random_.below(bytes_.size()); }
  std::size_t at(const Bytes& bytes) { return random_.below(bytes.size() + 1); }

  // Mostly short.
  std::size_t length(std::size_t most) {
    const std::uint64_t longest = random_.below(4) == 0 ? most : std::min<std::size_t>(most, 16);
    return random_.below(longest + 1);
  }

  Bytes piece_of(const Bytes& bytes) {
    const std::size_t begin = at(bytes);
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(begin);
    return {from, from + static_cast<std::ptrdiff_t>(length(bytes.size() - begin))};
  }

  void insert(std::size_t where, const Bytes& piece) {
    bytes_.insert(bytes_.begin() + static_cast<std::ptrdiff_t>(where), piece.begin(), piece.end());
  }

  void erase() {
    const std::size_t begin = at(bytes_);
    const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(begin);
    bytes_.erase(from, from + static_cast<std::ptrdiff_t>(length(bytes_.size() - begin)));
  }

  // One, two, four or eight bytes, little-endian.
  void put_number() {
    const std::size_t size = std::size_t{1} << random_.below(4);
    if (bytes_.size() < size) return;
    const std::size_t begin = random_.below(bytes_.size() - size + 1);
    const std::uint64_t number = kNumbers[random_.below(kNumbers.size())];
    for (std::size_t i = 0; i < size; ++i) {
      bytes_[begin + i] = static_cast<std::byte>(number >> (8 * i));
    }
  }

  // A number in a text becomes another one.
  void replace_digits() {
    const auto is_digit = [](std::byte byte) {
      return byte >= std::byte{'0'} && byte <= std::byte{'9'};
    };
    const auto start = bytes_.begin() + static_cast<std::ptrdiff_t>(at(bytes_));
    const auto first = std::find_if(start, bytes_.end(), is_digit);
    const auto last = std::find_if_not(first, bytes_.end(), is_digit);
    if (first == last) return;
    std::array<char, 24> digits;
    const std::uint64_t number =
        random_.below(2) == 0 ? kNumbers[random_.below(kNumbers.size())] : random_.below(1000);
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    const auto where = bytes_.erase(first, last);
    const auto text = std::as_bytes(std::span(digits.data(), end));
    bytes_.insert(where, text.begin(), text.end());
  }

  // A line to another place.
  void swap_lines() {
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(at(bytes_));
    const auto first = std::find(begin, bytes_.end(), std::byte{'\n'});
    if (first == bytes_.end()) return;
    const auto second = std::find(first + 1, bytes_.end(), std::byte{'\n'});
    std::rotate(begin, first + 1, second);
  }

  Bytes& bytes_;
  const Bytes& other_;
  Random& random_;
};

}  // namespace

Bytes nth_input(const std::vector<Bytes>& seeds, std::uint64_t number) {
  if (number == 0) return {};
  if (number <= seeds.size()) return seeds[number - 1];
  Random random(1, kStream, number);
  Bytes bytes = seeds[random.below(seeds.size())];
  const Bytes& other = seeds[random.below(seeds.size())];
  Mutation mutation(bytes, other, random);
  for (std::uint64_t left = 1 + random.below(8); left > 0; --left) mutation.change();
  if (bytes.size() > kInputBytesMax) bytes.resize(kInputBytesMax);
  return bytes;
}

}  // namespace holdfast::fuzz
