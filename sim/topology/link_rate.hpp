// Rates of InfiniBand links, in bits of data per second.
//
// A link's name, such as 4xQDR, gives lanes and signalling. What a message can use is less, because
// the signalling carries a line code: 8b/10b for SDR, DDR and QDR (8 of 10 bits are data), 64b/66b
// for FDR10, FDR and EDR (64 of 66), and from HDR on 256b/257b under a Reed-Solomon code (514 of
// 544), whose symbol rates are chosen such that whole numbers remain. The simulator times data, so
// all rates here are data rates; with signalling rates QDR would look as fast as FDR10 while being
// a fifth slower. Source: InfiniBand Architecture Specification volume 2, physical layer; the rates
// follow from the symbol rates written in link_rate.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::sim {

// Data bits per second of a link such as "4xQDR"; nothing if the text is not LANESxSPEED with 1, 2,
// 4, 8 or 12 lanes and a speed from SDR to XDR.
std::optional<std::int64_t> parse_link_rate(std::string_view text);

// The lanes that such a text begins with; 0 if parse_link_rate does not take it.
std::uint32_t link_lanes(std::string_view text);

// The text that has this rate, with `lanes` lanes, or where these are 0 with 4, else with as few as
// possible; empty if there is none.
std::string link_rate_name(std::int64_t bits_per_second, std::uint32_t lanes);

// The slowest of the rates above `bits_per_second` with 4 lanes, else the fastest: what to propose
// where link_rate_name finds nothing.
std::string next_link_rate_name(std::int64_t bits_per_second);

// For people: "32 Gb/s", "54.545 Gb/s"; rounded down to Mb/s.
std::string rate_text(std::int64_t bits_per_second);

}  // namespace holdfast::sim
