/** The conflict of an apply: fields that other managers own with another value (KEP-555, conflicts). */
import { pathOfSteps, shortText } from '../../base/short-text.ts';
import type { FieldSet } from './field-set.ts';
import { showElement } from './path-element.ts';
import type { EntryParts } from './managed-entry.ts';
import type { ConflictingFields } from './take-over.ts';

export interface FieldConflict {
  /** `conflict with "kubectl" using v1` */
  readonly message: string;
  /** `.spec.replicas` */
  readonly field: string;
}

/** How many fields are named, and in how many characters, about; all are counted. More is not answered. */
const maxReported = 1_000;
const maxReportedText = 128 * 1024;

/** Thrown by an apply without force. The message names managers and fields; `conflicts` has one of each. */
export class ApplyConflictError extends Error {
  readonly conflicts: readonly FieldConflict[];

  constructor(claims: readonly ConflictingFields[]) {
    const named = namedOf(claims);
    super(messageOf(claims, named));
    this.name = 'ApplyConflictError';
    this.conflicts = named.flatMap(({ manager, fields }) =>
      fields.map((field) => ({ message: `conflict with ${manager}`, field })),
    );
  }
}

/** A manager with the fields that are named. */
interface Named {
  readonly manager: string;
  readonly fields: readonly string[];
}

function namedOf(claims: readonly ConflictingFields[]): Named[] {
  const ordered = claims
    .map(({ entry, fields }) => ({ manager: managerText(entry.parts), fields }))
    .sort((a, b) => (a.manager < b.manager ? -1 : 1));
  const named: Named[] = [];
  const room: Room = { fields: maxReported, text: maxReportedText };
  for (const { manager, fields } of ordered) {
    if (isSpent(room)) break;
    named.push({ manager, fields: reportedFields(fields, room) });
  }
  return named;
}

function messageOf(claims: readonly ConflictingFields[], named: readonly Named[]): string {
  const count = claims.reduce((sum, { fields }) => sum + fields.size, 0);
  const [first] = named;
  if (count === 1 && first) {
    return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.fields[0] ?? ''}`;
  }
  const lines = named.flatMap(({ manager, fields }) => [
    `conflicts with ${manager}:`,
    ...fields.map((field) => `- ${field}`),
  ]);
  return `Apply failed with ${String(count)} conflicts: ${lines.join('\n')}`;
}

/** Update managers are distinguished by the version that they wrote in. */
function managerText({ manager, operation, subresource, apiVersion }: EntryParts): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return JSON.stringify(manager) + through + using;
}

/** What may still be named. */
interface Room {
  fields: number;
  text: number;
}

function isSpent({ fields, text }: Room): boolean {
  return fields <= 0 || text <= 0;
}

/** The fields in words, as long as there is room, which they take. */
function reportedFields(fields: FieldSet, room: Room): string[] {
  const paths: string[] = [];
  for (const words of fields.pathsBy((element) => shortText(showElement(element)))) {
    if (isSpent(room)) break;
    const path = pathOfSteps(words, (word) => word);
    room.fields -= 1;
    room.text -= path.length;
    paths.push(path);
  }
  return paths;
}
