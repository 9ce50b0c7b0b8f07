// Heads of requests, good, wrong and hostile. The codes are those of RFC 9110.
#include "hw/status/http_exchange.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::hw {
namespace {

const std::string kHost = "Host: localhost\r\n";

TEST(HttpHead, WhatIsAskedFor) {
  for (const auto& [head, path, head_only] :
       std::vector<std::tuple<std::string, std::string, bool>>{
           {"GET /metrics HTTP/1.1\r\n" + kHost + "\r\n", "/metrics", false},
           {"HEAD /metrics HTTP/1.1\r\n" + kHost + "\r\n", "/metrics", true},
           {"GET /metrics HTTP/1.0\r\n\r\n", "/metrics", false},
           {"\r\nGET /metrics HTTP/1.0\r\n\r\n", "/metrics", false},
           {"GET /metrics?a=b HTTP/1.1\r\nhOsT:x\r\nAccept: text/plain\t\r\n\r\n", "/metrics",
            false},
           {"GET http://localhost:9100/status HTTP/1.1\r\n" + kHost + "\r\n", "/status", false},
           {"GET / HTTP/1.1\r\n" + kHost + "Content-Length: 0\r\n\r\nand more", "/", false}}) {
    HttpRequest request;
    EXPECT_EQ(parse_http_head(head, request), HttpCode::ok) << head;
    EXPECT_EQ(request.path, path);
    EXPECT_EQ(request.head_only, head_only);
  }
}

TEST(HttpHead, WhatIsWrongHasItsCode) {
  const std::string line = "GET / HTTP/1.1\r\n";
  const std::string long_line = "GET /" + std::string(kHttpHeadBytesMax, 'a');
  for (const auto& [head, code] : std::vector<std::pair<std::string, HttpCode>>{
           {"POST /metrics HTTP/1.1\r\n" + kHost + "\r\n", HttpCode::method_not_allowed},
           {"get /metrics HTTP/1.1\r\n" + kHost + "\r\n", HttpCode::method_not_allowed},
           {"GET / HTTP/2.0\r\n" + kHost + "\r\n", HttpCode::version_not_supported},
           {"GET / HTTP/1\r\n" + kHost + "\r\n", HttpCode::bad_request},
           {"GET / http/1.1\r\n" + kHost + "\r\n", HttpCode::bad_request},
           {"GET  / HTTP/1.1\r\n" + kHost + "\r\n", HttpCode::bad_request},
           {"GET metrics HTTP/1.1\r\n" + kHost + "\r\n", HttpCode::bad_request},
           {"GET /\x01 HTTP/1.1\r\n" + kHost + "\r\n", HttpCode::bad_request},
           {"GET /\r\n\r\n", HttpCode::bad_request},
           {line + "\r\n", HttpCode::bad_request},                        // no Host
           {line + kHost + kHost + "\r\n", HttpCode::bad_request},        // two
           {line + kHost + "A b: c\r\n\r\n", HttpCode::bad_request},      // a blank in a name
           {line + kHost + "A : c\r\n\r\n", HttpCode::bad_request},       // one before the colon
           {line + kHost + "A: b\r\n c\r\n\r\n", HttpCode::bad_request},  // a folded line
           {line + kHost + "nothing\r\n\r\n", HttpCode::bad_request},
           {line + kHost + "A: \x02\r\n\r\n", HttpCode::bad_request},
           {line + kHost + "Content-Length: 5\r\n\r\n", HttpCode::content_too_large},
           {line + kHost + "Transfer-Encoding: chunked\r\n\r\n", HttpCode::content_too_large},
           {" GET / HTTP/1.1\r\n", HttpCode::bad_request},
           {"\r\n\r\n\r\n", HttpCode::bad_request},
           {std::string("\0\0", 2), HttpCode::bad_request},
           {"\x16\x03\x01\x02", HttpCode::bad_request},  // how TLS begins
           {long_line, HttpCode::uri_too_long},
           {line + "A: " + std::string(kHttpHeadBytesMax, 'a'),
            HttpCode::header_fields_too_large}}) {
    HttpRequest request;
    EXPECT_EQ(parse_http_head(head, request), code) << head.substr(0, 80);
  }
}

// Whoever sends a byte at a time gets the same answer.
TEST(HttpHead, APieceOfAGoodHeadIsIncomplete) {
  const std::string good = "GET /metrics HTTP/1.1\r\n" + kHost + "Accept: */*\r\n\r\n";
  for (const std::string& head : {good, "\r\n" + good}) {
    HttpRequest request;
    for (std::size_t size = 0; size < head.size(); ++size) {
      EXPECT_EQ(parse_http_head(head.substr(0, size), request), HttpCode::incomplete) << size;
    }
    EXPECT_EQ(parse_http_head(head, request), HttpCode::ok);
  }
}

// Damaged at random, a head is answered, waited for or refused; what is accepted is one of the two
// methods and a path.
TEST(HttpHead, DamageIsRefusedOrHarmless) {
  std::mt19937 random(1);
  const std::string good = "GET /metrics HTTP/1.1\r\n" + kHost + "\r\n";
  for (int i = 0; i < 50'000; ++i) {
    std::string head = good;
    for (unsigned flips = random() % 4 + 1; flips > 0; --flips) {
      head[random() % head.size()] = static_cast<char>(random());
    }
    head.resize(random() % 8 == 0 ? random() % head.size() : head.size());
    HttpRequest request;
    if (parse_http_head(head, request) != HttpCode::ok) continue;
    EXPECT_TRUE(head.starts_with("GET ") || head.starts_with("HEAD ")) << head;
    EXPECT_TRUE(request.path.starts_with('/'));
  }
}

TEST(HttpAnswer, HasWhatTheStandardAsksFor) {
  EXPECT_EQ(http_answer(HttpCode::ok, "text/plain", "body", false, 784'111'777),
            "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Content-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody");
  const std::string head = http_error(HttpCode::method_not_allowed, true, 0);
  EXPECT_NE(head.find("\r\nAllow: GET, HEAD\r\n"), std::string::npos);
  EXPECT_TRUE(head.ends_with("\r\n\r\n")) << head;
}

}  // namespace
}  // namespace holdfast::hw
