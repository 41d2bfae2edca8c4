// Rows of metrics in a file: what parts of a text were measured at can be put together, since a
// text is scored by the sum of its rows.
//
//     {"rows": "eval", "columns": [{"metric": "BLEU", "signature": "nrefs:1|…", "numbers": 10}]}
//     [4.0, 3.0, …]          a line of numbers for each sentence
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bough/base/file.h"
#include "bough/metrics/metric.h"

namespace bough {

/// What a file of rows says of itself; parts of one text say the same.
struct RowsHead {
  std::string of;  // the verb
  nlohmann::ordered_json columns;
};

void write_rows(const std::string& path, const RowsHead& head, std::span<const Rows> columns);

/// The rows of all files, one behind the other, by column; `sizes` are the columns'. DataError
/// where a file isn't one of rows, or one of others than `head` says.
std::vector<Rows> read_rows(std::span<const std::string> paths, const RowsHead& head,
                            std::span<const size_t> sizes);

}  // namespace bough
