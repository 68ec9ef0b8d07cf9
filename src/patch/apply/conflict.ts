/** The conflict of an apply: fields that other managers own with another value (KEP-555, conflicts). */
import { shortPath, shortText } from '../../base/short-text.ts';
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

/** How many fields are named; all are counted. */
const maxReported = 1_000;

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
  let left = maxReported;
  for (const { manager, fields } of ordered) {
    if (left <= 0) break;
    const reported = reportedFields(fields, left);
    left -= reported.length;
    named.push({ manager, fields: reported });
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

/** The fields in words, so many at most. */
function reportedFields(fields: FieldSet, most: number): string[] {
  const paths: string[] = [];
  for (const path of fields.paths()) {
    if (paths.length >= most) break;
    paths.push(shortPath(path.map((element) => shortText(showElement(element))).join('')));
  }
  return paths;
}
