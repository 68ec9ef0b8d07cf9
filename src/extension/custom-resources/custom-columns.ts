/** Printer columns of custom resources: the name, then those of the definition, or the age if there are none. */
import type { CustomResourceColumnDefinition as Column } from '../../api/apiextensions/v1.types.ts';
import { ageOf } from '../../api/columns/human-duration.ts';
import { nameColumn } from '../../api/columns/columns.ts';
import type { CellValue, ColumnDefinition } from '../../api/types.ts';
import type { JsonValue } from '../../base/json.ts';
import { fullWork, parseJsonPath, type JsonPath, type Work } from '../../base/json-path.ts';
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
  const budgets = new WeakMap<ApiObject, RowBudget>();
  const budgetOf = (object: ApiObject): RowBudget => {
    let budget = budgets.get(object);
    if (!budget) budgets.set(object, (budget = { work: fullWork(), textLeft: maxRowText }));
    return budget;
  };
  return [nameColumn, ...own.map((column) => columnOf(column, budgetOf))];
}

/** What the columns of a row may do together: a definition may have thousands, and each may show the whole object. */
interface RowBudget {
  readonly work: Work;
  /** UTF-16 code units. */
  textLeft: number;
}

/** The text of a row in UTF-16 code units; cells beyond it are empty. */
const maxRowText = 1024 * 1024;

function columnOf(column: Column, budgetOf: (object: ApiObject) => RowBudget): ColumnDefinition {
  const { name = '', format = '', priority = 0, description = '' } = column;
  const type = (column.type ?? 'string') as ColumnDefinition['type'];
  // Most definitions are never shown as a Table.
  let parsed: JsonPath | undefined;
  const valuesOf: JsonPath = (object, work) =>
    (parsed ??= parseJsonPath(column.jsonPath ?? ''))(object, work);
  return {
    ...{ name, type, format, priority, description },
    cell: (object: ApiObject) => {
      const budget = budgetOf(object);
      const [value] = budget.textLeft > 0 ? valuesOf(asJson(object), budget.work) : [];
      const cell = value === undefined ? null : cellOf(type, value);
      if (typeof cell === 'string') budget.textLeft -= cell.length;
      return typeof cell === 'string' && budget.textLeft < 0 ? null : cell;
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
