import type { CompletedCommand, CompletedOption } from './tree.ts';

/**
 * A completion for fish: which command the words before the cursor lead to, and how many arguments it has already, says
 * a function; fish does the rest.
 */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const [root] = commands;
  return `# fish completion of meridianctl: meridianctl completion fish > ~/.config/fish/completions/meridianctl.fish
function __meridianctl_at
    set -l at
    set -l skip 0
    set -g __meridianctl_count 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$at $word"
            case ${commands.flatMap(valuedPatterns).join(' ')}
                set skip 1
            case '* -*'
            case '*'
                if contains -- (string join ' ' $at $word) ${commands
                  .slice(1)
                  .map(({ path }) => quote(path))
                  .join(' ')}
                    set -a at $word
                    set __meridianctl_count 0
                else
                    set __meridianctl_count (math $__meridianctl_count + 1)
                end
        end
    end
    test "$at" = "$argv"
end
function __meridianctl_first
    __meridianctl_at $argv; and test $__meridianctl_count = 0
end
complete -c meridianctl -f
${(root?.options ?? []).map((option) => optionLine('', option)).join('\n')}
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, options, argument }: CompletedCommand): string[] {
  const here = `-n ${quote(`__meridianctl_at ${path}`.trim())}`;
  const first = `-n ${quote(`__meridianctl_first ${path}`.trim())}`;
  const words = typeof argument === 'string' ? [] : [`complete -c meridianctl ${first} -a ${quote(argument.join(' '))}`];
  return [
    ...commands.map(({ name, description }) => `complete -c meridianctl ${first} -a ${quote(name)} -d ${quote(description)}`),
    ...words,
    ...(path === '' ? [] : options.map((option) => optionLine(` ${here}`, option))),
  ];
}

/** The program's own options may stand anywhere, those of a command only after it. */
function valuedPatterns({ path, options }: CompletedCommand): string[] {
  const flags = options.filter(({ value }) => value !== 'none').flatMap((option) => option.flags);
  return flags.map((flag) => quote(`${path === '' ? '*' : path} ${flag}`));
}

function optionLine(condition: string, { flags, description, value }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(' ');
  return `complete -c meridianctl${condition} ${names}${argumentOf(value)} -d ${quote(description)}`;
}

function argumentOf(value: CompletedOption['value']): string {
  if (value === 'none') return '';
  if (value === 'file') return ' -r -F';
  return value === 'free' ? ' -x' : ` -x -a ${quote(value.join(' '))}`;
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
