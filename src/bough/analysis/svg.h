// Writing SVG: shapes and text, one behind the other, as a document or as a part of a page.
//
// Colours are CSS variables with a value for documents that stand alone, so that a page can show
// the same picture light and dark. Numbers have two decimals at most: the same picture is the same
// bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bough {

/// Text for XML and HTML: & < > " ' become entities, and characters that XML forbids become U+FFFD.
std::string escape_xml(std::string_view text);

/// A number as SVG has it: two decimals, no zeros behind them.
std::string svg_number(double value);

class Svg {
 public:
  Svg(double width, double height) : width_(width), height_(height) {}

  struct Point {
    double x = 0.0;
    double y = 0.0;
  };

  /// `attributes` are written as they are: fill, stroke, class …
  void line(Point from, Point to, std::string_view attributes);
  void path(std::string_view data, std::string_view attributes);
  void polyline(const std::vector<Point>& points, std::string_view attributes);
  void circle(Point centre, double radius, std::string_view attributes);
  void rectangle(Point corner, double width, double height, double round,
                 std::string_view attributes);
  enum class Anchor { kStart, kMiddle, kEnd };
  /// `anchor` says which part of the text is at `at`. Safe for any text and script.
  void text(Point at, std::string_view content, std::string_view attributes,
            Anchor anchor = Anchor::kMiddle);
  /// What follows up to `close` belongs together; a title is shown when pointed at.
  void open(std::string_view attributes, std::string_view title = "");
  void close();

  /// The picture; `title` says what it shows to those who can't see it.
  std::string finish(std::string_view title) const;

 private:
  double width_;
  double height_;
  std::string body_;
};

}  // namespace bough
