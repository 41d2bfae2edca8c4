#include "bough/base/shard.h"

#include <charconv>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

Shard ShardOptions::parse() const {
  if (shard.empty()) return {};
  constexpr int64_t kMost = 1'000'000;
  auto read = [](const char* from, const char* to, int64_t& number) {
    auto [end, failure] = std::from_chars(from, to, number);
    return failure == std::errc() && end == to;
  };
  Shard own;
  const char* begin = shard.data();
  const char* end = begin + shard.size();
  size_t slash = shard.find('/');
  bool good = slash != std::string::npos && read(begin, begin + slash, own.index) &&
              read(begin + slash + 1, end, own.count);
  if (!good || own.index < 1 || own.index > own.count || own.count > kMost) {
    throw UsageError("--shard takes I/N, the I-th of N parts: 1/4, 2/4, … 4/4; not '{}'",
                     for_message(shard));
  }
  --own.index;
  return own;
}

}  // namespace bough
