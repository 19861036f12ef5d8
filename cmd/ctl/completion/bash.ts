import type { CompletedCommand, CompletedOption, ValueCompletion } from './tree.ts';

/**
 * A completion for bash (3.2 and later), which needs no package: the words before the cursor are walked to find the
 * command, then the words that may come are offered. The program itself is not run.
 */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const [root] = commands;
  const shared = root?.options ?? [];
  return `# bash completion of meridianctl: source <(meridianctl completion bash)
_meridianctl() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous= at= count=0 word words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == = ]]; then continue; fi
    if [[ -n $previous ]]; then previous=; continue; fi
    case "$at $word" in
${patterns(commands, shared, takesValue)
  .map((pattern) => `      ${pattern}) previous=$word ;;`)
  .join('\n')}
      *' -'*) ;;
${commands
  .slice(1)
  .map(({ path }) => `      ' ${path}') at=' ${path}' count=0 ;;`)
  .join('\n')}
      *) count=$((count + 1)) ;;
    esac
  done
  if [[ $current == = ]]; then current=; fi
  COMPREPLY=()
  if [[ -n $previous ]]; then
    case "$at $previous" in
${commands.flatMap((command) => command.options.filter(takesValue).map((option) => valueCase(command.path, option))).join('\n')}
    esac
    return
  fi
  if [[ $current == -* ]]; then
    words='${flagsOf(shared)} --help'
    case "$at" in
${commands
  .slice(1)
  .map(({ path, options }) => `      ' ${path}') words+=' ${flagsOf(options)}' ;;`)
  .join('\n')}
    esac
  else
    case "$at:$count" in
${commands.map(wordsCase).filter(Boolean).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _meridianctl meridianctl
`;
}

function takesValue({ value }: CompletedOption): boolean {
  return value !== 'none';
}

function flagsOf(options: readonly CompletedOption[]): string {
  return options.flatMap(({ flags }) => flags).join(' ');
}

/** The program's own options may stand anywhere, those of a command only after it. */
function patterns(
  commands: readonly CompletedCommand[],
  shared: readonly CompletedOption[],
  wanted: (option: CompletedOption) => boolean,
): string[] {
  const anywhere = shared.filter(wanted).flatMap(({ flags }) => flags.map((flag) => `*' ${flag}'`));
  const behind = commands
    .slice(1)
    .flatMap(({ path, options }) => options.filter(wanted).flatMap(({ flags }) => flags.map((flag) => `' ${path} ${flag}'`)));
  return [...anywhere, ...behind];
}

function valueCase(path: string, { flags, value }: CompletedOption): string {
  const pattern = flags.map((flag) => (path === '' ? `*' ${flag}'` : `' ${path} ${flag}'`)).join('|');
  return `      ${pattern}) ${offer(value)} ;;`;
}

function offer(value: ValueCompletion): string {
  if (value === 'file') return `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current"))`;
  return typeof value === 'string' ? ':' : `COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$current"))`;
}

function wordsCase({ path, commands, argument }: CompletedCommand): string {
  const words = [...commands.map(({ name }) => name), ...(typeof argument === 'string' ? [] : argument)];
  return words.length === 0 ? '' : `      '${path === '' ? '' : ` ${path}`}:0') words='${words.join(' ')}' ;;`;
}
