/** The list of entries: order, bounds, reading what clients sent; and sets across versions. */
import type { JsonObject } from '../../../../src/base/json.ts';
import { capManagers } from '../../../../src/patch/apply/cap-managers.ts';
import { encodeFieldsV1 } from '../../../../src/patch/apply/fields-v1.ts';
import { fieldSetOf } from '../../../../src/patch/apply/field-set.ts';
import type { Operation } from '../../../../src/patch/apply/managed-entry.ts';
import { ManagedEntry } from '../../../../src/patch/apply/managed-entry.ts';
import type { ManagedFields } from '../../../../src/patch/apply/managed-fields.ts';
import {
  encodeManagedFields,
  inOrder,
  isReset,
  sentManagedFields,
} from '../../../../src/patch/apply/managed-fields.ts';
import { reconcileFieldSet } from '../../../../src/patch/apply/reconcile-field-set.ts';
import type { Convert } from '../../../../src/patch/apply/converting.ts';
import { PatchError } from '../../../../src/patch/patch-error.ts';
import { thing, World, type Versions } from '../../../support/apply/world.ts';
import { field, scalar, struct } from '../../../support/schema.ts';

interface Some {
  readonly operation?: Operation;
  readonly time?: string;
  readonly apiVersion?: string;
  readonly path?: string;
}

function entry(
  manager: string,
  { operation = 'Update', time = '1', apiVersion = 'v1', path }: Some = {},
): ManagedEntry {
  const parts = { manager, operation, subresource: '', apiVersion, time };
  return ManagedEntry.of(parts, fieldSetOf([[`f:${path ?? manager}`]]));
}

const names = (entries: ManagedFields): string[] => entries.map(({ parts }) => parts.manager);

test('appliers first, then by time, then by name', () => {
  const mixed = [
    entry('c', { time: '2' }),
    entry('b'),
    entry('z', { operation: 'Apply', time: '9' }),
    entry('a'),
  ];
  expect(names(inOrder(mixed))).toEqual(['z', 'a', 'b', 'c']);
});

describe('at most ten updaters', () => {
  const updaters = (count: number, some: Some = {}): ManagedEntry[] =>
    Array.from({ length: count }, (_, i) =>
      entry(`u${String(i).padStart(2, '0')}`, { time: String(10 + i), ...some }),
    );

  test('ten stay as they are, and appliers do not count', () => {
    const entries = [...updaters(10), ...updaters(5, { operation: 'Apply' })];
    expect(capManagers(entries)).toBe(entries);
  });

  test('the oldest are gathered', () => {
    const capped = capManagers(updaters(12));
    expect(capped).toHaveLength(10);
    const gathered = capped.find(({ parts }) => parts.manager === 'ancient-changes');
    expect(gathered?.set.equals(fieldSetOf([['f:u00'], ['f:u01'], ['f:u02']]))).toBe(true);
    expect(gathered?.parts).toMatchObject({ operation: 'Update', apiVersion: 'v1', time: '12' });
  });

  test('and go on being gathered in the same entry', () => {
    const again = capManagers([...capManagers(updaters(11)), entry('new', { time: '0' })]);
    expect(names(again).filter((name) => name === 'ancient-changes')).toHaveLength(1);
    expect(again).toHaveLength(10);
  });

  test('by version', () => {
    const capped = capManagers([entry('old', { time: '0', apiVersion: 'v0' }), ...updaters(11)]);
    expect(capped).toHaveLength(10);
    expect(names(capped)).toContain('old');
  });
});

describe('what clients send', () => {
  const object = (managedFields: unknown): JsonObject => ({ metadata: { managedFields } }) as JsonObject;

  test.each<[unknown, boolean]>([
    [[{}], true],
    [[{ manager: '', operation: '' }], true],
    [[], false],
    [undefined, false],
    [[{}, {}], false],
    [[{ manager: 'm' }], false],
  ])('%j resets: %j', (list, expected) => {
    expect(isReset(object(list))).toBe(expected);
  });

  test('is put into canonical form; entries without fields are dropped', () => {
    const sent = [
      { manager: 'm', operation: 'Update', fieldsV1: { 'f:b': {}, 'f:a': { 'k:{"y":1, "x":2}': {} } } },
      { manager: 'n', operation: 'Update', fieldsV1: {} },
    ];
    expect(JSON.stringify(encodeManagedFields(sentManagedFields(object(sent))))).toBe(
      '[{"manager":"m","operation":"Update","apiVersion":"","fieldsType":"FieldsV1",' +
        '"fieldsV1":{"f:a":{"k:{\\"x\\":2,\\"y\\":1}":{}},"f:b":{}}}]',
    );
    expect(encodeManagedFields([])).toBeUndefined();
  });

  test.each<[unknown]>([[['x']], [[{ fieldsV1: { nonsense: {} } }]]])('%j is refused', (list) => {
    expect(() => sentManagedFields(object(list))).toThrow(PatchError);
  });
});

describe('an entry answers from its JSON', () => {
  const set = fieldSetOf([['f:a'], ['f:a', 'f:b'], ['f:c', 'f:d']]);
  const read = ManagedEntry.read(
    JSON.parse(JSON.stringify(ManagedEntry.of(entry('m').parts, set).toJson())) as JsonObject,
  );

  test.each<[string[][], boolean, boolean, boolean]>([
    [[['f:a'], ['f:a', 'f:b'], ['f:c', 'f:d']], true, true, true],
    [[['f:a']], true, true, false],
    [[['f:c']], true, false, false],
    [[['f:c', 'f:e']], false, false, false],
    [[['f:a'], ['f:x']], true, false, false],
    [[], false, true, false],
  ])('%j: touches %j, owns %j, exactly %j', (paths, touches, owns, exactly) => {
    const asked = fieldSetOf(paths);
    const isExact = read.hasExactly(encodeFieldsV1(asked));
    expect([read.touches(asked), read.owns(asked), isExact]).toEqual([touches, owns, exactly]);
  });

  test('and keeps it', () => {
    expect(read.withSet(read.set)).toBe(read);
    expect(read.at('9').toJson()).toEqual({ ...read.toJson(), time: '9' });
  });
});

test('a set that fits its schema is the same set', () => {
  const set = fieldSetOf([
    ['f:text'],
    ['f:containers', 'k:{"name":"a"}', 'f:image'],
    ['f:free', 'f:x', 'f:y'],
  ]);
  expect(reconcileFieldSet(set, thing)).toBe(set);
  const stale = fieldSetOf([['f:atomicMap', 'f:a'], ['f:text', 'f:below'], ['f:replicas']]);
  expect(
    reconcileFieldSet(stale, thing).equals(fieldSetOf([['f:atomicMap'], ['f:text'], ['f:replicas']])),
  ).toBe(true);
});

describe('versions', () => {
  /** v1 keeps in `pair` what v0 kept in two fields. */
  const v0 = struct('Old', [
    field('left', scalar('string')),
    field('right', scalar('string')),
    field('text', scalar('string')),
  ]);
  const pair = struct('Pair', [field('left', scalar('string')), field('right', scalar('string'))]);
  const v1 = struct('New', [field('pair', pair, { pointer: true }), field('text', scalar('string'))]);
  const up = ({ left, right, ...rest }: JsonObject): JsonObject => ({
    ...rest,
    ...((left ?? right) !== undefined && {
      pair: { ...(left !== undefined && { left }), ...(right !== undefined && { right }) },
    }),
  });
  const down = ({ pair: both, ...rest }: JsonObject): JsonObject => ({
    ...rest,
    ...(both as JsonObject | undefined),
  });
  const convert: Convert = ({ object, to }) => (to === 'v1' ? up(object) : down(object));
  const inV0: Versions = {
    ...{ apiVersion: 'v0', schema: v0 },
    schemaOf: (version) => (version === 'v1' ? v1 : undefined),
    convert,
  };
  const inV1: Versions = {
    ...{ apiVersion: 'v1', schema: v1 },
    schemaOf: (version) => (version === 'v0' ? v0 : undefined),
    convert,
  };
  const inNew = (world: World): World => {
    world.object = world.object && up(world.object);
    return world;
  };
  const start = (): World =>
    inNew(new World(inV0).apply('m', { left: 'l', right: 'r', text: 't' }, { versions: inV0 }));

  test('a field owned in the old version is a conflict in the new one', () => {
    expect(() => start().apply('n', { pair: { left: 'x' } }, { versions: inV1 })).toThrow(
      'Apply failed with 1 conflict: conflict with "m": .left',
    );
  });

  test('a field dropped in the new version goes, though it was owned in the old one', () => {
    const world = start().apply('m', { pair: { left: 'l' } }, { versions: inV1 });
    expect(world.object).toEqual({ pair: { left: 'l' } });
    expect(world.fields('m')).toEqual({ 'f:pair': { 'f:left': {} } });
  });

  test('a field that another owns in the old version stays', () => {
    const world = start().apply('n', { pair: { left: 'l', right: 'r' } }, { versions: inV1 });
    world.apply('n', { text: 't' }, { versions: inV1 });
    expect(world.object).toEqual({ pair: { left: 'l', right: 'r' }, text: 't' });
  });

  test('an update takes it', () => {
    const world = start().update('u', { pair: { left: 'x', right: 'r' }, text: 't' }, { versions: inV1 });
    expect(world.fields('m')).toEqual({ 'f:right': {}, 'f:text': {} });
  });

  test('what was owned in a version that is gone is nobody’s', () => {
    const gone: Versions = { ...inV1, schemaOf: () => undefined };
    const world = start().apply('n', { pair: { left: 'x' } }, { versions: gone });
    expect(world.managers).toEqual(['n Apply']);
    const dropped = start().apply('m', { text: 't' }, { versions: gone });
    expect(dropped.object).toEqual({ pair: { left: 'l', right: 'r' }, text: 't' });
  });
});
