#include "bough/tree/draw.h"

#include "bough/base/utf8.h"

namespace bough {

namespace {

struct Columns {
  int begin = 0;
  int width = 0;
  int middle() const { return begin + (width - 1) / 2; }
};

}  // namespace

std::string draw_tree(const Tree& tree, std::span<const std::string> texts) {
  std::vector<Columns> columns(texts.size());
  int next = 0;
  for (int id : tree.in_order()) {
    auto index = static_cast<size_t>(id);
    columns[index] = {next, display_width(texts[index])};
    next += columns[index].width + 1;
  }

  std::vector<std::string> rows(static_cast<size_t>(tree.depth() + 1));
  std::vector<int> row_end(rows.size(), 0);  // columns already used in each row
  auto fill_to = [&](size_t row, int column, char with) {
    for (; row_end[row] < column; ++row_end[row]) rows[row] += with;
  };
  for (int id : tree.in_order()) {
    const Tree::Node& node = tree.node(id);
    auto row = static_cast<size_t>(tree.slot_of(node).depth);
    const Columns& own = columns[static_cast<size_t>(id)];
    if (node.left_child != Tree::kNone) {
      fill_to(row, columns[static_cast<size_t>(node.left_child)].middle(), ' ');
      fill_to(row, row_end[row] + 1, '.');
      fill_to(row, own.begin, '-');
    } else {
      fill_to(row, own.begin, ' ');
    }
    rows[row] += texts[static_cast<size_t>(id)];
    row_end[row] += own.width;
    if (node.right_child != Tree::kNone) {
      fill_to(row, columns[static_cast<size_t>(node.right_child)].middle(), '-');
      fill_to(row, row_end[row] + 1, '.');
    }
  }
  std::string drawing;
  for (const std::string& row : rows) drawing += row + "\n";
  return drawing;
}

}  // namespace bough
