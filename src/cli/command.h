// What a verb of the command line is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bough/base/options.h"

namespace bough::cli {

/// Options that every verb has.
struct CommonOptions {
  std::string config;
  bool dump_config = false;
  bool help = false;
  bool quiet = false;

  void declare(OptionSet& set) {
    set.group("Common");
    set.text("config", config, "FILE", "read options from a TOML file")
        .about_the_program()
        .short_name = 'c';
    set.flag("dump-config", dump_config, "print the options in force as TOML and stop")
        .about_the_program();
    set.flag("quiet", quiet, "say nothing but warnings and errors").about_the_program();
    set.flag("help", help, "show this help").about_the_program().short_name = 'h';
  }
};

struct ThreadOptions {
  int64_t threads = 0;

  void declare(OptionSet& set) {
    set.group("Common");
    set.integer("threads", threads, {0, 4096}, "threads to compute with; 0: all cores")
        .about_the_program()
        .short_name = 'j';
  }
};

/// Options of the verbs that compute with tensors.
struct ComputeOptions : ThreadOptions {
  std::string device = "cpu";

  void declare(OptionSet& set) {
    ThreadOptions::declare(set);
    set.text("device", device, "NAME",
             "where to compute: cpu, or cuda where LibTorch has it (untested)")
        .about_the_program();
  }
};

/// How a verb introduces itself.
struct VerbText {
  std::string_view name;
  std::string_view summary;
  std::string_view usage;
};

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  /// `bough generate --model DIR [options]`, without the program's name.
  virtual std::string_view usage() const = 0;
  virtual void declare(OptionSet& set) = 0;
  /// Whether, with the options that it has, it computes with tensors: then bough-nn runs it.
  virtual bool neural() const { return false; }
  /// `set` is the one that the options were declared in; `arguments` are what isn't an option.
  virtual void run(OptionSet& set, std::span<const std::string> arguments) = 0;
};

/// A verb that computes with tensors: what it takes is declared here, where every program can tell;
/// what it does is in neural/, in a class that overrides `run`.
class NeuralVerb : public Command {
 public:
  bool neural() const override { return true; }
  void run(OptionSet& set, std::span<const std::string> arguments) override;
};

/// Options of `set` count as set where those of `given` do: a run of several has options of its own
/// that start as those given.
void mark_as_set(OptionSet& set, OptionSet& given);

/// UsageError where a verb that takes none was given some.
void no_arguments(std::span<const std::string> arguments, std::string_view verb);

}  // namespace bough::cli
