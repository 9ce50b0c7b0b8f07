// The head of a request that anybody may have sent to a process that shows itself: as it comes in
// pieces, the first answer that is not "more has to come" is the answer to all of it; what is asked
// for is a page and nothing that could be anything else in a log or in an answer.
#include <algorithm>
#include <array>

#include "hw/status/http_exchange.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

using hw::HttpCode;
using hw::HttpRequest;

// RFC 9110 has a phrase for each, and the server says nothing else.
constexpr std::array kAnswers{HttpCode::ok,
                              HttpCode::bad_request,
                              HttpCode::method_not_allowed,
                              HttpCode::content_too_large,
                              HttpCode::uri_too_long,
                              HttpCode::header_fields_too_large,
                              HttpCode::version_not_supported};

void check_request(std::string_view text, const HttpRequest& request) {
  const std::size_t end = text.find("\r\n\r\n");
  FUZZ_CHECK(end != std::string_view::npos && end + 4 <= hw::kHttpHeadBytesMax);
  if (text.starts_with("\r\n")) text.remove_prefix(2);
  FUZZ_CHECK(text.starts_with(request.head_only ? "HEAD " : "GET "));
  FUZZ_CHECK(request.path.starts_with('/') && text.find(request.path) != std::string_view::npos);
  FUZZ_CHECK(std::all_of(request.path.begin(), request.path.end(),
                         [](char c) { return c > 0x20 && c < 0x7f && c != '?'; }));
}

void check_answer(HttpCode code) {
  FUZZ_CHECK(std::find(kAnswers.begin(), kAnswers.end(), code) != kAnswers.end());
  const std::string answer = hw::http_error(code, false, 784'111'777);
  const std::string start = "HTTP/1.1 " + std::to_string(static_cast<int>(code)) + " ";
  FUZZ_CHECK(answer.starts_with(start) && answer[start.size()] != '\r');
}

}  // namespace

std::vector<Bytes> seeds() {
  const std::string line = "GET /metrics HTTP/1.1\r\n";
  const std::string host = "Host: localhost:9100\r\n";
  return {bytes_of(line + host + "Accept: text/plain;version=0.0.4\r\n\r\n"),
          bytes_of("\r\n" + line + host + "\r\n"),
          bytes_of("HEAD http://localhost/status?a=b HTTP/1.0\r\n\r\nand more"),
          bytes_of(line + "hOsT:x\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n"),
          bytes_of("GET /" + std::string(hw::kHttpHeadBytesMax, 'a')),
          bytes_of(line + "A: " + std::string(hw::kHttpHeadBytesMax, 'a'))};
}

void play(Input input) {
  // No reader waits for more of a head than that.
  const std::string_view text = text_of(input).substr(0, hw::kHttpHeadBytesMax);
  HttpRequest request;
  const HttpCode whole = parse_http_head(text, request);
  if (whole == HttpCode::ok) check_request(text, request);
  if (whole != HttpCode::incomplete) check_answer(whole);
  // Each size of short ones, some of long ones.
  const std::size_t step = 1 + text.size() / 256;
  for (std::size_t size = 0; size < text.size(); size += step) {
    HttpRequest so_far;
    const HttpCode code = parse_http_head(text.substr(0, size), so_far);
    if (code == HttpCode::incomplete) continue;
    // What is wrong already need not look wrong where a line has ended since.
    FUZZ_CHECK(code == whole || (whole == HttpCode::incomplete && code != HttpCode::ok));
    FUZZ_CHECK(code != HttpCode::ok || so_far.path == request.path);
    break;
  }
}

}  // namespace holdfast::fuzz
