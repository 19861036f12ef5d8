import { existsSync, readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** A source file as the rules see it. `path` is from the project's folder, with slashes: `src/kds/session.ts`. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

/** A rule of the architecture. In: one file. Out: what is wrong with it, as `path:line: what`. */
export type ArchitectureRule = (source: Source) => string[];

const ROOT = new URL('../../', import.meta.url);
const CODE = /\.[cm]?[jt]sx?$/;

/** Parses one file. The text need not be on disk: so the rules are tried on samples. */
export function source(path: string, text: string): Source {
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true) };
}

/** All code below the folders (of the project), in order of path. */
export function sourcesIn(...folders: string[]): Source[] {
  return folders
    .flatMap(filesIn)
    .filter((path) => CODE.test(path))
    .sort()
    .map((path) => source(path, readFileSync(new URL(path, ROOT), 'utf8')));
}

/** All files below a folder of the project, as paths from the project's folder. Test data of others is left out. */
function filesIn(folder: string): string[] {
  if (!existsSync(new URL(folder, ROOT))) return [];
  return readdirSync(new URL(`${folder}/`, ROOT), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return path === 'test/reference' ? [] : filesIn(path);
    return [path];
  });
}

/** Specs and everything in test/ may import, read and do what they like. */
export function isExempt({ path }: Source): boolean {
  return path.startsWith('test/') || /\.spec\.[cm]?tsx?$/.test(path);
}

/** `path:line: what`, the line being where the node starts. */
export function at({ path, tree }: Source, node: ts.Node, what: string): string {
  return `${path}:${tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1}: ${what}`;
}

/** Every node of the file for which `keep` holds, at any depth. */
export function nodes<T extends ts.Node>({ tree }: Source, keep: (node: ts.Node) => node is T): T[] {
  const found: T[] = [];
  const visit = (node: ts.Node) => {
    if (keep(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/**
 * The names of modules that the file imports, in any form: import, export from, import(), import('x').T, import x =
 * require.
 */
export function importsOf(source: Source): ts.StringLiteralLike[] {
  return nodes(source, ts.isStringLiteralLike).filter(({ parent }) => {
    if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isExternalModuleReference(parent)) return true;
    if (ts.isCallExpression(parent))
      return parent.expression.kind === ts.SyntaxKind.ImportKeyword || parent.expression.getText(source.tree) === 'require';
    return ts.isLiteralTypeNode(parent) && ts.isImportTypeNode(parent.parent);
  });
}
