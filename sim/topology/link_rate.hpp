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

// For people: "32 Gb/s", "54.545 Gb/s"; rounded down to Mb/s.
std::string rate_text(std::int64_t bits_per_second);

}  // namespace holdfast::sim
