#include "bough/text/grapheme.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace bough {

namespace {

/// Latin, Greek and Cyrillic letters and more: nothing here is drawn to what stands before it.
bool begins_anew(UChar32 code_point) {
  return code_point < 0x300 || (code_point >= 0x370 && code_point < 0x483);
}

bool is_hangul_join(int before, int next) {
  switch (before) {
    case U_GCB_L:
      return next == U_GCB_L || next == U_GCB_V || next == U_GCB_LV || next == U_GCB_LVT;
    case U_GCB_LV:
    case U_GCB_V:
      return next == U_GCB_V || next == U_GCB_T;
    case U_GCB_LVT:
    case U_GCB_T:
      return next == U_GCB_T;
    default:
      return false;
  }
}

/// Goes through the code points of one character.
class Grapheme {
 public:
  explicit Grapheme(UChar32 first)
      : kind_(kind_of(first)), is_picture_(is_picture(first)), flag_letters_(is_flag_letter()) {}

  /// Whether `next` belongs to it; then it is taken.
  bool take(UChar32 next) {
    bool joined = is_picture_ && kind_ == U_GCB_ZWJ && is_picture(next);  // GB11
    int kind = kind_of(next);
    if (!joined && !follows(kind)) return false;
    bool extends = kind == U_GCB_EXTEND || kind == U_GCB_ZWJ;
    if (!joined && (!extends || kind_ == U_GCB_ZWJ)) is_picture_ = false;
    kind_ = kind;
    flag_letters_ += is_flag_letter();
    return true;
  }

 private:
  static int kind_of(UChar32 code_point) {
    return u_getIntPropertyValue(code_point, UCHAR_GRAPHEME_CLUSTER_BREAK);
  }
  static bool is_picture(UChar32 code_point) {
    return u_hasBinaryProperty(code_point, UCHAR_EXTENDED_PICTOGRAPHIC) != 0;
  }
  int is_flag_letter() const { return kind_ == U_GCB_REGIONAL_INDICATOR ? 1 : 0; }

  /// GB4 and GB5, GB6 to GB8, GB9, GB9a, GB12 and GB13.
  bool follows(int next) const {
    if (kind_ == U_GCB_CONTROL || kind_ == U_GCB_LF) return false;
    if (kind_ == U_GCB_CR) return next == U_GCB_LF;
    if (next == U_GCB_EXTEND || next == U_GCB_ZWJ || next == U_GCB_SPACING_MARK) return true;
    if (kind_ == U_GCB_REGIONAL_INDICATOR && next == U_GCB_REGIONAL_INDICATOR) {
      return flag_letters_ == 1;
    }
    return is_hangul_join(kind_, next);
  }

  int kind_;         // of the last code point
  bool is_picture_;  // a pictograph, what extends it, and at most one joiner
  int flag_letters_;
};

}  // namespace

size_t grapheme_end(std::string_view text, size_t begin) {
  auto length = static_cast<int32_t>(text.size());
  auto at = static_cast<int32_t>(begin);
  UChar32 first;
  U8_NEXT_OR_FFFD(text.data(), at, length, first);
  // Most text ends here, without a look at Unicode's tables.
  if (at == length || (U8_IS_SINGLE(text[at]) && first != '\r')) return static_cast<size_t>(at);
  int32_t next_end = at;
  UChar32 next;
  U8_NEXT_OR_FFFD(text.data(), next_end, length, next);
  if (begins_anew(next) && first != '\r') return static_cast<size_t>(at);
  Grapheme grapheme(first);
  while (grapheme.take(next)) {
    at = next_end;
    if (at == length) break;
    U8_NEXT_OR_FFFD(text.data(), next_end, length, next);
  }
  return static_cast<size_t>(at);
}

bool is_keycap(std::string_view character) {
  return character.size() > 1 && character.ends_with("\u20e3");
}

}  // namespace bough
