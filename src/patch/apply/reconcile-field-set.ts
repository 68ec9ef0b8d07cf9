/**
 * Field sets that were written before their schema changed (structured-merge-diff, ReconcileFieldSetWithSchema). Where
 * a list, map or struct became atomic, managers of anything in it own all of it. Where it became granular, managers of
 * the whole still own only that: the owners of what is inside are unknown.
 */
import type { Schema } from '../../schema/types.ts';
import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { isAtomicSchema, schemaBelow } from './topology.ts';

/** The set as the schema of today has it; the same set when nothing changed. */
export function reconcileFieldSet(set: FieldSet, schema: Schema | undefined): FieldSet {
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
    const fitted = reconcileFieldSet(child, below);
    if (fitted === child) continue;
    children ??= new Map(set.children);
    children.set(element, fitted);
  }
  return members || children ? new FieldSet(members ?? set.members, children ?? set.children) : set;
}
