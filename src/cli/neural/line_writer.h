// A line in, its sentences out: what complete, reorder and translate are.
//
// Lines are taken as they come. What is there is written side by side, up to some thousand lines at
// a time; where nothing more waits, what has come so far is answered at once. Neither shows in the
// output: a line draws by its own number, whatever the lines before it are.
#pragma once

#include <string>
#include <vector>

#include "bough/base/file.h"
#include "line_input.h"
#include "neural/writing_task.h"

namespace bough::cli {

class LineWriter {
 public:
  /// All must outlive this; the task is prepared.
  LineWriter(WritingTask& task, const Model& model, const Reranker* reranker, OutputFile& output)
      : task_(task),
        model_(model),
        options_(task.writing().options),
        format_(task.output()),
        output_(output) {
    request_ = task.request();
    request_.reranker = reranker;
  }

  /// Lines from where the options say; or, where the task takes none, its only job.
  void run(const LineOptions& lines);

 private:
  /// The next line's job, or what is wrong with it. False at the end.
  bool read(LineInput& input, NumberedJob& line, std::string& error);
  /// `errors` say why there is no job, line by line.
  void write(std::span<const NumberedJob> lines, std::span<const std::string> errors);
  void print(const NumberedJob& line, const std::string& error,
             std::vector<std::vector<Written>>&& found);

  WritingTask& task_;
  const Model& model_;
  const WriterOptions& options_;
  WriteRequest request_;
  const TraceOutput& format_;
  OutputFile& output_;
};

}  // namespace bough::cli
