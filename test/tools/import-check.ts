/** Checks a set of source files against the import table; pure, so that it can be tested on made-up files. */
import { posix } from 'node:path';
import ts from 'typescript';
import type { RoomRule } from './import-table.ts';

export interface SourceText {
  /** Path relative to `src`, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

interface Import {
  readonly from: string;
  /** Relative to `src` for own files, the package's name otherwise. */
  readonly to: string;
  readonly own: boolean;
}

/** Everything that the table does not allow, one line each. */
export function importErrors(
  files: readonly SourceText[],
  table: Readonly<Record<string, RoomRule>>,
): string[] {
  const imports = files.flatMap(importsOf);
  return [
    ...new Set([
      ...files
        .filter((f) => !(roomOf(f.path) in table))
        .map((f) => `src/${f.path}: its room has no row in the import table`),
      ...imports
        .filter((i) => !isAllowed(i, table))
        .map((i) => `src/${i.from} may not import ${i.own ? 'src/' : ''}${i.to}`),
      ...cycles(imports),
    ]),
  ];
}

/**
 * Imports of a suite's helpers from outside the suite, one line each. A suite is the folder of a file; its helpers stand
 * in it or in its `support`. What several suites share stands in `support` at the top.
 */
export function foreignHelpers(files: readonly SourceText[]): string[] {
  return files
    .flatMap(importsOf)
    .filter(({ own, to }) => own && to.endsWith('.ts') && !to.startsWith('..'))
    .filter(({ from, to }) => !isShared(to) && !posix.dirname(from).startsWith(suiteOf(to)))
    .map(({ from, to }) => `test/${from} reaches into the suite of test/${to}`);
}

const sharedFolders = ['support', 'tools', 'bench'];

function isShared(path: string): boolean {
  return sharedFolders.includes(roomOf(path));
}

function suiteOf(path: string): string {
  return posix.dirname(path).replace(/\/support$/, '');
}

/** Permissions of the table that no file uses, one line each: a door that nobody needs is closed. */
export function unusedPermissions(
  files: readonly SourceText[],
  table: Readonly<Record<string, RoomRule>>,
): string[] {
  const imports = files.flatMap(importsOf);
  return Object.entries(table).flatMap(([room, { may, packages }]) => {
    const own = imports.filter(({ from }) => roomOf(from) === room);
    const isUsed = (permission: string): boolean =>
      own.some(({ to }) => to === permission || roomOf(to) === permission);
    const uses = (name: string): boolean => own.some(({ to }) => to === name);
    return [
      ...may.filter((permission) => !isUsed(permission)).map((p) => `${room} does not use src/${p}`),
      ...packages.filter((name) => !uses(name)).map((name) => `${room} does not use ${name}`),
    ];
  });
}

function roomOf(path: string): string {
  return path.split('/')[0] ?? path;
}

function isAllowed(i: Import, table: Readonly<Record<string, RoomRule>>): boolean {
  const rule = table[roomOf(i.from)];
  if (!rule) return true;
  if (!i.own) return i.to.startsWith('node:') || rule.packages.includes(i.to);
  return roomOf(i.to) === roomOf(i.from) || rule.may.includes(roomOf(i.to)) || rule.may.includes(i.to);
}

function importsOf(file: SourceText): Import[] {
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest);
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) found.push(toImport(file.path, specifier));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return textOf(node.arguments[0]);
  return ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
    ? textOf(node.argument.literal)
    : undefined;
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node && ts.isStringLiteral(node) ? node.text : undefined;
}

function toImport(from: string, specifier: string): Import {
  const own = specifier.startsWith('.');
  const parts = specifier.split('/');
  const name = specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
  const to = own ? posix.join(posix.dirname(from), specifier) : name;
  return { from, to, own };
}

/** One line for each file that reaches itself through imports, of types as well. */
function cycles(imports: readonly Import[]): string[] {
  const edges = new Map<string, string[]>();
  for (const { from, to, own } of imports) {
    if (own) edges.set(from, [...(edges.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file);
    if (at >= 0) found.push(`import cycle: ${[...way.slice(at), file].join(' → ')}`);
    if (at >= 0 || done.has(file)) return;
    for (const next of edges.get(file) ?? []) walk(next, [...way, file]);
    done.add(file);
  };
  for (const file of edges.keys()) walk(file, []);
  return found;
}
