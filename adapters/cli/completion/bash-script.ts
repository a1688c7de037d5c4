import type { CompletedCommand } from './completed-words.ts';
import { posixWords } from './posix-words.ts';

const PREFIX = '_fact_memory_node';

/** Returns the completion script for `eval` in bash 3.2 or later. */
export const bashScript = (programs: readonly string[], commands: readonly CompletedCommand[]): string =>
  `${posixWords(PREFIX, commands)}${COMPLETE}complete -F ${PREFIX} ${programs.join(' ')}\n`;

/** Treats words around `=` specially, because bash splits `--scope=lo` into three words. */
const COMPLETE = `_fact_memory_node() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" route='' value='' each at kind head=''
  if [ "$word" = '=' ]; then word=''
  elif [ "$before" = '=' ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    each="\${COMP_WORDS[at]}"
    if [ -n "$value" ]; then value=''; continue; fi
    case "$each" in
      -*) if _fact_memory_node_value "$route" "$each" > /dev/null && [ "\${COMP_WORDS[at+1]}" != '=' ]; then value=yes; fi ;;
      *) case " $(_fact_memory_node_commands "$route") " in
           *" $each "*) route="\${route:+$route }$each" ;;
         esac ;;
    esac
  done
  COMPREPLY=()
  local IFS=$' \\t\\n'
  if value=$(_fact_memory_node_value "$route" "$before"); then
    kind="\${value%% *}"
    value="\${value#"$kind"}"
  else
    case "$word" in
      -*) kind=word value=$(_fact_memory_node_options "$route") ;;
      *) value=$(_fact_memory_node_commands "$route") kind=word
        if [ -z "$value" ]; then
          kind=$(_fact_memory_node_files "$route")
          if [ -z "$kind" ]; then kind=word value=$(_fact_memory_node_options "$route"); fi
        fi ;;
    esac
  fi
  case "$kind" in
    file)
      IFS=$'\\n'
      COMPREPLY=($(compgen -f -- "$word"))
      compopt -o filenames 2> /dev/null ;;
    list)
      case "$word" in *,*) head="\${word%,*}," ;; esac
      COMPREPLY=($(compgen -P "$head" -W "$value" -- "\${word##*,}")) ;;
    word) COMPREPLY=($(compgen -W "$value" -- "$word")) ;;
  esac
}
`;
