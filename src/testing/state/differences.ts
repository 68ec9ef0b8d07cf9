/** What changed between two states, as data and as a text to read when a test has failed. */
import type { StateDifference } from './state-entry.ts';
import type { ApiObject } from '../objects.ts';
import { fieldChanges, type FieldChange } from './field-changes.ts';
import { inOrder, nameOf, objectOf } from './state-objects.ts';

/** An object that is there in both states, with other fields. */
export interface ChangedObject {
  readonly before: ApiObject;
  readonly after: ApiObject;
  /** In the order of their paths in the object; without managedFields. */
  readonly fields: readonly FieldChange[];
}

/** What changed; objects have no resourceVersion. */
export interface Changes {
  readonly added: readonly ApiObject[];
  readonly changed: readonly ChangedObject[];
  readonly deleted: readonly ApiObject[];
  /** All of it, a line for each object and each field. */
  readonly text: string;
}

/** An object that was deleted and created again under its name is deleted and added. */
export function changesOf(differences: readonly StateDifference[]): Changes {
  const pairs = differences.map(({ before, after }) => ({ before: read(before), after: read(after) }));
  const added = pairs.flatMap(({ before, after }) => (after && !isSame(before, after) ? [after] : []));
  const deleted = pairs.flatMap(({ before, after }) => (before && !isSame(before, after) ? [before] : []));
  const changed = pairs.flatMap(({ before, after }) =>
    before && after && isSame(before, after) ? [{ before, after, fields: fieldChanges(before, after) }] : [],
  );
  const all = {
    added: added.sort(inOrder),
    // What is written again as it was has not changed.
    changed: changed.filter(({ fields }) => fields.length > 0).sort((a, b) => inOrder(a.after, b.after)),
    deleted: deleted.sort(inOrder),
  };
  return { ...all, text: textOf(all) };
}

function read(value: string | undefined): ApiObject | undefined {
  return value === undefined ? undefined : objectOf(value);
}

function isSame(before: ApiObject | undefined, after: ApiObject | undefined): boolean {
  return before?.metadata.uid === after?.metadata.uid;
}

function textOf({ added, changed, deleted }: Omit<Changes, 'text'>): string {
  const lines = [
    ...added.map((object) => `+ ${nameOf(object)}`),
    ...changed.flatMap(({ after, fields }) => [`~ ${nameOf(after)}`, ...fields.map(lineOf)]),
    ...deleted.map((object) => `- ${nameOf(object)}`),
  ];
  return lines.length === 0 ? 'Nothing has changed.' : lines.join('\n');
}

function lineOf({ path, before, after }: FieldChange): string {
  return `    ${path}: ${valueText(before)} → ${valueText(after)}`;
}

const longest = 200;

function valueText(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${String(text.length)} characters)`;
}
