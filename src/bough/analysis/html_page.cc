#include "bough/analysis/html_page.h"

#include <fmt/format.h>

#include "bough/analysis/report_page.h"
#include "bough/analysis/svg.h"

namespace bough {

std::string html_page(std::string_view title, std::string_view body) {
  std::string escaped = escape_xml(title);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n{2}</"
      "main>\n"
      "<script>\n{3}</script>\n</body>\n</html>\n",
      escaped, page_style(), body, page_script());
}

}  // namespace bough
