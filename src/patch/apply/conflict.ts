/** The conflict of an apply: fields that other managers own with another value (specification, rule 6). */
import { shortPath, shortText } from '../../base/short-text.ts';
import type { FieldSet } from './field-set.ts';
import { showElement } from './path-element.ts';
import type { EntryParts } from './managed-entry.ts';
import type { Claim } from './take-over.ts';

export interface FieldConflict {
  /** `conflict with "kubectl" using v1` */
  readonly message: string;
  /** `.spec.replicas` */
  readonly field: string;
}

/** How many fields of a manager are named; all are counted. */
const maxTold = 1_000;

/** Thrown by an apply without force. The message names every manager and field; `conflicts` has one of each. */
export class ApplyConflictError extends Error {
  readonly conflicts: readonly FieldConflict[];

  constructor(claims: readonly Claim[]) {
    const ordered = claims.toSorted((a, b) =>
      managerText(a.entry.parts) < managerText(b.entry.parts) ? -1 : 1,
    );
    super(messageOf(ordered));
    this.name = 'ApplyConflictError';
    this.conflicts = ordered.flatMap(({ entry, fields }) =>
      told(fields).map((field) => ({ message: `conflict with ${managerText(entry.parts)}`, field })),
    );
  }
}

function messageOf(claims: readonly Claim[]): string {
  const count = claims.reduce((sum, { fields }) => sum + fields.size, 0);
  const [first] = claims;
  if (count === 1 && first) {
    const [field = ''] = told(first.fields);
    return `Apply failed with 1 conflict: conflict with ${managerText(first.entry.parts)}: ${field}`;
  }
  const lines = claims.flatMap(({ entry, fields }) => [
    `conflicts with ${managerText(entry.parts)}:`,
    ...told(fields).map((field) => `- ${field}`),
  ]);
  return `Apply failed with ${String(count)} conflicts: ${lines.join('\n')}`;
}

/** Updaters are told apart by the version that they wrote in. */
function managerText({ manager, operation, subresource, apiVersion }: EntryParts): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return JSON.stringify(manager) + through + using;
}

/** The fields in words, as many of them as anybody reads. */
function told(fields: FieldSet): string[] {
  const paths: string[] = [];
  for (const path of fields.paths()) {
    if (paths.length >= maxTold) break;
    paths.push(shortPath(path.map((element) => shortText(showElement(element))).join('')));
  }
  return paths;
}
