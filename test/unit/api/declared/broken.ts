/** Breaks one declared rule of one value in a valid object, and says which error that must give. */
import type { JsonArray, JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { deepCopy, isObject } from '../../../../src/base/json.ts';
import type { FieldErrorReason } from '../../../../src/meta/field-error.ts';
import type { Schema } from '../../../../src/schema/types.ts';

export interface DeclaredRule {
  /** `resource/v1.Device`. */
  readonly type: string;
  readonly field: string;
  readonly rule: string;
  readonly value: string;
}

export interface Breach {
  readonly object: JsonObject;
  /** Beginnings of the paths at which the error may be; the longest that fits is not asked for. */
  readonly at: string;
  readonly reason: FieldErrorReason;
  /** The rule is about the change. */
  readonly isUpdate: boolean;
}

/** A struct within an object. */
interface Place {
  readonly steps: readonly (string | number)[];
  readonly path: string;
}

/** The first struct of a type (`resource.Device`, in any version) within a value. */
export function findType(
  schema: Schema,
  value: JsonValue,
  type: string,
  place: Place = root,
): Place | undefined {
  if (Array.isArray(value)) {
    if (schema.type !== 'list') return undefined;
    return first(value.entries(), ([i, item]) =>
      findType(schema.items, item, type, { steps: [...place.steps, i], path: `${place.path}[${String(i)}]` }),
    );
  }
  if (!isObject(value)) return undefined;
  if (schema.type === 'struct' && unversioned(schema.name) === type) return place;
  return first(Object.entries(value), ([key, member]) => {
    const inner = schema.type === 'struct' ? schema.fields.get(key)?.schema : innerOf(schema);
    const path = schema.type === 'map' ? `${place.path}[${key}]` : joined(place.path, key);
    return inner && findType(inner, member ?? null, type, { steps: [...place.steps, key], path });
  });
}

const root: Place = { steps: [], path: '' };

function innerOf(schema: Schema): Schema | undefined {
  return schema.type === 'map' ? schema.values : undefined;
}

function first<T, R>(items: Iterable<T>, find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `resource/v1.Device` without its version. */
export function unversioned(name: string): string {
  return name.replace(/\/v[0-9a-z]+\./, '.');
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

const badName = 'Not valid_!';

/** The object with the rule broken; undefined where the rule allows everything. */
export function broken(object: JsonObject, { steps, path }: Place, rule: DeclaredRule): Breach | undefined {
  const copy = deepCopy(object);
  const struct = steps.reduce<JsonValue>((at, step) => (at as never)[step], copy) as JsonObject;
  const breach = breakOne(struct, rule);
  if (!breach) return undefined;
  const { at = joined(path, rule.field), reason, isUpdate = false } = breach;
  return { object: copy, at: at === 'struct' ? path : at, reason, isUpdate };
}

interface Found {
  readonly at?: string;
  readonly reason: FieldErrorReason;
  readonly isUpdate?: boolean;
}

type Break = (struct: JsonObject, rule: DeclaredRule) => Found | undefined;

const sized: Break = (struct, { field, value }) => {
  struct[field] = 'a'.repeat(Number(value) + 1);
  return { reason: 'FieldValueTooLong' };
};
const altered: Break = (struct, { field }) => {
  struct[field] = changed(struct[field] ?? null);
  return { reason: 'FieldValueInvalid', isUpdate: true };
};
const united: Break = (struct, { field, rule, value }) => both(struct, field, rule, value);

/** What breaks each rule; all mutate the struct. */
const breaks: Readonly<Record<string, Break>> = {
  required: (struct, { field }) => {
    Reflect.deleteProperty(struct, field);
    return { reason: 'FieldValueRequired' };
  },
  maxItems: (struct, { field, value }) => {
    struct[field] = many(struct[field], field, Number(value) + 1);
    return { reason: 'FieldValueTooMany' };
  },
  maxLength: sized,
  maxBytes: sized,
  minimum: (struct, { field, value }) => {
    // Zero may be as good as nothing.
    struct[field] = Number(value) - 1 || -1;
    return { reason: 'FieldValueInvalid' };
  },
  maximum: (struct, { field, value }) => {
    struct[field] = Number(value) + 1;
    return { reason: 'FieldValueInvalid' };
  },
  format: (struct, { field, value }) => {
    struct[field] = value === 'k8s-path-segment-name' ? 'a/b' : badName;
    return { reason: 'FieldValueInvalid' };
  },
  eachKey: (struct, { field }) => {
    struct[field] = { [badName]: Object.values(struct[field] as JsonObject)[0] ?? null };
    return { reason: 'FieldValueInvalid' };
  },
  unique: (struct, { field }) => {
    const current = struct[field];
    const [item = itemOf(field)] = Array.isArray(current) ? current : [];
    struct[field] = [item, deepCopy(item)];
    return { reason: 'FieldValueDuplicate' };
  },
  immutable: altered,
  update: altered,
  oneOf: united,
  unionMember: united,
  zeroOrOneOf: united,
  'subfield(name)': (struct) => {
    struct['metadata'] = { ...(struct['metadata'] as JsonObject), name: badName };
    return { at: 'metadata.name', reason: 'FieldValueInvalid' };
  },
};

function breakOne(struct: JsonObject, rule: DeclaredRule): Found | undefined {
  const make = breaks[rule.rule];
  return make ? make(struct, rule) : conditional(struct, rule.field, rule.rule + rule.value);
}

/** Valid values of members of unions. */
const members: Readonly<Record<string, JsonValue>> = {
  ...{
    bool: true,
    bools: [true],
    int: 1,
    ints: [1],
    string: 'a',
    strings: ['a'],
    version: '1.0.0',
    versions: ['1.0.0'],
  },
  ...{ validValues: ['1Gi'], validRange: { min: '1Gi' } },
  ...{ nodeName: 'n', allNodes: true, perDeviceNodeSelection: true },
  nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] },
  ...{ matchAttribute: 'a.example.com/b', distinctAttribute: 'a.example.com/b' },
  exactly: { deviceClassName: 'gpu' },
  firstAvailable: [{ name: 'a', deviceClassName: 'gpu' }],
  devices: [{ name: 'd' }],
  sharedCounters: [{ name: 's', counters: { memory: { value: '1' } } }],
  ...{ resourceClaimName: 'a', resourceClaimTemplateName: 'a', basic: {}, gang: { minCount: 1 } },
};

/** Members of a union with others of the same. */
const companions: Readonly<Record<string, string>> = {
  ...{
    bool: 'int',
    bools: 'int',
    int: 'bool',
    ints: 'int',
    string: 'int',
    strings: 'int',
    version: 'int',
    versions: 'int',
  },
  ...{ validValues: 'validRange', validRange: 'validValues', nodeName: 'allNodes', nodeSelector: 'allNodes' },
  ...{
    allNodes: 'nodeName',
    perDeviceNodeSelection: 'allNodes',
    devices: 'sharedCounters',
    sharedCounters: 'devices',
  },
  ...{ matchAttribute: 'distinctAttribute', distinctAttribute: 'matchAttribute' },
  ...{ exactly: 'firstAvailable', firstAvailable: 'exactly', basic: 'gang', gang: 'basic' },
  resourceClaimName: 'resourceClaimTemplateName',
  resourceClaimTemplateName: 'resourceClaimName',
};

/** Sets two members of a union, or none where it has one. */
function both(struct: JsonObject, field: string, rule: string, group: string): Found | undefined {
  // The only member, which another field decides about.
  if (group === 'AllocationMode') {
    struct['allocationMode'] = 'All';
    struct[field] = 2;
    return { reason: 'FieldValueForbidden' };
  }
  const companion = companions[field];
  if (companion === undefined) {
    Reflect.deleteProperty(struct, field);
    return { at: 'struct', reason: rule === 'oneOf' ? 'FieldValueRequired' : 'FieldValueInvalid' };
  }
  struct[field] = members[field] ?? null;
  struct[companion] = members[companion] ?? null;
  return { at: 'struct', reason: 'FieldValueInvalid' };
}

/** Rules that hold for some values of a sibling, or of a gate that is on here. */
function conditional(struct: JsonObject, field: string, rule: string): Found | undefined {
  const [, member, what] = /^member\("(\w+)"\)\+(\w+)/.exec(rule) ?? [];
  if (member !== undefined) {
    struct['type'] = member;
    if (what === 'required') Reflect.deleteProperty(struct, field);
    else if (what === 'forbidden') struct[field] ??= {};
    else return undefined;
    return { reason: what === 'required' ? 'FieldValueRequired' : 'FieldValueForbidden' };
  }
  const [, inner, argument = ''] = /^ifEnabled\([^)]*\)\+([a-z]+)=?(-?[\w-]*)/i.exec(rule) ?? [];
  return inner === undefined
    ? undefined
    : breakOne(struct, { type: '', field, rule: inner, value: argument });
}

/** An item of a list that the sample does not have. */
function itemOf(field: string): JsonValue {
  if (field === 'firstAvailable') return { name: 'a', deviceClassName: 'gpu' };
  return field === 'sharedCounters' ? { name: 's', counters: { memory: { value: '1' } } } : 'a';
}

/** So many different items. */
function many(current: JsonValue | undefined, field: string, count: number): JsonArray {
  const [item = itemOf(field)] = Array.isArray(current) ? current : [];
  return Array.from({ length: count }, (_, i) => {
    if (!isObject(item)) return `${JSON.stringify(item)}${String(i)}`;
    return 'name' in item ? { ...item, name: `n${String(i)}` } : { ...item };
  });
}

/** Another valid value of the same shape. */
function changed(value: JsonValue): JsonValue {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return others.get(value) ?? `${value}x`;
  if (Array.isArray(value)) return value.slice(1);
  if (!isObject(value)) return { a: 'b' };
  const copy = deepCopy(value);
  const key = Object.keys(copy).find((name) => copy[name] !== undefined) ?? '';
  copy[key] = changed(copy[key] ?? null);
  return copy;
}

const others = new Map([
  ['IPv4', 'IPv6'],
  ['Delete', 'Retain'],
  ['Immediate', 'WaitForFirstConsumer'],
  ['Pod', 'PodGroup'],
]);
