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
  readonly typeOnly: boolean;
}

/** Everything that the table does not allow, one line each. */
export function importFaults(
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
    if (specifier !== undefined) found.push(toImport(file.path, specifier, isTypeOnly(node)));
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

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  return ts.isImportTypeNode(node);
}

function toImport(from: string, specifier: string, typeOnly: boolean): Import {
  const own = specifier.startsWith('.');
  const parts = specifier.split('/');
  const name = specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
  const to = own ? posix.join(posix.dirname(from), specifier) : name;
  return { from, to, own, typeOnly };
}

/** One line for each file that reaches itself through run-time imports. */
function cycles(imports: readonly Import[]): string[] {
  const edges = new Map<string, string[]>();
  for (const { from, to, own, typeOnly } of imports) {
    if (own && !typeOnly) edges.set(from, [...(edges.get(from) ?? []), to]);
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
