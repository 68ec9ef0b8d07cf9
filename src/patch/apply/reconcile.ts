/**
 * Field sets that were written before their schema changed (specification, "Server-side apply", rule 13). Where a
 * list, map or struct became atomic, who owned anything in it owns all of it. Where it became granular, who owned
 * the whole still owns only that: nobody can tell who owns what is inside.
 */
import type { Schema } from '../../schema/types.ts';
import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { isAtomicSchema, schemaBelow } from './topology.ts';

/** The set as the schema of today has it; the same set when nothing changed. */
export function reconcile(set: FieldSet, schema: Schema | undefined): FieldSet {
  let members: Set<PathElement> | undefined;
  let children: Map<PathElement, FieldSet> | undefined;
  for (const [element, child] of set.children) {
    const below = schemaBelow(schema, element);
    if (isAtomicSchema(below)) {
      members ??= new Set(set.members);
      children ??= new Map(set.children);
      members.add(element);
      children.delete(element);
      continue;
    }
    const fitted = reconcile(child, below);
    if (fitted === child) continue;
    children ??= new Map(set.children);
    children.set(element, fitted);
  }
  return members || children ? new FieldSet(members ?? set.members, children ?? set.children) : set;
}
