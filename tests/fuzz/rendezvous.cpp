// What is said at a rendezvous: hello, claim, the head of an answer, its body, and what begins a
// job. A byte of the input says which; where it is even, what is sealed is sealed with the key.
#include "hw/launch/rendezvous_frames.hpp"
#include "hw/udp/udp_address.hpp"

#include <algorithm>

#include "stack/base/bytes.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

using namespace hw;

constexpr std::uint32_t kJobSize = 3;
constexpr std::size_t kRails = 2;
constexpr JobKey kKey{};
constexpr Nonces kNonces{};

JobMember member(std::uint16_t port) {
  JobMember made;
  for (std::uint16_t rail = 0; rail < kRails; ++rail) {
    const auto at = static_cast<std::uint16_t>(port + 100 * rail);
    made.addresses.push_back(to_address(UdpEndpoint{kLoopback, at}));
  }
  made.process = {1234, 99};
  return made;
}

// The first `count` bytes, the missing ones zero.
template <std::size_t count>
std::array<std::byte, count> first_of(Input input) {
  std::array<std::byte, count> bytes{};
  std::copy_n(input.begin(), std::min(count, input.size()), bytes.begin());
  return bytes;
}

void play_hello(Input input) {
  const auto bytes = first_of<kHelloBytes>(input);
  Nonce nonce{};
  const Met met = decode_hello(bytes, nonce);
  if (!met.is_ok()) return check_sentence(met.message);
  FUZZ_CHECK(std::equal(nonce.begin(), nonce.end(), encode_hello(nonce).begin() + 8));
}

void play_claim(Input input, bool sealed) {
  auto bytes = first_of<kClaimBytes>(input);
  if (sealed) {
    // An answer of this kind has the mac of a claim.
    const auto body = Input(bytes).first(kClaimBytes - kMacBytes);
    const auto made = encode_answer(AnswerKind{'c'}, body, kKey, kNonces);
    std::copy(made.end() - kMacBytes, made.end(), bytes.end() - kMacBytes);
  }
  Claim claim;
  const ClaimFault fault = decode_claim(bytes, kKey, kNonces, claim);
  FUZZ_CHECK(!sealed || fault != ClaimFault::other_key);
  if (fault != ClaimFault::none) return;
  const std::size_t rails = claim.member.addresses.size();
  FUZZ_CHECK(rails >= 1 && rails <= SeveralRails::kRailsMax);
  FUZZ_CHECK(encode_claim(claim, kKey, kNonces) == bytes);
}

void play_answer(Input input, bool sealed) {
  Bytes answer(input.begin(), input.end());
  if (sealed && !input.empty()) {
    answer = encode_answer(AnswerKind{std::to_integer<std::uint8_t>(input[0])}, input.subspan(1),
                           kKey, kNonces);
  }
  const auto head = first_of<kAnswerHeadBytes>(answer);
  const auto after = bytes_after_head(head, kJobSize, kRails);
  if (!after || answer.size() < kAnswerHeadBytes + *after) return;
  const auto kind = static_cast<AnswerKind>(head[0]);
  const auto body =
      body_of_answer(kind, Input(answer).subspan(kAnswerHeadBytes, *after), kKey, kNonces);
  FUZZ_CHECK(body || !sealed || kind == AnswerKind::no_key);
  if (!body || kind != AnswerKind::begin) return;
  MetJob job;
  if (!decode_begin(*body, kJobSize, kRails, job)) return;
  FUZZ_CHECK(job.members.size() == kJobSize);
  for (const JobMember& one : job.members) FUZZ_CHECK(one.addresses.size() == kRails);
  const auto again = encode_begin(job);
  FUZZ_CHECK(std::equal(again.begin(), again.end(), body->begin(), body->end()));
}

template <class Encoded>
Bytes seed(unsigned what, const Encoded& encoded) {
  Bytes bytes{static_cast<std::byte>(what)};
  bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  return bytes;
}

}  // namespace

std::vector<Bytes> seeds() {
  Claim claim;
  claim.rank = 2;
  claim.processes = kJobSize;
  claim.member = member(7002);
  Claim widest = claim;
  widest.member.addresses.resize(SeveralRails::kRailsMax, claim.member.addresses.front());
  MetJob job;
  job.number = 77;
  for (std::uint16_t port = 7000; port < 7003; ++port) job.members.push_back(member(port));
  const auto begin = encode_begin(job);
  std::vector<Bytes> all{
      seed(1, encode_hello({})),
      seed(2, encode_claim(claim, kKey, kNonces)),
      seed(3, encode_claim(claim, kKey, kNonces)),
      seed(2, encode_claim(widest, kKey, kNonces)),
      seed(5, encode_answer(AnswerKind::begin, begin, kKey, kNonces)),
      seed(5, encode_answer(AnswerKind::no_key, {}, kKey, kNonces)),
      seed(5, encode_answer(AnswerKind::refusal, bytes_of("\1why"), kKey, kNonces))};
  Bytes sealed = seed(4, begin);
  sealed.insert(sealed.begin() + 1, std::byte{1});
  all.push_back(sealed);
  return all;
}

void play(Input input) {
  if (input.empty()) return;
  const unsigned what = std::to_integer<unsigned>(input.front()) % 6;
  const bool sealed = what % 2 == 0;
  input = input.subspan(1);
  if (what / 2 == 0) play_hello(input);
  if (what / 2 == 1) play_claim(input, sealed);
  if (what / 2 == 2) play_answer(input, sealed);
}

}  // namespace holdfast::fuzz
