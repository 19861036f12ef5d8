import { isBuiltin } from 'node:module';
import ts from 'typescript';
import { nameOf, partOf } from './map.ts';
import { at, importsOf, isExempt, nodes, type ArchitectureRule, type Source } from './source.ts';

const PACKAGES = ['zod', 'yaml'];
const HASHING = [
  'createHash',
  'createHmac',
  'hash',
  'timingSafeEqual',
  'X509Certificate',
  'sign',
  'verify',
  'createPublicKey',
  'createPrivateKey',
  'KeyObject',
];
const IMPURE = [
  ['Date', 'performance', 'setTimeout', 'setInterval', 'setImmediate', 'AbortSignal', 'crypto'],
  ['process', 'console', 'fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'navigator'],
  ['globalThis', 'require', 'eval', 'Function', 'Intl'],
].flat();

/**
 * The pure parts import no built-in module but node:crypto, of it only what hashes, signs and
 * reads, and only packages known to be pure.
 */
export const pureImports: ArchitectureRule = (source) => {
  if (!isPure(source)) return [];
  return importsOf(source).flatMap((module) => {
    if (module.text.startsWith('.') || PACKAGES.includes(module.text)) return [];
    if (module.text === 'node:crypto') return [...impureCrypto(source, module)];
    const kind = isBuiltin(module.text) ? 'the built-in module' : 'the package';
    return [at(source, module, `${named(source)} is pure: it must not import ${kind} ${module.text}`)];
  });
};

function impureCrypto(source: Source, module: ts.StringLiteralLike): string[] {
  const refuse = (node: ts.Node, what: string) => at(source, node, `${named(source)} is pure: of node:crypto it must not import ${what}`);
  const bindings = ts.isImportDeclaration(module.parent) ? module.parent.importClause?.namedBindings : undefined;
  const onlyNamed = bindings && ts.isNamedImports(bindings) && ts.isImportDeclaration(module.parent) && !module.parent.importClause?.name;
  if (!onlyNamed) return [refuse(module, 'the whole')];
  return bindings.elements.flatMap((element) => {
    const name = (element.propertyName ?? element.name).text;
    return HASHING.includes(name) ? [] : [refuse(element, name)];
  });
}

/**
 * The pure parts name no global that reads a clock, chance, or the world. A local of such a name is refused too: rename
 * it.
 */
export const pureGlobals: ArchitectureRule = (source) => {
  if (!isPure(source)) return [];
  return nodes(source, ts.isIdentifier)
    .filter((name) => isReference(name) && (IMPURE.includes(name.text) || isChance(name)))
    .map((name) => at(source, name, `${named(source)} is pure: it must not use ${name.text === 'Math' ? 'Math.random' : name.text}`));
};

/** A spec of a pure part may do what it likes. */
function isPure(source: Source): boolean {
  return !isExempt(source) && partOf(source.path)?.pure === true;
}

function named({ path }: Source): string {
  const part = partOf(path);
  return part ? nameOf(part) : path;
}

/** Math used for anything but `Math.name` with a name other than random. */
function isChance(name: ts.Identifier): boolean {
  if (name.text !== 'Math') return false;
  const { parent } = name;
  return !(ts.isPropertyAccessExpression(parent) && parent.expression === name && parent.name.text !== 'random');
}

/**
 * False where the identifier is only the name of a member: `x.process`, `{ process: 1 }`, `interface X { process: T }`.
 * `global.process` counts as process; the word global alone is ours (the control plane), not Node's.
 */
function isReference(name: ts.Identifier): boolean {
  const { parent } = name;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === name || parent.expression.getText() === 'global';
  if (ts.isQualifiedName(parent)) return parent.left === name;
  if (ts.isBindingElement(parent)) return parent.propertyName !== name;
  const isMember = ts.isPropertyAssignment(parent) || ts.isEnumMember(parent) || ts.isClassElement(parent) || ts.isTypeElement(parent);
  return !(isMember && parent.name === name);
}
