// bough completion: a script that lets a shell complete bough's command lines.
#include <fmt/format.h>

#include "bough/base/error.h"
#include "bough/base/utf8.h"
#include "commands.h"

namespace bough::cli {

namespace {

constexpr std::string_view kBash =
    R"(# bash completion for bough. For this shell: source <(bough completion bash)
_bough() {
  local word=${COMP_WORDS[COMP_CWORD]} line
  [ "$word" = "=" ] && word=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word") ;;
      :folders) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$word") ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("${COMP_WORDS[0]}" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -o default -F _bough bough
)";

constexpr std::string_view kZsh = R"(#compdef bough
# zsh completion for bough. For this shell: source <(bough completion zsh)
_bough() {
  local line
  local -a candidates
  for line in "${(@f)$("${words[1]}" --complete "${(@)words[2,CURRENT]}" 2> /dev/null)}"; do
    case $line in
      :files) _files ;;
      :folders) _files -/ ;;
      ?*) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  (( ${#candidates} )) && _describe -V bough candidates
}
# zsh runs this file as the function itself where it stands in a folder of completions.
if [[ $funcstack[1] = _bough ]]; then _bough "$@"; else compdef _bough bough; fi
)";

constexpr std::string_view kFish =
    R"(# fish completion for bough. For this shell: bough completion fish | source
function __bough_candidates
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  for line in ($words[1] --complete $words[2..-1] "$word" 2> /dev/null)
    switch $line
      case :files
        __fish_complete_path "$word"
      case :folders
        __fish_complete_directories "$word" ""
      case '*'
        echo $line
    end
  end
end
complete -c bough -f -a '(__bough_candidates)'
)";

struct Shell {
  std::string_view name;
  std::string_view script;
};
constexpr Shell kShells[] = {{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};
constexpr std::string_view kKnown = "bash, zsh or fish";

class CompletionCommand : public Command {
 public:
  std::string_view name() const override { return "completion"; }
  std::string_view summary() const override {
    return "Print a script that completes bough's command lines in a shell.";
  }
  std::string_view usage() const override { return "completion bash|zsh|fish"; }
  void declare(OptionSet& set) override { common_.declare(set); }
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    if (arguments.size() != 1) throw UsageError("bough completion needs a shell: {}", kKnown);
    for (const Shell& shell : kShells) {
      if (shell.name != arguments[0]) continue;
      fmt::print("{}", shell.script);
      return;
    }
    throw UsageError("bough completion knows {}, not '{}'", kKnown, for_message(arguments[0]));
  }

 private:
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_completion_command() {
  return std::make_unique<CompletionCommand>();
}

}  // namespace bough::cli
