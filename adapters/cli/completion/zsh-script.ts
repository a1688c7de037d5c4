import type { CompletedCommand } from './completed-words.ts';
import { posixWords } from './posix-words.ts';

const PREFIX = '_fact_memory_node';

/**
 * Returns the completion script for `eval` in zsh after `compinit`. Its first line also lets it serve as a file in
 * zsh's function path.
 */
export const zshScript = (programs: readonly string[], commands: readonly CompletedCommand[]): string =>
  `#compdef ${programs.join(' ')}\n${posixWords(PREFIX, commands)}${COMPLETE}compdef ${PREFIX} ${programs.join(' ')}\n`;

const COMPLETE = `_fact_memory_node() {
  emulate -L zsh
  local word="\${words[CURRENT]}" before="\${words[CURRENT-1]}" route='' value='' each kind
  integer at
  for ((at = 2; at < CURRENT; at++)); do
    each="\${words[at]}"
    if [[ -n "$value" ]]; then value=''; continue; fi
    case "$each" in
      (-*=*) ;;
      (-*) if _fact_memory_node_value "$route" "$each" > /dev/null; then value=yes; fi ;;
      (*) case " $(_fact_memory_node_commands "$route") " in
            (*" $each "*) route="\${route:+$route }$each" ;;
          esac ;;
    esac
  done
  if [[ "$word" == --*=* ]]; then
    before="\${word%%=*}"
    compset -P '*='
  fi
  if value=$(_fact_memory_node_value "$route" "$before"); then
    kind="\${value%% *}"
    value="\${value#$kind}"
  elif [[ "$word" == -* ]]; then
    kind=word value=$(_fact_memory_node_options "$route")
  else
    kind=word value=$(_fact_memory_node_commands "$route")
    if [[ -z "$value" ]]; then
      kind=$(_fact_memory_node_files "$route")
      if [[ -z "$kind" ]]; then kind=word value=$(_fact_memory_node_options "$route"); fi
    fi
  fi
  case "$kind" in
    (file) _files ;;
    (list) compset -P '*,'; compadd -q -S '' -- \${=value} ;;
    (word) compadd -- \${=value} ;;
  esac
}
`;
