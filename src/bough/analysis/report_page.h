// Style and script of the report: page/report.css and page/report.js, which CMake puts into the
// library.
#pragma once

#include <string_view>

namespace bough {

std::string_view page_style();   // report.css
std::string_view page_script();  // report.js

}  // namespace bough
