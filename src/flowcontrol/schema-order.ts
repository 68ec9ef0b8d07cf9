/** The order in which flow schemas are tried. */
import type { SchemaSource } from './flow-objects.ts';

/** By precedence, then by name; in steps of one schema, as those of one precedence come by name from the store. */
export function* byPrecedence(schemas: readonly SchemaSource[]): Generator<void, SchemaSource[], void> {
  const byRank = new Map<number, SchemaSource[]>();
  for (const schema of schemas) {
    yield;
    const rank = schema.spec.matchingPrecedence ?? 0;
    const same = byRank.get(rank);
    if (same) same.push(schema);
    else byRank.set(rank, [schema]);
  }
  const ordered: SchemaSource[] = [];
  for (const rank of [...byRank.keys()].sort((a, b) => a - b)) {
    yield;
    for (const schema of (byRank.get(rank) ?? []).sort(byName)) ordered.push(schema);
  }
  return ordered;
}

function byName(a: SchemaSource, b: SchemaSource): number {
  return a.name < b.name ? -1 : 1;
}
