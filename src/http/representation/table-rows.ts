/** Rows of tables: cells are computed once per revision of an object, except for ages. */
import { TimeSince } from '../../api/columns/human-duration.ts';
import type { CellValue, ColumnDefinition } from '../../api/types.ts';
import type { JsonObject } from '../../base/json.ts';
import { metadataRange, type MetadataRange } from '../../codec/stored.ts';
import { asApiObject } from '../../meta/object.ts';
import type { ServedResource } from '../../registry/types.ts';
import type { Entry } from '../../storage/types.ts';
import type { EntryForm, EntryCache } from '../../registry/entry-cache.ts';
import { decodeStoredEntry } from './projection.ts';
import type { KeptPart } from './types.ts';

/** A row without its object. */
export interface Row {
  readonly cells: readonly CellValue[];
  readonly conditions: readonly JsonObject[];
  /** Rows are sorted by ascending rank. */
  readonly rank: number;
}

/** The row as JSON up to the member `object`, with a gap for each age. */
export interface CachedRow {
  /** The text before, between and after the gaps. */
  readonly texts: readonly string[];
  readonly times: readonly TimeSince[];
  /** Where the metadata stand in the stored object. */
  readonly metadata: MetadataRange;
  /** Rows are sorted by ascending rank. */
  readonly rank: number;
}

type SentRow = Omit<CachedRow, 'times'> & { readonly times: readonly { readonly since: number }[] };

/** Columns of a resource that defines none itself. */
const defaultColumns: readonly ColumnDefinition[] = [
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    priority: 0,
    description: 'Name of the object, unique in its scope.',
    cell: (object) => object.metadata.name ?? '',
  },
  {
    name: 'Created At',
    type: 'date',
    format: '',
    priority: 0,
    description: 'Time at which the server created the object.',
    cell: (object) => object.metadata.creationTimestamp ?? null,
  },
];

export class TableRows {
  readonly columns: readonly ColumnDefinition[];
  /** Cached rows. */
  readonly kept: KeptPart;
  private readonly resource: ServedResource;
  private readonly cache: EntryCache;
  private readonly form: EntryForm<CachedRow>;

  constructor(resource: ServedResource, cache: EntryCache) {
    const { columns } = resource.definition;
    this.columns = columns.length === 0 ? defaultColumns : columns;
    this.resource = resource;
    this.cache = cache;
    this.form = cache.form(sizeOf);
    this.kept = {
      has: (entry) => cache.has(entry, this.form),
      make: (entry) => Buffer.from(JSON.stringify(this.makeRow(entry))),
    };
  }

  row(entry: Entry): Row {
    const object = decodeStoredEntry(entry);
    const cells = this.columns.map((column) => this.cell(column, object));
    return { cells, conditions: this.conditions(object), rank: this.rankOf(object) };
  }

  /** As `Projection.rank`. */
  get rank(): ((entry: Entry, made?: Buffer) => number) | undefined {
    if (!this.resource.definition.rowRank) return undefined;
    return (entry, made) => this.cachedRow(entry, made).rank;
  }

  /** @param made what `kept` makes, from another thread */
  cachedRow(entry: Entry, made?: Buffer): CachedRow {
    return this.cache.take(entry, this.form, made ? () => receivedRow(made) : this.makeRow);
  }

  private readonly makeRow = (entry: Entry): CachedRow => {
    const { cells, conditions, rank } = this.row(entry);
    const texts: string[] = [];
    const times: TimeSince[] = [];
    let text = '{"cells":[';
    let separator = '';
    for (const cell of cells) {
      text += separator;
      separator = ',';
      if (cell instanceof TimeSince) {
        texts.push(`${text}"${cell.around.before}`);
        times.push(cell);
        text = `${cell.around.after}"`;
      } else text += JSON.stringify(cell);
    }
    text += ']';
    if (conditions.length > 0) text += `,"conditions":${JSON.stringify(conditions)}`;
    texts.push(`${text},"object":`);
    return { texts, times, metadata: metadataRange(entry.bytes), rank };
  };

  /** One malformed object must not fail the whole list. */
  private cell(column: ColumnDefinition, object: JsonObject): CellValue {
    try {
      return column.cell(asApiObject(object), this.resource.naming);
    } catch {
      return '<invalid>';
    }
  }

  /** Row conditions that clients may use, such as Completed of a finished pod. */
  private conditions(object: JsonObject): JsonObject[] {
    try {
      const marks = this.resource.definition.rowConditions?.(asApiObject(object)) ?? [];
      return marks.map((mark) => ({ ...mark }));
    } catch {
      return [];
    }
  }

  private rankOf(object: JsonObject): number {
    try {
      return this.resource.definition.rowRank?.(asApiObject(object)) ?? 0;
    } catch {
      return 0;
    }
  }
}

/** A row that was made in another thread. */
function receivedRow(made: Buffer): CachedRow {
  const { times, ...row } = JSON.parse(made.toString()) as SentRow;
  return { ...row, times: times.map(({ since }) => new TimeSince(since)) };
}

function sizeOf({ texts, times }: CachedRow): number {
  // At most two bytes per UTF-16 code unit, and overhead for each text and time.
  return texts.reduce((sum, { length }) => sum + 2 * length + 32, 32 * times.length);
}
