import ts from 'typescript';
import { at, nodes, type ArchitectureRule, type Source } from './source.ts';

type NamedType = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration | ts.EnumDeclaration;

/** The types that stand in more than one file: each idea has one place, and each place its own name. */
export function repeatedTypeNames(sources: readonly Source[]): string[] {
  const files = new Map<string, string[]>();
  for (const source of sources) {
    for (const name of new Set(typesOf(source).map((type) => type.name?.text ?? '')))
      files.set(name, [...(files.get(name) ?? []), source.path]);
  }
  return [...files].flatMap(([name, paths]) =>
    paths.length > 1 ? [`${name} stands in ${paths.join(', ')}: make it one, or say in each name what it is about`] : [],
  );
}

const PARTICIPLE =
  /^((?!Feed$)[A-Z][a-z]*ed|Beside|Found|Given|Gone|Held|Kept|Known|Left|Lost|Made|Said|Seen|Sent|Shown|Told|Where|Who|Written)$/;

/** No type is named by a lone word without content: `Known` may be anything, `KnownPeer` is one thing. */
export const namesWithContent: ArchitectureRule = (source) =>
  typesOf(source)
    .filter(({ name }) => name && PARTICIPLE.test(name.text))
    .map((type) => at(source, type, `${type.name?.text} names no content: say what it is of`));

/** All types that the file declares. What it adds to a package (`declare module`) has the package's name. */
function typesOf(source: Source): NamedType[] {
  if (source.path.includes('/gen/')) return [];
  const isType = (node: ts.Node): node is NamedType =>
    ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node) || ts.isEnumDeclaration(node);
  return nodes(source, isType).filter(({ parent }) => !ts.isModuleBlock(parent));
}
