// As much HTTP/1.1 (RFC 9110 and 9112) as it takes to be asked for a page: the head of a request,
// from bytes that anybody may have sent, and an answer after which the connection ends.
//
// Nothing here allocates more than the limit, and nothing of a request is kept but the page's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::hw {

constexpr std::size_t kHttpHeadBytesMax = 4096;

enum class HttpCode : std::uint16_t {
  incomplete = 0,  // of a head: more has to come
  ok = 200,
  bad_request = 400,
  not_found = 404,
  method_not_allowed = 405,
  request_timeout = 408,
  content_too_large = 413,  // it announces a body, and pages take none
  uri_too_long = 414,
  header_fields_too_large = 431,
  service_unavailable = 503,
  version_not_supported = 505,
};

struct HttpRequest {
  bool head_only = false;  // HEAD: the answer without its body
  std::string path;        // without a query
};

// Reads the head at the front of what has come so far. `ok`: `request` is set; `incomplete`: as far
// as it goes nothing is wrong; else the code to answer with.
[[nodiscard]] HttpCode parse_http_head(std::string_view bytes, HttpRequest& request);

// A whole answer; `unix_s` is for its date. A page other than ok has its code as text.
std::string http_answer(HttpCode code, std::string_view content_type, std::string_view body,
                        bool head_only, std::int64_t unix_s);
std::string http_error(HttpCode code, bool head_only, std::int64_t unix_s);

}  // namespace holdfast::hw
