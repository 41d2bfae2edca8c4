#include "bough/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "bough/base/error.h"
#include "bough/base/random.h"

namespace bough {

namespace {

constexpr unsigned kPendingBytes = 1U << 17;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string reason() {
  return std::strerror(errno);
}

/// Without the exceptions of std::filesystem: what can't be looked at is no folder, and fails when
/// it is opened.
bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// The name under which a file is written before it gets its own.
fs::path temporary_name(const fs::path& path) {
  fs::path name = path;
  name += fmt::format(".{}.tmp", ::getpid());
  return name;
}

void sync_descriptor(int descriptor, const fs::path& path) {
  // Some file systems and devices can't sync (EINVAL, EROFS); a failed device can't be trusted.
  if (::fsync(descriptor) != 0 && errno == EIO) {
    throw RunError("cannot write '{}' to disk: {}", path.string(), reason());
  }
}

/// Gives a whole temporary file its own name, so that a crash leaves the old or the new one.
void put_in_place(const fs::path& temporary, const fs::path& path) {
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    std::string why = reason();
    ::unlink(temporary.c_str());
    throw RunError("cannot rename '{}' to '{}': {}", temporary.string(), path.string(), why);
  }
  fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

int create_file(const fs::path& temporary, const fs::path& path) {
  int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    throw DataError("cannot write '{}': {}. Check that its folder exists and may be written",
                    path.string(), reason());
  }
  return descriptor;
}

/// A terminal or a pipe: what is written there is waited for, line by line.
bool is_read_as_it_comes(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return false;
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || ::isatty(descriptor) != 0;
}

/// A regular file that is open to be read.
class RegularFile {
 public:
  /// A pipe is opened without waiting for a writer, to be refused.
  explicit RegularFile(const fs::path& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    struct stat status {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
      std::string why = reason();
      close();
      throw DataError("cannot read '{}': {}", path.string(), why);
    }
    if (!S_ISREG(status.st_mode)) {
      close();
      throw DataError("cannot read '{}': it is {}, and a regular file is needed", path.string(),
                      S_ISDIR(status.st_mode) ? "a folder" : "a device or a pipe");
    }
    size_ = static_cast<uint64_t>(status.st_size);
  }
  ~RegularFile() { close(); }
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  int descriptor() const { return descriptor_; }
  uint64_t size() const { return size_; }

 private:
  void close() const {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int descriptor_;
  uint64_t size_ = 0;
};

void write_all(int descriptor, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE && descriptor == STDOUT_FILENO) throw OutputClosed();
    if (written < 0) throw RunError("cannot write to {}: {}", name, reason());
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

LineReader::LineReader(const std::string& path) : source_(path), buffer_(kPendingBytes, '\0') {}

bool LineReader::is_ready() const {
  bool whole = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_) != nullptr;
  return whole || source_.is_ready();
}

bool LineReader::next(std::string& line) {
  line.clear();
  bool any = false;
  for (bool ended = false; !ended;) {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = source_.read(buffer_.data(), buffer_.size());
      if (end_ == 0 && !any) return false;
      if (end_ == 0) break;
    }
    any = true;
    const char* from = buffer_.data() + begin_;
    const auto* newline = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
    ended = newline != nullptr;
    size_t length = ended ? static_cast<size_t>(newline - from) : end_ - begin_;
    if (line.size() + length > kMostLineBytes) {
      throw DataError("{}, line {}: more than {} million bytes without a line end. Is it text?",
                      name(), line_number_ + 1, kMostLineBytes / 1'000'000);
    }
    line.append(from, length);
    begin_ += length + (ended ? 1 : 0);
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line_number_ == 0 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  ++line_number_;
  if (size_t zero = line.find('\0'); zero != std::string::npos) {
    throw BadLine(
        "{}, line {}: byte {} of the line is zero, which text never has. Convert the file to UTF-8 "
        "if it is UTF-16, restore it if it is damaged",
        name(), line_number_, zero + 1);
  }
  return true;
}

struct OutputFile::Sink {
  fs::path path;       // empty for standard output
  fs::path temporary;  // empty once the file is in place
  int descriptor = STDOUT_FILENO;
  gzFile zipped = nullptr;
  std::string pending;
  bool at_once = false;  // whether somebody waits for each line

  ~Sink() {
    if (zipped != nullptr) gzclose(zipped);
    if (descriptor != STDOUT_FILENO) ::close(descriptor);
    if (!temporary.empty()) ::unlink(temporary.c_str());
  }

  std::string name() const {
    return path.empty() ? "standard output" : fmt::format("'{}'", path.string());
  }

  void put(std::string_view bytes) {
    if (zipped == nullptr) {
      write_all(descriptor, bytes, name());
    } else if (gzfwrite(bytes.data(), 1, bytes.size(), zipped) != bytes.size()) {
      throw RunError("cannot write to {}", name());
    }
  }

  void empty_pending() {
    put(pending);
    pending.clear();
  }
};

OutputFile::OutputFile(const std::string& path) : sink_(std::make_unique<Sink>()) {
  if (path.empty() || path == "-") {
    sink_->at_once = is_read_as_it_comes(STDOUT_FILENO);
    return;
  }
  if (is_folder(path)) throw DataError("cannot write '{}': it is a folder", path);
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    // A device or a pipe: write to it as it is.
    sink_->path = path;
    sink_->descriptor = create_file(path, path);
    return;
  }
  sink_->path = path;
  fs::path temporary = temporary_name(path);
  sink_->descriptor = create_file(temporary, path);
  sink_->temporary = temporary;
  if (path.ends_with(".gz")) sink_->zipped = gzdopen(::dup(sink_->descriptor), "wb");
}

OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view text) {
  if (sink_->pending.size() + text.size() >= kPendingBytes) sink_->empty_pending();
  if (text.size() >= kPendingBytes) {
    sink_->put(text);
  } else {
    sink_->pending += text;
  }
}

void OutputFile::write_line(std::string_view line) {
  write(line);
  write("\n");
  if (sink_->at_once) flush();
}

void OutputFile::flush() {
  sink_->empty_pending();
}

void OutputFile::commit() {
  sink_->empty_pending();
  if (sink_->zipped != nullptr) {
    int code = gzclose(sink_->zipped);
    sink_->zipped = nullptr;
    if (code != Z_OK) throw RunError("cannot write to {}", sink_->name());
  }
  if (sink_->temporary.empty()) return;
  sync_descriptor(sink_->descriptor, sink_->path);
  put_in_place(sink_->temporary, sink_->path);
  sink_->temporary.clear();
}

std::string read_file(const fs::path& path) {
  return read_start(path, UINT64_MAX);
}

std::string read_start(const fs::path& path, uint64_t most) {
  RegularFile file(path);
  std::string content(std::min(file.size(), most), '\0');
  size_t done = 0;
  while (done < content.size()) {
    ssize_t count = ::read(file.descriptor(), content.data() + done, content.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw DataError("cannot read '{}': {}", path.string(), reason());
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  content.resize(done);
  return content;
}

uint64_t size_of_file(const fs::path& path) {
  return RegularFile(path).size();
}

void write_file(const fs::path& path, std::string_view content) {
  OutputFile file(path.string());
  file.write(content);
  file.commit();
}

bool is_temporary_name(const fs::path& path) {
  if (path.extension() != ".tmp") return false;
  std::string process = path.stem().extension().string();  // ".<process>"
  return process.size() > 1 && process.find_first_not_of("0123456789", 1) == std::string::npos;
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path)) {
    throw DataError("cannot make the folder '{}': {}", path.string(),
                    error ? error.message() : "a file is in the way");
  }
}

uint32_t checksum(std::string_view bytes, uint32_t start) {
  if (bytes.empty()) return start;  // zlib would start anew where there is no pointer
  return static_cast<uint32_t>(
      crc32_z(start, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

uint64_t stable_hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return mix_bits(hash);
}

}  // namespace bough
