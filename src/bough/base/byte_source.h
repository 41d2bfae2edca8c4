// The bytes of a file or of standard input, unpacked where they are gzip.
//
// Gzip is known by its content, and what is packed in several pieces, one behind the other, is one
// text. A file is read to its end or not at all: one that is called `.gz` and isn't gzip, one that
// is cut short and one with other bytes behind its last piece are errors.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace bough {

class ByteSource {
 public:
  /// `-` is standard input. DataError for what can't be opened, and for a folder.
  explicit ByteSource(const std::string& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Puts up to `size` bytes into `target` and says how many; 0 at the end. DataError for a damaged
  /// file, Interrupted where a signal came while it waited.
  size_t read(char* target, size_t size);

  /// Whether `read` would answer without waiting: at the end of a file, too.
  bool is_ready() const;

  /// The file's name for messages.
  const std::string& name() const { return name_; }

 private:
  struct Unpacker;

  size_t read_plain(char* target, size_t size);
  size_t read_packed(char* target, size_t size);
  bool refill();
  void find_format();
  void begin_next_piece();

  std::string name_;
  bool is_called_gzip_;
  int descriptor_;
  bool is_known_ = false;               // whether it is gzip or not
  std::unique_ptr<Unpacker> unpacker_;  // null where it isn't
  std::string buffer_;                  // bytes as they are in the file
  size_t begin_ = 0;                    // of those in the buffer that are still to come
  size_t end_ = 0;
};

}  // namespace bough
