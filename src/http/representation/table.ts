/** Tables (`as=Table`), which kubectl prints. Columns come from the definition of the resource. */
import { TimeSince } from '../../api/columns/human-duration.ts';
import type { CellValue, ColumnDefinition } from '../../api/types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { TypeMeta } from '../../codec/protobuf/codec.ts';
import { metaGroup } from '../../meta/naming.ts';
import type { ServedResource } from '../../registry/types.ts';
import type { Entry, Revision } from '../../storage/types.ts';
import { type JsonItems, MetadataItems, wholeObjects } from './json-items.ts';
import type { EntryCache } from '../../registry/entry-cache.ts';
import { listMetadata } from './list-head.ts';
import type { Projection } from './projection.ts';
import { decodeStoredEntry, inRequestVersion, metadataOf } from './projection.ts';
import { TableRows } from './table-rows.ts';

/** The part of the object in a row (`includeObject`). */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  /** `v1` or `v1beta1`. */
  readonly version: string;
  readonly includeObject: IncludeObject;
  /** The current time, for ages. */
  readonly now: () => Date;
  readonly kept: EntryCache;
  /** False if an earlier table of the watch has named the columns. */
  readonly namesColumns?: boolean;
}

export class Table implements Projection {
  readonly id: string;
  readonly isStable = false;
  readonly itemsField = 'rows';
  readonly itemType: TypeMeta;
  readonly listType: TypeMeta;
  private readonly resource: ServedResource;
  private readonly options: TableOptions;
  private readonly rows: TableRows;
  private readonly apiVersion: string;
  private readonly columnDefinitions: JsonObject[] | null;

  constructor(resource: ServedResource, options: TableOptions) {
    this.id = `table/${options.version}/${options.includeObject}`;
    this.resource = resource;
    this.options = options;
    this.rows = new TableRows(resource, options.kept);
    this.apiVersion = `${metaGroup(resource.naming)}/${options.version}`;
    this.itemType = { kind: 'Table', apiVersion: this.apiVersion };
    this.listType = this.itemType;
    this.columnDefinitions = options.namesColumns === false ? null : definitionsOf(this.rows.columns);
  }

  /** The form of a watch after its first table. */
  get withoutColumns(): Table {
    return new Table(this.resource, { ...this.options, namesColumns: false });
  }

  listHead(result: Parameters<Projection['listHead']>[0]): JsonObject {
    return this.head({ ...listMetadata(result) });
  }

  object(entry: Entry): JsonObject {
    return { ...this.objectHead(entry), rows: [this.item(entry)] };
  }

  item(entry: Entry): JsonObject {
    const now = this.options.now().getTime();
    const { cells, conditions } = this.rows.row(entry);
    return {
      cells: cells.map((cell) => cellAt(cell, now)),
      ...(conditions.length > 0 && { conditions: [...conditions] }),
      object: this.rowObject(entry),
    };
  }

  get rank(): Projection['rank'] {
    return this.rows.rank;
  }

  bookmark(revision: Revision): JsonObject {
    return { ...this.head({ resourceVersion: String(revision) }), rows: [] };
  }

  /** Rows as JSON, from the cache. */
  get jsonItems(): JsonItems {
    const { now, includeObject, kept } = this.options;
    const { rows, resource } = this;
    const metadata = new MetadataItems({ kind: 'PartialObjectMetadata', apiVersion: this.apiVersion }, kept);
    const whole = wholeObjects(resource, kept);
    const isQuick = includeObject !== 'Object' || resource.conversion.isInternal;
    return {
      ...(isQuick && { kept: rows.kept }),
      write(entry, target, made) {
        const row = rows.cachedRow(entry, made);
        const at = now().getTime();
        row.texts.forEach((text, index) => {
          if (index > 0) target.text(row.times[index - 1]?.duration(at) ?? '');
          target.text(text);
        });
        if (includeObject === 'Metadata') metadata.writeRange(row.metadata, entry, target);
        else if (includeObject === 'Object') whole.write(entry, target);
        else target.text('null');
        target.text('}');
      },
    };
  }

  /** A table of one row. */
  jsonObjects(items: JsonItems): JsonItems {
    const write: JsonItems['write'] = (entry, target, made) => {
      target.text(`${JSON.stringify(this.objectHead(entry)).slice(0, -1)},"rows":[`);
      items.write(entry, target, made);
      target.text(']}');
    };
    return { write };
  }

  /** The ages that a row shows now. */
  readonly timesIn = (entry: Entry, made?: Buffer): string => {
    const now = this.options.now().getTime();
    return this.rows
      .cachedRow(entry, made)
      .times.map((time) => time.duration(now))
      .join();
  };

  private objectHead({ modRevision }: Entry): JsonObject {
    return this.head(modRevision === 0 ? {} : { resourceVersion: String(modRevision) });
  }

  private head(metadata: JsonObject): JsonObject {
    return { ...this.itemType, metadata, columnDefinitions: this.columnDefinitions };
  }

  private rowObject(entry: Entry): JsonValue {
    switch (this.options.includeObject) {
      case 'None':
        return null;
      case 'Metadata':
        return metadataOf(decodeStoredEntry(entry), this.apiVersion);
      case 'Object':
        return inRequestVersion(this.resource, entry);
    }
  }
}

function definitionsOf(columns: readonly ColumnDefinition[]): JsonObject[] {
  return columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

function cellAt(cell: CellValue, now: number): JsonValue {
  return cell instanceof TimeSince ? cell.text(now) : cell;
}
