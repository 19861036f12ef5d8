import { isObject } from '../../../src/resource/field-path.ts';

/** Takes what is meant out of values, each of which may give none, one or many. */
type PathSelection = (values: readonly unknown[]) => readonly unknown[];

/** Where a text of kubectl's JSONPath asks for what is not read here: the message is for people. */
export class JsonPathError extends Error {}

const NAME = String.raw`(?:[^\s.[\]()"'=!<>{},*@$\\]|\\.)+`;
const STEPS: readonly (readonly [RegExp, (...found: string[]) => PathSelection])[] = [
  [/^\.?\*|^\.?\[\*\]/, () => (values) => values.flatMap(childrenOf)],
  [new RegExp(`^\\.(${NAME})`), (name = '') => field(name.replaceAll(/\\(.)/g, '$1'))],
  [/^\.?\['([^']*)'\]|^\.?\["([^"]*)"\]/, (single, double) => field(single ?? double ?? '')],
  [/^\.?\[(-?\d+)\]/, (index) => (values) => values.flatMap((value) => (Array.isArray(value) ? value.slice(...one(Number(index))) : []))],
  [/^\.?\[(-?\d*):(-?\d*)\]/, (from, to) => slice(from, to)],
  [
    new RegExp(`^\\.?\\[\\?\\(\\s*@((?:\\.${NAME}|\\['[^']*'\\])+)\\s*(?:(==|!=)\\s*("[^"]*"|'[^']*'|[\\w.-]+)\\s*)?\\)\\]`),
    (path = '', operator, wanted) => filter(parsePath(path), operator, wanted),
  ],
];

/**
 * What a path of kubectl's JSONPath selects: `.a.b`, `['a.b']`, `.a\.b`, `[0]`, `[-1]`, `[1:3]`, `[*]`, `.*`,
 * `[?(@.a=="b")]`, `[?(@.a!="b")]`, `[?(@.a)]`, with `$` or `@` before. What a value has not selects nothing. Throws
 * JsonPathError for anything else (`..`, several names in brackets, other comparisons).
 */
export function parsePath(text: string): PathSelection {
  const steps: PathSelection[] = [];
  let rest = text.replace(/^[$@]/, '');
  if (rest === '.') rest = '';
  while (rest !== '') {
    const [matched, step] = nextStep(rest);
    steps.push(step);
    rest = rest.slice(matched.length);
  }
  return (values) => steps.reduce((found, step) => step(found), values);
}

function nextStep(text: string): readonly [matched: string, step: PathSelection] {
  for (const [pattern, make] of STEPS) {
    const found = pattern.exec(text);
    if (found) return [found[0], make(...found.slice(1))];
  }
  if (text.startsWith('..')) throw new JsonPathError(`'${text}' looks at every depth, which is not done here: say the whole path.`);
  throw new JsonPathError(`'${text}' is not read here: paths are made of .name, ['name'], [0], [1:3], [*] and [?(@.name=="value")].`);
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function field(name: string): PathSelection {
  return (values) => values.flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []));
}

/** The place of one item, as `slice` takes it: -1 is the last. */
function one(index: number): [from: number, to: number | undefined] {
  return [index, index === -1 ? undefined : index + 1];
}

function slice(from: string | undefined, to: string | undefined): PathSelection {
  return (values) => values.flatMap((value) => (Array.isArray(value) ? value.slice(Number(from || 0), to ? Number(to) : undefined) : []));
}

function filter(path: PathSelection, operator: string | undefined, wanted: string | undefined): PathSelection {
  const text = wanted?.replace(/^(["'])(.*)\1$/s, '$2');
  const holds = (value: unknown): boolean => {
    const [found] = path([value]);
    if (operator === undefined) return found !== undefined;
    return (found !== undefined && textIn(found) === text) === (operator === '==');
  };
  return (values) => values.flatMap(childrenOf).filter(holds);
}

/** A value as it is printed: texts as they are, anything else as JSON. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
