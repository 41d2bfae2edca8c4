// A strict look at a piece of XML: elements nest, attributes are quoted and named once, every & is
// an entity, and nothing stands outside the one root.
#pragma once

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bough {

/// What is wrong with it, or nothing.
inline std::string xml_fault(std::string_view xml) {
  std::vector<std::string> open;
  size_t at = 0;
  bool had_root = false;
  auto name_at = [&] {
    size_t begin = at;
    while (at < xml.size() && (std::isalnum(static_cast<unsigned char>(xml[at])) != 0 ||
                               xml[at] == '-' || xml[at] == ':')) {
      ++at;
    }
    return std::string(xml.substr(begin, at - begin));
  };
  auto bad_entity = [](std::string_view text) {
    for (size_t i = text.find('&'); i != text.npos; i = text.find('&', i + 1)) {
      std::string_view entity = text.substr(i, text.find(';', i) - i + 1);
      static const std::set<std::string_view> known = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
      if (!known.contains(entity)) return true;
    }
    return text.find('<') != text.npos;
  };
  while (at < xml.size()) {
    if (xml[at] != '<') {
      size_t end = std::min(xml.find('<', at), xml.size());
      std::string_view text = xml.substr(at, end - at);
      if (bad_entity(text)) return "bad entity in '" + std::string(text) + "'";
      if (open.empty() && text.find_first_not_of(" \n") != text.npos) return "text outside";
      at = end;
      continue;
    }
    ++at;
    if (xml[at] == '/') {
      ++at;
      std::string name = name_at();
      if (open.empty() || open.back() != name || xml[at] != '>') return "</" + name + "> is alone";
      open.pop_back();
      ++at;
      continue;
    }
    std::string name = name_at();
    if (name.empty()) return "a < without a name";
    if (open.empty() && had_root) return "a second root";
    had_root = true;
    std::set<std::string> attributes;
    while (true) {
      while (at < xml.size() && xml[at] == ' ') ++at;
      if (at >= xml.size()) return "<" + name + " is never closed";
      if (xml[at] == '>') {
        open.push_back(name);
        ++at;
        break;
      }
      if (xml.substr(at, 2) == "/>") {
        at += 2;
        break;
      }
      std::string attribute = name_at();
      if (attribute.empty() || xml.substr(at, 2) != "=\"") return "bad attribute in <" + name;
      if (!attributes.insert(attribute).second) return name + " has two of " + attribute;
      at += 2;
      size_t end = xml.find('"', at);
      if (end == xml.npos || bad_entity(xml.substr(at, end - at))) return "bad value " + attribute;
      at = end + 1;
    }
  }
  if (!open.empty()) return open.back() + " is open";
  return had_root ? "" : "nothing there";
}

}  // namespace bough
