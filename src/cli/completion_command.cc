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
compdef _bough bough
)";

class CompletionCommand : public Command {
 public:
  std::string_view name() const override { return "completion"; }
  std::string_view summary() const override {
    return "Print a script that completes bough's command lines in a shell.";
  }
  std::string_view usage() const override { return "completion bash|zsh"; }
  void declare(OptionSet& set) override { common_.declare(set); }
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    if (arguments.size() != 1) throw UsageError("bough completion needs a shell: bash or zsh");
    if (arguments[0] == "bash") {
      fmt::print("{}", kBash);
    } else if (arguments[0] == "zsh") {
      fmt::print("{}", kZsh);
    } else {
      throw UsageError("bough completion knows bash and zsh, not '{}'", for_message(arguments[0]));
    }
  }

 private:
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_completion_command() {
  return std::make_unique<CompletionCommand>();
}

}  // namespace bough::cli
