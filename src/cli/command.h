// What a verb of the command line is, and how its options are read.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bough/base/options.h"
#include "bough/model/model.h"

namespace bough::cli {

/// Options that every verb has.
struct CommonOptions {
  std::string config;
  bool dump_config = false;
  bool help = false;
  bool quiet = false;

  void declare(OptionSet& set) {
    set.group("Common");
    set.text("config", config, "FILE", "read options from a TOML file").short_name = 'c';
    set.flag("dump-config", dump_config, "print the options in force as TOML and stop");
    set.flag("quiet", quiet, "say nothing but warnings and errors");
    set.flag("help", help, "show this help").short_name = 'h';
  }
};

struct ThreadOptions {
  int64_t threads = 0;

  void declare(OptionSet& set) {
    set.group("Common");
    set.integer("threads", threads, {0, 4096}, "threads to compute with; 0: all cores").short_name =
        'j';
  }
};

/// Options of the verbs that compute with tensors.
struct ComputeOptions : ThreadOptions {
  std::string device = "cpu";

  void declare(OptionSet& set) {
    ThreadOptions::declare(set);
    set.text("device", device, "NAME",
             "where to compute: cpu, or cuda where LibTorch has it (untested)");
  }

  /// Checks the device, sets up the libraries, and says which threads are used and whether the BLAS
  /// is slow.
  void apply() const;
};

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  /// `bough generate --model DIR [options]`, without the program's name.
  virtual std::string_view usage() const = 0;
  virtual void declare(OptionSet& set) = 0;
  /// `set` is the one that the options were declared in; `arguments` are what isn't an option.
  virtual void run(OptionSet& set, std::span<const std::string> arguments) = 0;
};

/// Fills a verb's options from, in rising order of precedence, a configuration file (-c), the
/// environment (BOUGH_…) and the command line. Gives what isn't an option. `verbs` are the names
/// that tables of a configuration file may have.
std::vector<std::string> read_options(OptionSet& set, std::string_view verb,
                                      std::span<const std::string> verbs,
                                      std::span<const std::string> arguments);

/// The help page of a verb, for people.
std::string help_text(const Command& command, OptionSet& set);

/// The same as a section of docs/options.md.
std::string reference_section(const Command& command, OptionSet& set);

/// What is in force, as a TOML file that `-c` takes.
std::string as_toml(OptionSet& set);

/// UsageError where a verb that takes none was given some.
void no_arguments(std::span<const std::string> arguments, std::string_view verb);

/// UsageError where a model is for another task.
void check_task(const Model& model, Task task, const std::string& folder, std::string_view verb);

}  // namespace bough::cli
