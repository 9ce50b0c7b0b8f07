// Roles of messages whose memory is not in one piece: each byte of a matrix says where it comes
// from, so what arrives beside its place is seen as well as what does not arrive.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "tests/unit/library/member_parts.hpp"
#include "tests/unit/library/member_program.hpp"

namespace holdfast {
namespace {

constexpr std::uint32_t kContext = 0x5e6;
constexpr std::size_t kColumns = 5;

// Numbers in rows of kColumns, all the same at first.
struct Matrix {
  Matrix(std::size_t rows, std::uint64_t number) : numbers(rows * kColumns, number) {}

  std::uint64_t& at(std::size_t row, std::size_t column) {
    return numbers[row * kColumns + column];
  }
  std::size_t rows() const { return numbers.size() / kColumns; }
  Segment column(std::size_t column) {
    constexpr std::int64_t kRowBytes = kColumns * sizeof(std::uint64_t);
    return {&numbers[column], sizeof(std::uint64_t), 1, {{rows(), kRowBytes}}};
  }

  std::vector<std::uint64_t> numbers;
};

std::uint64_t number_of(std::uint32_t from, std::size_t row, std::size_t column) {
  return (row * kColumns + column) << 8 | from;
}

Matrix matrix_of(std::uint32_t from, std::size_t rows) {
  Matrix matrix(rows, 0);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < kColumns; ++column)
      matrix.at(row, column) = number_of(from, row, column);
  return matrix;
}

// Column 1 of the one goes to column 3 of the other, and both ways at once.
void exchange_columns(Job& job, std::size_t rows) {
  const std::uint32_t self = job.self(), other = 1 - self;
  Matrix mine = matrix_of(self, rows), got(rows, 77);
  const Segment from = mine.column(1), to = got.column(3);
  Request receives = job.receive_segments_start({other, kContext, 1}, {&to, 1});
  Request sent = job.send_segments(other, kContext, 1, {&from, 1}, kPatience);
  expect(sent.ok() && sent.message() == Message{other, kContext, 1, rows * 8}, "a column is sent");
  expect(receives.wait(kPatience) && receives.ok(), "a column comes");
  expect(receives.message() == Message{other, kContext, 1, rows * 8}, "whose it is");
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      const std::uint64_t meant = column == 3 ? number_of(other, row, 1) : 77;
      expect(got.at(row, column) == meant, "each number in its place, and no other one");
    }
  }
}

// What is one piece here is three there: a head, nothing, and a body that begins anywhere.
void exchange_pieces(Job& job, std::size_t bytes) {
  const std::uint32_t other = 1 - job.self();
  std::vector<std::byte> whole(bytes + 16), head(7), body(bytes + 10);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<std::byte>(i * 7 >> 2);
  const std::array<Segment, 3> pieces{segment_of(head), Segment{},
                                      segment_of(std::span(body).subspan(3, bytes))};
  Request receives = job.receive_segments_start({other, kContext, 2}, pieces);
  expect(job.send(other, kContext, 2, std::span(whole).first(7 + bytes), kPatience).ok(), "whole");
  expect(receives.wait(kPatience) && receives.ok(), "in pieces");
  expect(std::equal(head.begin(), head.end(), whole.begin()), "the head");
  expect(std::equal(body.begin() + 3, body.end() - 7, whole.begin() + 7), "the body");

  std::vector<std::byte> again(7 + bytes);
  Request gathers = job.receive_start({other, kContext, 3}, again);
  expect(job.send_segments(other, kContext, 3, pieces, kPatience).ok(), "out of pieces");
  expect(gathers.wait(kPatience) && gathers.ok(), "and whole again");
  expect(std::equal(again.begin(), again.end(), whole.begin()), "as it was");
}

// A message for which the segments have too little room.
void cut_short(Job& job) {
  const std::uint32_t other = 1 - job.self();
  Matrix mine = matrix_of(job.self(), 50), got(20, 77);
  const Segment from = mine.column(0), to = got.column(4);
  Request receives = job.receive_segments_start({other, kContext, 4}, {&to, 1});
  expect(job.send_segments(other, kContext, 4, {&from, 1}, kPatience).ok(), "a long column");
  expect(receives.wait(kPatience) && receives.status().code() == HOLDFAST_TRUNCATED, "too long");
  expect(
      receives.status().message() == "holdfast: the message has 400 bytes, the memory for it 160",
      receives.status().message().c_str());
  expect(got.at(19, 4) == number_of(other, 19, 0) && got.at(19, 3) == 77, "its first numbers");
}

void expect_invalid(holdfast_status status, const std::string& sentence) {
  expect(status == HOLDFAST_INVALID, "refused");
  expect(::holdfast_error() == sentence, ::holdfast_error());
}

}  // namespace

int exchange_segments() {
  Job job = joined();
  for (const std::size_t rows : {1u, 3u, 100u, 4'096u, 4'097u, 150'000u}) {
    exchange_columns(job, rows);
    exchange_pieces(job, rows);
  }
  cut_short(job);
  expect(job.leave(kPatience).ok(), "leave");
  return kAsExpected;
}

// The C functions.
int refuse_segments() {
  holdfast_job* job = nullptr;
  expect(::holdfast_join(20'000, &job) == HOLDFAST_OK, "join");
  const holdfast_pattern pattern{0, kContext, 0, 0};
  std::array<std::uint64_t, 10> memory{};
  holdfast_request request = HOLDFAST_NO_REQUEST;
  const auto sends = [&](const std::vector<holdfast_segment>& segments, const char* why) {
    const std::string call = "holdfast: holdfast_send_segments_start: ";
    expect_invalid(::holdfast_send_segments_start(job, 0, kContext, 0, segments.data(),
                                                  segments.size(), &request),
                   call + why);
    expect(request.number == 0, "nothing has begun");
  };
  const auto receives = [&](const std::vector<holdfast_segment>& segments, const char* why) {
    const std::string call = "holdfast: holdfast_receive_segments_start: ";
    expect_invalid(::holdfast_receive_segments_start(job, &pattern, segments.data(),
                                                     segments.size(), &request),
                   call + why);
  };
  const holdfast_segment good{memory.data(), 8, 0, {}};
  sends({good, {nullptr, 1, 0, {}}}, "segment 1 begins at NULL, but its size is not 0");
  sends({{nullptr, 8, 1, {{3, 8}}}}, "segment 0 begins at NULL, but its size is not 0");
  sends({{memory.data(), 8, 4, {}}}, "segment 0 is deeper than 3 levels");
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;
  sends({{memory.data(), 8, 1, {{kHuge, 0}}}},
        "the segments have more bytes than 64 bits can count");
  sends(
      {{memory.data(), 8, 2, {{kHuge / 16, 0}, {1, 0}}}, {memory.data(), 8, 1, {{kHuge / 16, 0}}}},
      "the segments have more bytes than any message");
  sends({{memory.data(), kHuge * 2 - 1, 0, {}}},
        "a segment reaches address 0 or beyond the address space");
  sends(std::vector<holdfast_segment>(HOLDFAST_SEGMENTS_MAX + 1, good),
        "there are more than 65536 segments");
  receives({good, good}, "segments overlap, and two bytes cannot be received in one place");
  receives({{memory.data(), 8, 1, {{3, 4}}}},
           "segments overlap, and two bytes cannot be received in one place");
  expect_invalid(
      ::holdfast_send_segments(job, 0, kContext, 0, nullptr, 1, -1, nullptr),
      "holdfast: holdfast_send_segments_start: segments is NULL, but their number is not 0");
  expect_invalid(
      ::holdfast_send_segments(job, 0, kContext, 0, &good, 1, 0, nullptr),
      "holdfast: holdfast_send_segments: request is NULL, which only a call may do that waits as "
      "long as it takes");
  expect_invalid(::holdfast_receive_segments(job, nullptr, &good, 1, -1, nullptr, nullptr),
                 "holdfast: holdfast_receive_segments_start: pattern is NULL");
  expect_invalid(::holdfast_send_segments_start(job, 1, kContext, 0, &good, 1, &request),
                 "holdfast: holdfast_send_segments_start: there is no such process");

  // As many as there may be, those without bytes at NULL, and the process to itself.
  std::vector<holdfast_segment> many(HOLDFAST_SEGMENTS_MAX, holdfast_segment{nullptr, 0, 0, {}});
  many[5] = {nullptr, 8, 1, {{0, 8}}};
  many.front() = many.back() = good;
  memory[0] = 4711;
  std::array<std::uint64_t, 2> got{};
  const holdfast_segment both{got.data(), 16, 0, {}};
  holdfast_message message{};
  expect(::holdfast_send_segments(job, 0, kContext, 9, many.data(), many.size(), -1, nullptr) ==
             HOLDFAST_OK,
         ::holdfast_error());
  expect(::holdfast_receive_segments(job, &pattern, &both, 1, -1, &message, nullptr) == HOLDFAST_OK,
         ::holdfast_error());
  expect(message.bytes == 16 && message.tag == 9 && got[0] == 4711 && got[1] == 4711, "twice");
  expect(::holdfast_leave(job, 20'000) == HOLDFAST_OK, "leave");
  return kAsExpected;
}

}  // namespace holdfast
