/** Printer columns: the usual ones, and what cells are made of. */
import type { NamingProfile } from '../../meta/naming.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { CellValue, ColumnDefinition } from '../types.ts';
import { ageOf } from './human-duration.ts';

interface ColumnOptions {
  readonly type?: ColumnDefinition['type'];
  readonly format?: string;
  /** 1: only in the wide output. */
  readonly priority?: number;
  readonly description?: string;
  /** First release that shows it. */
  readonly since?: string;
  /** First release that does not show it any more. */
  readonly until?: string;
}

type Cell<T> = (object: T, naming: NamingProfile) => CellValue | undefined;

/** A column of a kind; a missing value is an empty cell (0 or false where the column has such a type). */
export function column<T extends ApiObject>(
  name: string,
  cell: Cell<T>,
  options: ColumnOptions = {},
): ColumnDefinition {
  const type = options.type ?? 'string';
  return {
    name,
    type,
    format: options.format ?? '',
    priority: options.priority ?? 0,
    description: options.description ?? '',
    ...(options.since !== undefined && { since: options.since }),
    ...(options.until !== undefined && { until: options.until }),
    cell: (object, naming) => cell(object as T, naming) ?? emptyCell[type],
  };
}

const emptyCell: Readonly<Record<ColumnDefinition['type'], CellValue>> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
  date: null,
};

/** A column that only the wide output shows. */
export function wideColumn<T extends ApiObject>(
  name: string,
  cell: Cell<T>,
  description = '',
): ColumnDefinition {
  return column(name, cell, { priority: 1, description });
}

export const nameColumn: ColumnDefinition = column('Name', (object) => object.metadata.name, {
  format: 'name',
  description: 'Name, unique among the objects of its kind in a namespace.',
});

export const ageColumn: ColumnDefinition = column(
  'Age',
  (object) => ageOf(object.metadata.creationTimestamp),
  {
    description: 'Time since the object was created.',
  },
);

/** The same column, in some releases only. */
export function inReleases(
  definition: ColumnDefinition,
  lives: Pick<ColumnDefinition, 'since' | 'until'>,
): ColumnDefinition {
  return { ...definition, ...lives };
}

/** For kinds without columns of their own. */
export const createdAtColumn: ColumnDefinition = column(
  'Created At',
  (object) => object.metadata.creationTimestamp,
  {
    type: 'date',
    description: 'When the object was created.',
  },
);

/** `k=v` pairs in the order of keys; `<none>` when there are none. */
export function labelsText(labels: Readonly<Record<string, string>> | null | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}

/** Entries joined by commas; `<none>` when there are none. */
export function joined(items: readonly string[] | null | undefined): string {
  return (items ?? []).join(',') || '<none>';
}
