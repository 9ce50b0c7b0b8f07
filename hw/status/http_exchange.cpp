// Strict where RFC 9112 lets a server be so: lines end in CRLF, names of fields stand directly
// before their colon, no line is folded.
#include "hw/status/http_exchange.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace holdfast::hw {

namespace {

constexpr std::string_view kLineEnd = "\r\n";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_token_character(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || is_digit(c) ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

bool is_visible(char c) {
  return c > 0x20 && c < 0x7f;
}

bool is_field_value(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return (code < 0x20 && c != '\t') || code == 0x7f;
  });
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [&](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The path of "/path?query" or of "http://host/path?query"; empty: it is neither.
std::string_view path_of(std::string_view target) {
  constexpr std::string_view kScheme = "http://";
  if (target.starts_with(kScheme)) {
    target.remove_prefix(kScheme.size());
    target.remove_prefix(std::min(target.find('/'), target.size()));
  }
  if (!target.starts_with('/')) return {};
  return target.substr(0, target.find('?'));
}

HttpCode check_version(std::string_view version) {
  const bool formed = version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) &&
                      version[6] == '.' && is_digit(version[7]);
  if (!formed) return HttpCode::bad_request;
  return version[5] == '1' ? HttpCode::ok : HttpCode::version_not_supported;
}

// "GET /metrics HTTP/1.1"
HttpCode parse_request_line(std::string_view line, HttpRequest& request, bool& needs_host) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos) return HttpCode::bad_request;
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, second - first - 1);
  const std::string_view version = line.substr(second + 1);
  if (!is_token(method) || target.empty() ||
      !std::all_of(target.begin(), target.end(), is_visible)) {
    return HttpCode::bad_request;
  }
  if (const HttpCode code = check_version(version); code != HttpCode::ok) return code;
  needs_host = version[7] != '0';
  request.head_only = method == "HEAD";
  if (method != "GET" && !request.head_only) return HttpCode::method_not_allowed;
  request.path = path_of(target);
  return request.path.empty() ? HttpCode::bad_request : HttpCode::ok;
}

// The fields, each a line, without the empty one at their end.
HttpCode check_fields(std::string_view fields, bool needs_host) {
  std::size_t hosts = 0;
  bool has_body = false;
  while (!fields.empty()) {
    const std::size_t end = fields.find(kLineEnd);
    const std::string_view line = fields.substr(0, end);
    fields.remove_prefix(end + kLineEnd.size());
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
      return HttpCode::bad_request;
    }
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (!is_field_value(value)) return HttpCode::bad_request;
    if (equal_but_for_case(name, "host")) ++hosts;
    if (equal_but_for_case(name, "transfer-encoding")) has_body = true;
    if (equal_but_for_case(name, "content-length") && value != "0") has_body = true;
  }
  if (hosts > 1 || (needs_host && hosts == 0)) return HttpCode::bad_request;
  return has_body ? HttpCode::content_too_large : HttpCode::ok;
}

// Whether these may be the first bytes of a request line, so that noise need not be waited for.
bool may_begin_request(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find(kLineEnd));
  const std::size_t space = line.find(' ');
  const std::string_view method = line.substr(0, space);
  if (!method.empty() && !is_token(method)) {
    return method.back() == '\r' && is_token(method.substr(0, method.size() - 1));
  }
  return space != 0;
}

const char* phrase_of(HttpCode code) {
  switch (code) {
    case HttpCode::incomplete:
      break;
    case HttpCode::ok:
      return "OK";
    case HttpCode::bad_request:
      return "Bad Request";
    case HttpCode::not_found:
      return "Not Found";
    case HttpCode::method_not_allowed:
      return "Method Not Allowed";
    case HttpCode::request_timeout:
      return "Request Timeout";
    case HttpCode::content_too_large:
      return "Content Too Large";
    case HttpCode::uri_too_long:
      return "URI Too Long";
    case HttpCode::header_fields_too_large:
      return "Request Header Fields Too Large";
    case HttpCode::service_unavailable:
      return "Service Unavailable";
    case HttpCode::version_not_supported:
      return "HTTP Version Not Supported";
  }
  return "";
}

// In the form of RFC 9110, 5.6.7, whatever language the program has chosen.
std::string date_text(std::int64_t unix_s) {
  constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto at = static_cast<time_t>(unix_s);
  tm parts{};
  ::gmtime_r(&at, &parts);
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                kDays[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
                kMonths[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900,
                parts.tm_hour, parts.tm_min, parts.tm_sec);
  return text.data();
}

}  // namespace

HttpCode parse_http_head(std::string_view bytes, HttpRequest& request) {
  // An empty line before the head is passed over (RFC 9112, 2.2), also half of one.
  if (bytes == kLineEnd.substr(0, 1)) return HttpCode::incomplete;
  if (bytes.starts_with(kLineEnd)) bytes.remove_prefix(kLineEnd.size());
  const std::size_t line_end = bytes.find(kLineEnd);
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos || end + 4 > kHttpHeadBytesMax) {
    if (!may_begin_request(bytes)) return HttpCode::bad_request;
    if (bytes.size() < kHttpHeadBytesMax) return HttpCode::incomplete;
    return line_end == std::string_view::npos || line_end >= kHttpHeadBytesMax
               ? HttpCode::uri_too_long
               : HttpCode::header_fields_too_large;
  }
  bool needs_host = true;
  const HttpCode line = parse_request_line(bytes.substr(0, line_end), request, needs_host);
  const std::size_t fields_at = line_end + kLineEnd.size();
  const HttpCode fields =
      check_fields(bytes.substr(fields_at, end + kLineEnd.size() - fields_at), needs_host);
  // What cannot be read at all says more than that the method is another.
  if (line == HttpCode::ok ||
      (line == HttpCode::method_not_allowed && fields == HttpCode::bad_request)) {
    return fields;
  }
  return line;
}

std::string http_answer(HttpCode code, std::string_view content_type, std::string_view body,
                        bool head_only, std::int64_t unix_s) {
  std::string answer =
      "HTTP/1.1 " + std::to_string(static_cast<int>(code)) + " " + phrase_of(code) +
      "\r\nDate: " + date_text(unix_s) + "\r\nContent-Type: " + std::string(content_type) +
      "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n";
  if (code == HttpCode::method_not_allowed) answer += "Allow: GET, HEAD\r\n";
  answer += kLineEnd;
  if (!head_only) answer += body;
  return answer;
}

std::string http_error(HttpCode code, bool head_only, std::int64_t unix_s) {
  const std::string body = std::to_string(static_cast<int>(code)) + " " + phrase_of(code) + "\n";
  return http_answer(code, "text/plain; charset=utf-8", body, head_only, unix_s);
}

}  // namespace holdfast::hw
