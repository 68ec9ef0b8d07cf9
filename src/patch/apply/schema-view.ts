/**
 * How apply sees the values of a schema, worked out once for each: what is owned as one, what its members are called as
 * steps of a path, and in what order these stand. Everything that walks an object along its schema uses it.
 */
import type { JsonValue } from '../../base/json.ts';
import { LazyMap } from '../../base/lazy-map.ts';
import type { ListSchema, Schema, StructSchema } from '../../schema/types.ts';
import type { PathElement } from './path-element.ts';
import { fieldElement } from './path-element.ts';
import { isAtomicList, isAtomicObject, memberSchema } from './topology.ts';

/** A member of an object as apply sees it. */
export interface MemberView {
  readonly element: PathElement;
  /** What it holds. */
  readonly view: View;
  /** A field that a struct names; keys of maps and of free values are data. */
  readonly isDeclared: boolean;
  /** Place of its step among those of the struct's fields; -1 for what is data. */
  readonly rank: number;
}

export class View {
  readonly schema: Schema | undefined;
  /** The schema of a list whose items are owned by themselves. */
  readonly list: ListSchema | undefined;
  private readonly isOneObject: boolean;
  private readonly isOneList: boolean;
  private declared: ReadonlyMap<string, MemberView> | undefined;
  private itemView: View | undefined;

  constructor(schema: Schema | undefined) {
    this.schema = schema;
    this.isOneObject = isAtomicObject(schema);
    this.isOneList = isAtomicList(schema);
    this.list = schema?.type === 'list' && !this.isOneList ? schema : undefined;
  }

  /** True for a value that is owned as one, as `isAtomic` says. */
  isOne(value: JsonValue): boolean {
    if (typeof value !== 'object' || value === null) return true;
    if (Array.isArray(value)) return this.isOneList;
    return this.isOneObject || JSON.isRawJSON(value);
  }

  member(name: string): MemberView {
    this.declared ??= declaredMembers(this.schema);
    const known = this.declared.get(name);
    if (known !== undefined) return known;
    const view = viewOf(memberSchema(this.schema, name));
    return { element: fieldElement(name), view, isDeclared: false, rank: -1 };
  }

  /** What the items of a list are. */
  get items(): View {
    return (this.itemView ??= viewOf(this.list?.items));
  }
}

const views = new WeakMap<Schema, View>();
const free = new View(undefined);

/** How apply sees the values of a schema; undefined: free values. */
export function viewOf(schema: Schema | undefined): View {
  if (schema === undefined) return free;
  let view = views.get(schema);
  if (view === undefined) {
    view = new View(schema);
    views.set(schema, view);
  }
  return view;
}

const noMembers: ReadonlyMap<string, MemberView> = new Map();

function declaredMembers(schema: Schema | undefined): ReadonlyMap<string, MemberView> {
  if (schema?.type !== 'struct') return noMembers;
  const { fields } = schema;
  const ranks = ranksOf(fields);
  return new LazyMap(fields, (name) => {
    const element = fieldElement(name);
    const view = viewOf(fields.get(name)?.schema);
    return { element, isDeclared: true, rank: ranks.get(element) ?? -1, view };
  });
}

/** Of more, texts are compared: to order them all would take longer. */
const mostRanked = 1_000;

/** The order of the elements of fields, among each other. */
function ranksOf(fields: StructSchema['fields']): ReadonlyMap<string, number> {
  if (fields.size > mostRanked) return new Map();
  const elements = [...fields.keys()].map(fieldElement).sort();
  return new Map(elements.map((element, rank) => [element, rank]));
}
