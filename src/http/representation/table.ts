/** Tables (`as=Table`): what command lines print. Columns come from the resource's definition. */
import type { ColumnDefinition } from '../../api/types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { TypeMeta } from '../../codec/protobuf/codec.ts';
import { asApiObject } from '../../meta/object.ts';
import { metaGroup } from '../../meta/naming.ts';
import type { ServedResource } from '../../registry/types.ts';
import type { Entry } from '../../storage/types.ts';
import { listMetadata } from './list-head.ts';
import type { Projection } from './projection.ts';
import { decodeStoredEntry, inRequestVersion, metadataOf } from './projection.ts';

/** How much of the object a row carries. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  /** `v1` or `v1beta1`. */
  readonly version: string;
  readonly includeObject: IncludeObject;
  /** Now, for ages. */
  readonly now: () => Date;
}

/** Columns of a resource that defines none. */
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

export function tableOf(resource: ServedResource, options: TableOptions): Projection {
  return new TableProjection(resource, options);
}

class TableProjection implements Projection {
  readonly id: string;
  readonly isStable = false;
  readonly itemsField = 'rows';
  readonly itemType: TypeMeta;
  readonly listType: TypeMeta;
  private readonly resource: ServedResource;
  private readonly options: TableOptions;
  private readonly columns: readonly ColumnDefinition[];
  private readonly columnDefinitions: JsonObject[];
  private readonly apiVersion: string;

  constructor(resource: ServedResource, options: TableOptions) {
    this.id = `table/${options.version}/${options.includeObject}`;
    this.resource = resource;
    this.options = options;
    this.apiVersion = `${metaGroup(resource.naming)}/${options.version}`;
    this.itemType = { kind: 'Table', apiVersion: this.apiVersion };
    this.listType = this.itemType;
    const { columns } = resource.definition;
    this.columns = columns.length === 0 ? defaultColumns : columns;
    this.columnDefinitions = this.columns.map(({ name, type, format, description, priority }) => ({
      name,
      type,
      format,
      description,
      priority,
    }));
  }

  listHead(result: Parameters<Projection['listHead']>[0]): JsonObject {
    return this.head({ ...listMetadata(result) });
  }

  object(entry: Entry): JsonObject {
    const metadata: JsonObject =
      entry.modRevision === 0 ? {} : { resourceVersion: String(entry.modRevision) };
    return { ...this.head(metadata), rows: [this.item(entry)] };
  }

  item(entry: Entry): JsonObject {
    const object = decodeStoredEntry(entry);
    const now = this.options.now();
    const cells = this.columns.map((column) => this.cell(column, object, now));
    const conditions = this.conditions(object);
    return { cells, ...(conditions.length > 0 && { conditions }), object: this.rowObject(object, entry) };
  }

  bookmark(revision: number): JsonObject {
    return { ...this.head({ resourceVersion: String(revision) }), rows: [] };
  }

  private head(metadata: JsonObject): JsonObject {
    return { ...this.itemType, metadata, columnDefinitions: this.columnDefinitions };
  }

  /** One odd object must not take the whole list from everybody. */
  private cell(column: ColumnDefinition, object: JsonObject, now: Date): JsonValue {
    try {
      return column.cell(asApiObject(object), now, this.resource.naming);
    } catch {
      return '<invalid>';
    }
  }

  /** Marks that clients may act upon: of a finished pod, for one. */
  private conditions(object: JsonObject): JsonObject[] {
    try {
      const marks = this.resource.definition.rowConditions?.(asApiObject(object)) ?? [];
      return marks.map((mark) => ({ ...mark }));
    } catch {
      return [];
    }
  }

  private rowObject(object: JsonObject, entry: Entry): JsonValue {
    switch (this.options.includeObject) {
      case 'None':
        return null;
      case 'Metadata':
        return metadataOf(object, this.apiVersion);
      case 'Object':
        return inRequestVersion(this.resource, entry);
    }
  }
}
