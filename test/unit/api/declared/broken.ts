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
  const breach = break_(struct, rule);
  if (!breach) return undefined;
  const { at = joined(path, rule.field), reason, isUpdate = false } = breach;
  return { object: copy, at: at === 'struct' ? path : at, reason, isUpdate };
}

interface Found {
  readonly at?: string;
  readonly reason: FieldErrorReason;
  readonly isUpdate?: boolean;
}

/** Mutates the struct. */
function break_(struct: JsonObject, { field, rule, value }: DeclaredRule): Found | undefined {
  const current = struct[field];
  switch (rule) {
    case 'required':
      Reflect.deleteProperty(struct, field);
      return { reason: 'FieldValueRequired' };
    case 'maxItems':
      struct[field] = many(current, field, Number(value) + 1);
      return { reason: 'FieldValueTooMany' };
    case 'maxLength':
    case 'maxBytes':
      struct[field] = 'a'.repeat(Number(value) + 1);
      return { reason: 'FieldValueTooLong' };
    case 'minimum':
      struct[field] = Number(value) - 1;
      return { reason: 'FieldValueInvalid' };
    case 'maximum':
      struct[field] = Number(value) + 1;
      return { reason: 'FieldValueInvalid' };
    case 'format':
      struct[field] = badName;
      return { reason: 'FieldValueInvalid' };
    case 'eachKey':
      struct[field] = { [badName]: Object.values(current as JsonObject)[0] ?? null };
      return { reason: 'FieldValueInvalid' };
    case 'unique': {
      const [item = itemOf(field)] = Array.isArray(current) ? current : [];
      struct[field] = [item, deepCopy(item)];
      return { reason: 'FieldValueDuplicate' };
    }
    case 'immutable':
      struct[field] = changed(current ?? null);
      return { reason: 'FieldValueInvalid', isUpdate: true };
    case 'update':
      struct[field] = changed(current ?? null);
      return { reason: 'FieldValueInvalid', isUpdate: true };
    case 'oneOf':
    case 'unionMember':
    case 'zeroOrOneOf':
      return both(struct, field, rule, value);
    case 'subfield(name)':
      if (value === '+optional') return undefined;
      struct['metadata'] = { ...(struct['metadata'] as JsonObject), name: badName };
      return { at: 'metadata.name', reason: 'FieldValueInvalid' };
    default:
      return conditional(struct, field, rule + value);
  }
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
  return inner === undefined ? undefined : break_(struct, { type: '', field, rule: inner, value: argument });
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
    if (!isObject(item)) return `${String(item)}${String(i)}`;
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
