/** The conflict of an apply: fields that other managers own with another value (specification, rule 6). */
import type { FieldPathElements } from './path-element.ts';
import { showElement } from './path-element.ts';
import type { EntryParts } from './managed-entry.ts';
import type { Claim } from './take-over.ts';

export interface FieldConflict {
  /** `conflict with "kubectl" using v1` */
  readonly message: string;
  /** `.spec.replicas` */
  readonly field: string;
}

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
      [...fields.paths()].map((path) => ({
        message: `conflict with ${managerText(entry.parts)}`,
        field: pathText(path),
      })),
    );
  }
}

function messageOf(claims: readonly Claim[]): string {
  const count = claims.reduce((sum, { fields }) => sum + fields.size, 0);
  const [first] = claims;
  if (count === 1 && first) {
    const [path = []] = first.fields.paths();
    return `Apply failed with 1 conflict: conflict with ${managerText(first.entry.parts)}: ${pathText(path)}`;
  }
  const lines = claims.flatMap(({ entry, fields }) => [
    `conflicts with ${managerText(entry.parts)}:`,
    ...[...fields.paths()].map((path) => `- ${pathText(path)}`),
  ]);
  return `Apply failed with ${String(count)} conflicts: ${lines.join('\n')}`;
}

/** Updaters are told apart by the version that they wrote in. */
function managerText({ manager, operation, subresource, apiVersion }: EntryParts): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return JSON.stringify(manager) + through + using;
}

function pathText(path: FieldPathElements): string {
  return path.map(showElement).join('');
}
