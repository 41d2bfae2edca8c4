// The frame of our pages: one file that needs nothing beside itself, with the style and the script
// of page/.
#pragma once

#include <string>
#include <string_view>

namespace bough {

/// `body` is HTML, `title` is text.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace bough
