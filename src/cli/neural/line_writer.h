// A line in, its sentences out: what complete, reorder and translate are.
//
// Lines are taken as they come. What is there is written side by side, up to some thousand lines at
// a time; where nothing more waits, what has come so far is answered at once. Neither shows in the
// output: a line draws by its own number, whatever the lines before it are.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bough/base/file.h"
#include "bough/generate/writer.h"
#include "line_input.h"
#include "trace_output.h"

namespace bough::cli {

/// What is asked for by one line: one way to meet it, several to choose from, or (an empty line)
/// none.
struct LineJob {
  std::vector<WordId> source = {};                        // what it is written from
  std::string source_text = {};                           // that, as it was read
  std::vector<std::shared_ptr<const Demands>> ways = {};  // a null one demands nothing of its own
  WordList words = nullptr;                               // what it may be written with; null: all
};

class LineWriter {
 public:
  /// DataError or UnmetError for a line that can't be read or met, without its number.
  using Parse = std::function<LineJob(const std::string& line)>;
  /// Writes what was found for a line, by way; `number` counts lines from 0.
  using Print = std::function<void(int64_t number, std::vector<std::vector<Written>>&& found)>;

  /// `request` says what is wanted for each line; all must outlive this.
  LineWriter(const Model& model, const WriterOptions& options, const WriteRequest& request,
             const TraceOutput& format, OutputFile& output)
      : model_(model), options_(options), request_(request), format_(format), output_(output) {}

  void run(const LineOptions& lines, const Parse& parse, const Print& print);

  /// The only job there is.
  void run(LineJob job, const Print& print);

 private:
  struct Line {
    int64_t number = 0;
    LineJob job;
    std::string error;  // why there is no job
  };

  /// What `parse` makes of the next line, or what is wrong with it. False at the end.
  bool read(LineInput& input, const Parse& parse, Line& line);
  void write(std::vector<Line>& lines, const Print& print);
  void print_line(const Line& line, std::vector<std::vector<Written>>&& found, const Print& print);

  const Model& model_;
  const WriterOptions& options_;
  const WriteRequest& request_;
  const TraceOutput& format_;
  OutputFile& output_;
};

}  // namespace bough::cli
