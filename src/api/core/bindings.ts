/** Binding: assigns a pod to a node; an operation, not a stored object. */
import { createdAtColumn, nameColumn } from '../columns/columns.ts';
import { defineResource } from '../define.ts';
import { nameIsPathSegment } from '../validation/name-rules.ts';

export const bindings = defineResource({
  kind: 'Binding',
  plural: 'bindings',
  namespaced: true,
  verbs: ['create'],
  versions: [{ version: 'v1' }],
  validateName: nameIsPathSegment,
  columns: [nameColumn, createdAtColumn],
  virtual: true,
});
