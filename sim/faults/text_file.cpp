// Reads files whole; unpacks with liblzma.
#include "sim/faults/text_file.hpp"

#include <lzma.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace holdfast::sim {
namespace {

// A trace is tens of megabytes at most; the limit keeps a forged archive from filling the memory.
constexpr std::size_t kTextBytesMax = std::size_t{1} << 30;

Status decompress(const std::string& path, const std::string& packed, std::string& text) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK)
    return Status::error(path + ": there is no memory for the xz decoder");
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  lzma_ret result = LZMA_OK;
  std::string chunk(std::size_t{1} << 16, '\0');
  while (result == LZMA_OK && text.size() < kTextBytesMax) {
    stream.next_out = reinterpret_cast<std::uint8_t*>(chunk.data());
    stream.avail_out = chunk.size();
    result = lzma_code(&stream, LZMA_FINISH);
    text.append(chunk, 0, chunk.size() - stream.avail_out);
  }
  lzma_end(&stream);
  if (result == LZMA_OK) return Status::error(path + ": unpacks to more than 1 GiB");
  if (result == LZMA_BUF_ERROR) return Status::error(path + ": the xz archive ends too early");
  if (result != LZMA_STREAM_END)
    return Status::error(path + ": is not a sound xz archive (test it with `xz -t`)");
  return Status::ok();
}

}  // namespace

Status read_text_file(const std::string& path, std::string& text) {
  text.clear();
  std::error_code error;
  if (std::filesystem::is_directory(path, error))  // which opens, and then throws
    return Status::error(path + ": cannot be read: it is a folder; expected a file");
  std::ifstream file(path, std::ios::binary);
  std::string raw((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad())
    return Status::error(path + ": cannot be read: " + std::strerror(errno));
  if (!path.ends_with(".xz")) {
    text = std::move(raw);
    return Status::ok();
  }
  return decompress(path, raw, text);
}

}  // namespace holdfast::sim
