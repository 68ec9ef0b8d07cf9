/** Printer columns of custom resources: the name, then those of the definition, or the age if there are none. */
import type { CustomResourceColumnDefinition as Column } from '../../api/apiextensions/v1.types.ts';
import { ageOf } from '../../api/columns/human-duration.ts';
import { nameColumn } from '../../api/columns/columns.ts';
import type { CellValue, ColumnDefinition } from '../../api/types.ts';
import type { JsonValue } from '../../base/json.ts';
import { parseJsonPath } from '../../base/json-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asJson } from '../../meta/object.ts';

const age: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created.',
};

export function customColumns(columns: readonly Column[] | undefined): ColumnDefinition[] {
  const own = columns && columns.length > 0 ? columns : [age];
  return [nameColumn, ...own.map(columnOf)];
}

function columnOf(column: Column): ColumnDefinition {
  const { name = '', format = '', priority = 0, description = '' } = column;
  const type = (column.type ?? 'string') as ColumnDefinition['type'];
  const path = parseJsonPath(column.jsonPath ?? '');
  return {
    ...{ name, type, format, priority, description },
    cell: (object: ApiObject) => {
      const [value] = path(asJson(object));
      return value === undefined ? null : cellOf(type, value);
    },
  };
}

/** A value of another type is an empty cell. */
function cellOf(type: ColumnDefinition['type'], value: JsonValue): CellValue {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : value === null ? null : JSON.stringify(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : JSON.isRawJSON(value) ? value : null;
    case 'number':
      return typeof value === 'number' || JSON.isRawJSON(value) ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string'
        ? Number.isNaN(Date.parse(value))
          ? '<invalid>'
          : ageOf(value)
        : null;
  }
}
