// Files: lines in (plain or gzip), bytes out in one piece.
//
// Nothing is ever half-written: output goes to a temporary name beside its place, is synced, and is
// renamed when it is whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "bough/base/byte_source.h"
#include "bough/base/error.h"

namespace bough {

namespace fs = std::filesystem;

/// What is wrong with one line; the reader can go on behind it.
class BadLine : public DataError {
 public:
  using DataError::DataError;
};

/// Reads lines; `-` is standard input, and gzip is recognised by its content. `\n` and `\r\n` end a
/// line; a missing last one is forgiven, a byte order mark is left out. Throws DataError when the
/// file can't be read to its end (byte_source.h).
class LineReader {
 public:
  /// A line of more bytes is no line: the file isn't text, and may have no end (`/dev/zero`).
  static constexpr size_t kMostLineBytes = size_t{64} << 20;

  explicit LineReader(const std::string& path);

  /// False at the end of the file. BadLine for one with a zero byte, DataError for an endless one.
  bool next(std::string& line);

  /// Whether `next` would answer without waiting for whoever writes.
  bool is_ready() const;

  /// Of the line that `next` gave last, counted from 1.
  int64_t line_number() const { return line_number_; }

  /// The file's name for messages.
  const std::string& name() const { return source_.name(); }

 private:
  ByteSource source_;
  std::string buffer_;
  size_t begin_ = 0;  // of what the buffer still holds
  size_t end_ = 0;
  int64_t line_number_ = 0;
};

/// Writes a stream of text to a file (gzip if it is called `….gz`), or to standard output for `-`
/// or an empty path. A file appears under its name only on `commit`; lines for a terminal or a pipe
/// are there at once. OutputClosed where nobody reads standard output any more.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void write_line(std::string_view line);
  void flush();
  void commit();

 private:
  struct Sink;
  std::unique_ptr<Sink> sink_;
};

/// The whole of a regular file. DataError for anything else: a device or a pipe may have no end.
std::string read_file(const fs::path& path);

/// Its first `most` bytes; all where it has fewer.
std::string read_start(const fs::path& path, uint64_t most);

/// Of a regular file; DataError for anything else.
uint64_t size_of_file(const fs::path& path);

/// Replaces `path` by `content` in one step (temporary file, sync, rename).
void write_file(const fs::path& path, std::string_view content);

/// Whether a file is called as those are that OutputFile hasn't finished: `NAME.<process>.tmp`.
bool is_temporary_name(const fs::path& path);

/// Creates the folder and its parents; DataError where something is in the way.
void make_folder(const fs::path& path);

/// CRC-32 (zlib's), to notice a damaged file.
uint32_t checksum(std::string_view bytes, uint32_t start = 0);

/// 64-bit FNV-1a with a final mix: a hash that never changes, for splitting corpora.
uint64_t stable_hash(std::string_view text);

}  // namespace bough
