import { type Command, InvalidArgumentError } from 'commander';
import { invalid } from '../../../src/errors.ts';
import type { DocumentSource } from './document-sources.ts';

/** What stands for `{{ NAME }}` in files. */
export type Variables = Readonly<Record<string, string>>;

const TAG = /\{\{([^{}]*)\}\}/g;
/** Names as kumactl's templates have them. */
const NAME = /^[A-Za-z_][\w.-]*$/;

/** Adds `-v, --var`. */
export function addVariables(command: Command): Command {
  return command.option('-v, --var <name=value...>', 'what stands for {{ NAME }} in the documents (repeatable)', collectVariable);
}

function collectVariable(text: string, earlier: Variables | undefined): Variables {
  const equals = text.indexOf('=');
  const [name, value] = [text.slice(0, equals), text.slice(equals + 1)];
  if (equals < 1 || !NAME.test(name)) throw new InvalidArgumentError('It must be like NAME=value.');
  if (/[\r\n]/.test(value)) throw new InvalidArgumentError(`The value of ${name} must be one line: more would add fields to a document.`);
  return { ...earlier, [name]: value };
}

/**
 * Files with their variables filled in, as kumactl does where some are given; without any, `{{ }}` stands as it is. A
 * value is put in as it is written: put the place in quotes in YAML where it may be no plain text. Throws `invalid` for
 * a variable without a value, which kumactl leaves empty, and for what else Mustache has in double braces.
 *
 *   name: {{ NAME }}  with NAME=slow  ->  name: slow
 */
export function fillVariables(sources: readonly DocumentSource[], variables: Variables | undefined): readonly DocumentSource[] {
  if (variables === undefined) return sources;
  const problems = sources.flatMap(({ file, text }) =>
    tagsIn(text).flatMap((tag) => {
      const reason = whyNot(tag, variables);
      return reason === undefined ? [] : [{ field: `${file}: {{${tag}}}`, reason }];
    }),
  );
  if (problems.length > 0) throw invalid(problems);
  return sources.map(({ file, text }) => ({ file, text: text.replaceAll(TAG, (_, tag: string) => variables[tag.trim()] ?? '') }));
}

function tagsIn(text: string): string[] {
  return [...new Set([...text.matchAll(TAG)].map(([, tag = '']) => tag))];
}

function whyNot(tag: string, variables: Variables): string | undefined {
  const name = tag.trim();
  if (!NAME.test(name)) return 'is no variable: only {{ NAME }} is filled in';
  return Object.hasOwn(variables, name) ? undefined : `has no value: say -v ${name}=VALUE`;
}
