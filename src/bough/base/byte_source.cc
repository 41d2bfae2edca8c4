#include "bough/base/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>

#include "bough/base/error.h"

namespace bough {

namespace {

constexpr size_t kBufferBytes = 1U << 17;
constexpr std::string_view kMagic = "\x1f\x8b";

int open_to_read(const std::string& path, const std::string& name) {
  int descriptor = path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                               : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw DataError("cannot read {}: {}", name, std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    throw DataError("cannot read {}: it is a folder", name);
  }
  return descriptor;
}

}  // namespace

/// zlib's state.
struct ByteSource::Unpacker {
  z_stream stream{};
  bool is_between = false;  // behind a whole piece

  Unpacker() {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw RunError("no memory left to unpack gzip");
  }
  ~Unpacker() { inflateEnd(&stream); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
};

ByteSource::ByteSource(const std::string& path)
    : name_(path == "-" ? "standard input" : fmt::format("'{}'", path)),
      is_called_gzip_(path.ends_with(".gz")),
      descriptor_(open_to_read(path, name_)) {}

ByteSource::~ByteSource() {
  ::close(descriptor_);
}

size_t ByteSource::read(char* target, size_t size) {
  if (!is_known_) find_format();
  return unpacker_ ? read_packed(target, size) : read_plain(target, size);
}

bool ByteSource::is_ready() const {
  pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return begin_ < end_ || ::poll(&waiting, 1, 0) > 0;
}

size_t ByteSource::read_plain(char* target, size_t size) {
  if (begin_ == end_ && !refill()) return 0;
  size_t count = std::min(size, end_ - begin_);
  std::memcpy(target, buffer_.data() + begin_, count);
  begin_ += count;
  return count;
}

size_t ByteSource::read_packed(char* target, size_t size) {
  z_stream& stream = unpacker_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(target);
  stream.avail_out = static_cast<uInt>(std::min<size_t>(size, INT_MAX));
  const uInt wanted = stream.avail_out;
  while (stream.avail_out == wanted) {
    if (begin_ == end_ && !refill()) {
      if (unpacker_->is_between) return 0;
      throw DataError("cannot read {} to its end: it is cut short. Restore the file", name_);
    }
    if (unpacker_->is_between) begin_next_piece();
    stream.next_in = reinterpret_cast<Bytef*>(buffer_.data() + begin_);
    stream.avail_in = static_cast<uInt>(end_ - begin_);
    int code = inflate(&stream, Z_NO_FLUSH);
    begin_ = end_ - stream.avail_in;
    unpacker_->is_between = code == Z_STREAM_END;
    if (code == Z_MEM_ERROR) throw RunError("no memory left to unpack {}", name_);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      throw DataError("cannot read {} to its end: it is damaged gzip ({}). Restore the file", name_,
                      stream.msg != nullptr ? stream.msg : "its sizes or sums don't fit");
    }
  }
  return wanted - stream.avail_out;
}

/// False at the end of the file.
bool ByteSource::refill() {
  buffer_.resize(kBufferBytes);
  ssize_t count = ::read(descriptor_, buffer_.data(), buffer_.size());
  if (count < 0 && errno == EINTR) throw Interrupted("interrupted while reading {}", name_);
  if (count < 0) throw DataError("cannot read {} to its end: {}", name_, std::strerror(errno));
  begin_ = 0;
  end_ = static_cast<size_t>(count);
  return count > 0;
}

/// A pipe may give its first bytes one by one.
void ByteSource::find_format() {
  std::string start;
  while (start.size() < kMagic.size() && refill()) start.append(buffer_, 0, end_);
  begin_ = 0;
  end_ = start.size();
  buffer_ = std::move(start);
  is_known_ = true;
  if (std::string_view(buffer_).starts_with(kMagic)) {
    unpacker_ = std::make_unique<Unpacker>();
  } else if (is_called_gzip_) {
    throw DataError(
        "{} is called .gz but is not gzip. Pack it (gzip), or give it a name without .gz", name_);
  }
}

/// Behind a piece only another one may come.
void ByteSource::begin_next_piece() {
  if (buffer_[begin_] != kMagic[0]) {
    throw DataError(
        "{} has other bytes behind the end of its gzip data. Restore the file, or cut them off",
        name_);
  }
  inflateReset(&unpacker_->stream);
  unpacker_->is_between = false;
}

}  // namespace bough
