import type { CompletedCommand, CompletedOption, ValueCompletion } from './tree.ts';

/**
 * A completion for zsh: the words before the cursor are walked to find the command, whose words and options are then
 * described.
 */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const [root] = commands;
  const shared = root?.options ?? [];
  const cases = (of: (command: CompletedCommand) => string): string =>
    commands
      .map((command) => ({ path: command.path, body: of(command) }))
      .filter(({ body }) => body !== '')
      .map(({ path, body }) => `    '${path}') ${body} ;;`)
      .join('\n');
  return `#compdef meridianctl
# zsh completion of meridianctl: meridianctl completion zsh > a folder of $fpath, as _meridianctl
_meridianctl() {
  local at= option= word i
  local -a offered
  integer count=0
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $option ]]; then option=; continue; fi
    if [[ $word == -* ]]; then
      _meridianctl_takes_value "$at" "$word" && option=$word
      continue
    fi
    case "\${at:+$at }$word" in
${commands
  .slice(1)
  .map(({ path }) => `      '${path}') at='${path}' count=0 ;;`)
  .join('\n')}
      *) ((count++)) ;;
    esac
  done
  if [[ -n $option ]]; then
    case "$at $option" in
${commands.flatMap((command) => command.options.filter(({ value }) => value !== 'none').map((option) => `      ${patternOf(command.path, option)}) ${offer(option.value)} ;;`)).join('\n')}
    esac
    return
  fi
  if [[ $PREFIX == -* ]]; then
    offered=(${shared.map(described).join(' ')} '--help:show help')
    case "$at" in
${cases(({ path, options }) => (path === '' || options.length === 0 ? '' : `offered+=(${options.map(described).join(' ')})`))}
    esac
    _describe option offered
    return
  fi
  ((count == 0)) || return
  case "$at" in
${cases(({ commands: inner, argument }) => {
  const words = [
    ...inner.map(({ name, description }) => pair(name, description)),
    ...(typeof argument === 'string' ? [] : argument.map((word) => `'${word}'`)),
  ];
  return words.length === 0 ? '' : `offered=(${words.join(' ')})`;
})}
  esac
  _describe command offered
}
_meridianctl_takes_value() {
  case "$1 $2" in
${commands.flatMap((command) => command.options.filter(({ value }) => value !== 'none').map((option) => `    ${patternOf(command.path, option)}) return 0 ;;`)).join('\n')}
  esac
  return 1
}
if [[ $funcstack[1] == _meridianctl ]]; then _meridianctl "$@"; else compdef _meridianctl meridianctl; fi
`;
}

function patternOf(path: string, { flags }: CompletedOption): string {
  return flags.map((flag) => (path === '' ? `*' ${flag}'` : `'${path} ${flag}'`)).join('|');
}

function offer(value: ValueCompletion): string {
  if (value === 'file') return '_files';
  return typeof value === 'string' ? ':' : `compadd -- ${value.join(' ')}`;
}

function described({ flags, description }: CompletedOption): string {
  return flags.map((flag) => pair(flag, description)).join(' ');
}

function pair(word: string, description: string): string {
  return `'${`${word}:${description}`.replaceAll("'", "'\\''")}'`;
}
