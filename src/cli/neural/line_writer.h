// A line in, its sentences out: what complete, reorder and translate are. (generate has no lines.)
//
// Lines are taken as they come. What is there is written side by side, up to some thousand lines at
// a time; where nothing more waits, what has come so far is answered at once. Neither shows in the
// output: a line draws by its own number, whatever the lines before it are.
#pragma once

#include <string>
#include <vector>

#include "bough/ask/writing_task.h"
#include "line_input.h"
#include "trace_output.h"

namespace bough::cli {

class LineWriter {
 public:
  /// All must outlive this; the task is ready.
  LineWriter(const ask::WritingTask& task, const Model& model, const Reranker* reranker,
             const TraceOutput& form, OutputFile& output);

  /// Lines from where the options say; or, where the task takes none, what it asks for.
  void run(const LineOptions& lines);

 private:
  /// What the task asks for by itself, or a part of it.
  void write_only(const Shard& shard);
  /// The next line's job, or what is wrong with it. False at the end.
  bool read(LineInput& input, ask::NumberedJob& line, std::string& error);
  /// `errors` say why there is no job, line by line.
  void write(std::span<const ask::NumberedJob> lines, std::span<const std::string> errors);

  const ask::WritingTask& task_;
  const Model& model_;
  WriteRequest request_;
  bool has_objects_;  // each line of the output is one
  TracePrinter printer_;
};

}  // namespace bough::cli
