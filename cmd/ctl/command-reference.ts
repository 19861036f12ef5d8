import type { Command } from 'commander';

const WIDTH = 120;

const INTRODUCTION = `# meridianctl

<!-- Written by scripts/reference.mjs from the command line itself: change that, not this. -->

The command line of Meridian. It talks to the REST API of one control plane, global or a zone; the commands that say so ask no server.

| exit code | |
|---|---|
| 0 | done |
| 1 | refused or failed; with \`diff --exit-code\` also: there are differences; of \`can\`: the request may not enter |
| 2 | wrong usage |
| 3 | of \`can\`: nothing is enforced there |

Results are on standard output. Errors, with what to do about them, warnings and progress (on a terminal alone) are on standard error. With \`-o json\` an error is
\`{error: {code, message, problems: [{field, reason}], hint | null}}\` there. On a terminal texts wrap, columns that say the same in all rows are left out,
and rows that are still too wide stand as records; \`-o wide\` prints as elsewhere. Colours are for terminals; \`NO_COLOR\` turns them off.

Which control plane is asked, the nearest word first: \`--url\` or \`--context\`; \`MERIDIAN_URL\`; the current context of \`$MERIDIAN_CONFIG\` or \`~/.meridian/config\`;
\`http://127.0.0.1:5681\`. The token, likewise: \`--token-file\`; \`MERIDIAN_TOKEN\` or \`MERIDIAN_TOKEN_FILE\`, unless \`--context\` is said; the context's. A context's token goes to
that context's address alone, and no token is sent over plain HTTP to another machine.
`;

/** The reference of a program as Markdown: the help of each of its commands, in their order. */
export function formatReference(program: Command): string {
  return [INTRODUCTION, ...sections(program, '')].join('\n');
}

function sections(command: Command, before: string): string[] {
  const name = `${before} ${command.name()}`.trim();
  const own = `## ${name}\n\n\`\`\`\n${helpOf(command)}\n\`\`\`\n`;
  return [own, ...command.commands.flatMap((inner) => sections(inner, name))];
}

/** As `--help` prints it on any machine. */
function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => void (help += text), getOutHelpWidth: () => WIDTH, getOutHasColors: () => false });
  command.outputHelp();
  return help.trim();
}
