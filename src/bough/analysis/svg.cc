#include "bough/analysis/svg.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "bough/base/utf8.h"

namespace bough {

namespace {

/// Whether XML 1.0 lets a character stand in a document.
bool allowed_in_xml(char32_t c) {
  return c == U'\t' || c == U'\n' || c == U'\r' || (c >= 0x20 && c <= 0xD7FF) ||
         (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (char32_t c : code_points(text)) {
    switch (c) {
      case U'&':
        escaped += "&amp;";
        break;
      case U'<':
        escaped += "&lt;";
        break;
      case U'>':
        escaped += "&gt;";
        break;
      case U'"':
        escaped += "&quot;";
        break;
      case U'\'':
        escaped += "&#39;";
        break;
      default:
        append_code_point(escaped, allowed_in_xml(c) ? c : U'\uFFFD');
    }
  }
  return escaped;
}

std::string svg_number(double value) {
  double rounded = std::round(value * 100.0) / 100.0;
  if (rounded == 0.0) rounded = 0.0;  // no minus
  std::string text = fmt::format("{:.2f}", rounded);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

void Svg::line(Point from, Point to, std::string_view attributes) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", svg_number(from.x),
                       svg_number(from.y), svg_number(to.x), svg_number(to.y), attributes);
}

void Svg::path(std::string_view data, std::string_view attributes) {
  body_ += fmt::format("<path d=\"{}\" {}/>\n", data, attributes);
}

void Svg::polyline(const std::vector<Point>& points, std::string_view attributes) {
  std::string data;
  for (const Point& point : points) {
    data +=
        fmt::format("{}{} {}", data.empty() ? "M" : " L", svg_number(point.x), svg_number(point.y));
  }
  path(data, attributes);
}

void Svg::circle(Point centre, double radius, std::string_view attributes) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", svg_number(centre.x),
                       svg_number(centre.y), svg_number(radius), attributes);
}

void Svg::rectangle(Point corner, double width, double height, double round,
                    std::string_view attributes) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" {}/>\n",
                       svg_number(corner.x), svg_number(corner.y), svg_number(width),
                       svg_number(height), svg_number(round), attributes);
}

void Svg::text(Point at, std::string_view content, std::string_view attributes, Anchor anchor) {
  constexpr std::array<std::string_view, 3> kNames = {"start", "middle", "end"};
  body_ += fmt::format(
      "<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" style=\"unicode-bidi:plaintext\" {}>{}</text>\n",
      svg_number(at.x), svg_number(at.y), kNames[static_cast<size_t>(anchor)], attributes,
      escape_xml(content));
}

void Svg::open(std::string_view attributes, std::string_view title) {
  body_ += fmt::format("<g {}>", attributes);
  if (!title.empty()) body_ += fmt::format("<title>{}</title>", escape_xml(title));
  body_ += "\n";
}

void Svg::close() {
  body_ += "</g>\n";
}

std::string Svg::finish(std::string_view title) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" font-family=\"system-ui, sans-serif\">\n"
      "<title>{2}</title>\n{3}</svg>\n",
      svg_number(width_), svg_number(height_), escape_xml(title), body_);
}

}  // namespace bough
