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

/** How many fields are named; all are counted. */
const maxTold = 1_000;

/** Thrown by an apply without force. The message names managers and fields; `conflicts` has one of each. */
export class ApplyConflictError extends Error {
  readonly conflicts: readonly FieldConflict[];

  constructor(claims: readonly Claim[]) {
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

function namedOf(claims: readonly Claim[]): Named[] {
  const ordered = claims
    .map(({ entry, fields }) => ({ manager: managerText(entry.parts), fields }))
    .sort((a, b) => (a.manager < b.manager ? -1 : 1));
  const named: Named[] = [];
  let left = maxTold;
  for (const { manager, fields } of ordered) {
    if (left <= 0) break;
    const told = toldOf(fields, left);
    left -= told.length;
    named.push({ manager, fields: told });
  }
  return named;
}

function messageOf(claims: readonly Claim[], named: readonly Named[]): string {
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

/** Updaters are told apart by the version that they wrote in. */
function managerText({ manager, operation, subresource, apiVersion }: EntryParts): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return JSON.stringify(manager) + through + using;
}

/** The fields in words, so many at most. */
function toldOf(fields: FieldSet, most: number): string[] {
  const paths: string[] = [];
  for (const path of fields.paths()) {
    if (paths.length >= most) break;
    paths.push(shortPath(path.map((element) => shortText(showElement(element))).join('')));
  }
  return paths;
}
