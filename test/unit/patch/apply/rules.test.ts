/** The rules of server-side apply (specification), one block each, on objects in memory. */
import type { JsonObject } from '../../../../src/base/json.ts';
import type { Versions } from '../../../../src/patch/apply/versions.ts';
import { PatchError } from '../../../../src/patch/patch-error.ts';
import { oneVersion, World } from '../../../support/apply/world.ts';
import { field, listOf, mapOf, scalar, struct } from '../../../support/schema.ts';

const a = { name: 'a', image: 'x:1' };

describe('rule 1: the body holds what its sender has an opinion about', () => {
  test('and nothing else of the object changes', () => {
    const world = new World().update('u', { text: 't', replicas: 1, containers: [a] });
    world.apply('m', { metadata: { labels: { app: 'x' } } });
    expect(world.object).toEqual({
      ...{ text: 't', replicas: 1, containers: [a] },
      metadata: { labels: { app: 'x' } },
    });
    expect(world.fields('m')).toEqual({ 'f:metadata': { 'f:labels': { 'f:app': {} } } });
  });
});

describe('rule 3: only apply fails on conflicts', () => {
  test('an update takes the field from its applier', () => {
    const world = new World().apply('m', { replicas: 1, text: 't' });
    world.update('u', { replicas: 2, text: 't' });
    expect(world.fields('m')).toEqual({ 'f:text': {} });
    expect(world.fields('u', 'Update')).toEqual({ 'f:replicas': {} });
  });
});

describe('rule 4: a changed field is owned by the writer', () => {
  test('a create owns all it sends, the containers too', () => {
    const world = new World().update('u', {
      metadata: { name: 'n', labels: { app: 'x' } },
      containers: [{ ...a, ports: [{ port: 80, protocol: 'TCP' }] }],
      free: { k: [1] },
    });
    expect(world.fields('u', 'Update')).toEqual({
      'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
      'f:containers': {
        '.': {},
        'k:{"name":"a"}': {
          '.': {},
          'f:image': {},
          'f:name': {},
          'f:ports': {
            '.': {},
            'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:protocol': {} },
          },
        },
      },
      'f:free': { '.': {}, 'f:k': {} },
    });
  });

  test('an update owns only what differs', () => {
    const world = new World().update('u', { replicas: 1, text: 't', containers: [a] });
    world.update('v', { replicas: 1, text: 'other', containers: [{ ...a, image: 'x:2' }] });
    expect(world.fields('v', 'Update')).toEqual({
      'f:containers': { 'k:{"name":"a"}': { 'f:image': {} } },
      'f:text': {},
    });
  });

  test('what an update removes is nobody’s', () => {
    const world = new World().apply('m', { replicas: 1, text: 't' }).update('u', { text: 't' });
    expect(world.fields('m')).toEqual({ 'f:text': {} });
    expect(world.managers).toEqual(['m Apply']);
  });
});

describe('rule 5: equal values are shared', () => {
  const shared = (): World => new World().apply('m', { replicas: 3 }).apply('n', { replicas: 3 });

  test('without a conflict', () => {
    expect(shared().managers).toEqual(['m Apply', 'n Apply']);
  });

  test('a change by either is a conflict with the other', () => {
    expect(shared().conflicts('m', { replicas: 4 })).toEqual(['.replicas conflict with "n"']);
    expect(shared().conflicts('n', { replicas: 4 })).toEqual(['.replicas conflict with "m"']);
  });

  test('who removes the field gives up his share, the value stays', () => {
    const world = shared().apply('n', { text: 't' });
    expect(world.object).toEqual({ replicas: 3, text: 't' });
    expect(world.apply('m', { replicas: 4 }).object).toEqual({ replicas: 4, text: 't' });
  });
});

describe('rule 6: a conflict', () => {
  const world = (): World => new World().update('kubectl', { replicas: 1, text: 't', containers: [a] });

  test('names every manager and field', () => {
    const config = { replicas: 2, containers: [{ name: 'a', image: 'x:2' }] };
    expect(world().conflicts('m', config)).toEqual([
      '.containers[name="a"].image conflict with "kubectl" using v1',
      '.replicas conflict with "kubectl" using v1',
    ]);
    expect(() => world().apply('m', config)).toThrow(
      'Apply failed with 2 conflicts: conflicts with "kubectl" using v1:\n- .containers[name="a"].image\n- .replicas',
    );
    expect(() => world().apply('m', { replicas: 2 })).toThrow(
      'Apply failed with 1 conflict: conflict with "kubectl" using v1: .replicas',
    );
  });

  test('names the subresource', () => {
    const status = new World().update('kubelet', { text: 'Running' }, { subresource: 'status' });
    expect(status.conflicts('m', { text: 'x' })).toEqual([
      '.text conflict with "kubelet" with subresource "status" using v1',
    ]);
  });

  test('force overwrites and takes the field from all others', () => {
    const forced = world().apply('n', { replicas: 1 }).apply('m', { replicas: 2 }, { force: true });
    expect(forced.object).toMatchObject({ replicas: 2, text: 't' });
    expect(forced.managers).toEqual(['m Apply', 'kubectl Update']);
    expect(forced.fields('kubectl', 'Update')).not.toHaveProperty('f:replicas');
  });

  test('leaving the field out leaves value and owner', () => {
    const left = world().apply('m', { text: 't' });
    expect(left.object).toMatchObject({ replicas: 1 });
    expect(left.conflicts('m', { replicas: 2 })).toHaveLength(1);
  });

  test('the live value makes a shared owner', () => {
    expect(world().apply('m', { replicas: 1 }).managers).toEqual(['m Apply', 'kubectl Update']);
  });
});

describe('rule 7: what an applier drops', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['fields', { text: 't', replicas: 1 }, { text: 't' }, { text: 't' }],
    [
      'map keys',
      { metadata: { labels: { a: 'x', b: 'y' } } },
      { metadata: { labels: { b: 'y' } } },
      { metadata: { labels: { b: 'y' } } },
    ],
    [
      'items of keyed lists',
      { containers: [a, { name: 'b' }] },
      { containers: [{ name: 'b' }] },
      { containers: [{ name: 'b' }] },
    ],
    [
      'items by several keys',
      { containers: [{ name: 'a', ports: [{ port: 1 }, { port: 1, protocol: 'UDP' }] }] },
      { containers: [{ name: 'a', ports: [{ port: 1 }] }] },
      { containers: [{ name: 'a', ports: [{ port: 1 }] }] },
    ],
    [
      'items of sets',
      { metadata: { finalizers: ['x/a', 'x/b'] } },
      { metadata: { finalizers: ['x/b'] } },
      { metadata: { finalizers: ['x/b'] } },
    ],
    ['whole collections', { containers: [a], text: 't' }, { text: 't' }, { text: 't' }],
    ['atomic values', { atomicMap: { a: 'b' }, rows: [a], text: 't' }, { text: 't' }, { text: 't' }],
    [
      'members of free values',
      { free: { a: { b: 1, c: 2 } } },
      { free: { a: { c: 2 } } },
      { free: { a: { c: 2 } } },
    ],
  ])('%s go', (_name, first, second, expected) => {
    const world = new World().apply('m', first).apply('m', second);
    expect(world.object).toEqual(expected);
    expect(world.managers).toEqual(['m Apply']);
  });

  test('stays where another manager owns it', () => {
    const world = new World().apply('m', { text: 't', containers: [a] }).apply('n', { containers: [a] });
    world.apply('m', { text: 't' });
    expect(world.object).toEqual({ text: 't', containers: [a] });
    expect(world.apply('n', {}).object).toEqual({ text: 't' });
  });

  test('an item that only the applier owns takes along what others set in it', () => {
    const world = new World().apply('m', { containers: [a], text: 't' });
    world.update('u', { containers: [{ ...a, args: ['-v'] }], text: 't' });
    world.apply('m', { text: 't' });
    expect(world.object).toEqual({ text: 't' });
    expect(world.managers).toEqual(['m Apply']);
  });

  test('a struct without other owners is removed with its defaults', () => {
    const world = new World().apply('m', { containers: [{ name: 'a', probe: { path: '/' } }] });
    // A default is there without an owner.
    world.object = { containers: [{ name: 'a', probe: { path: '/', period: 10 } }] };
    world.apply('m', { containers: [{ name: 'a' }] });
    expect(world.object).toEqual({ containers: [{ name: 'a' }] });
  });

  test('a struct that others own something of keeps that', () => {
    const world = new World().apply('m', { containers: [{ name: 'a', probe: { path: '/', period: 1 } }] });
    world.apply('n', { containers: [{ name: 'a', probe: { path: '/' } }] });
    world.apply('m', { containers: [{ name: 'a' }] });
    expect(world.object).toEqual({ containers: [{ name: 'a', probe: { path: '/' } }] });
  });

  test('what the applier never owned stays', () => {
    const world = new World().update('u', { metadata: { name: 'n', labels: { u: '1' } } });
    world.apply('m', { metadata: { name: 'n', labels: { m: '1' } } }).apply('m', { metadata: { name: 'n' } });
    expect(world.object).toEqual({ metadata: { name: 'n', labels: { u: '1' } } });
  });
});

describe('rule 8: merging favours the applied value', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'maps',
      { metadata: { labels: { a: '1', b: '2' } } },
      { metadata: { labels: { a: '9', c: '3' } } },
      { metadata: { labels: { a: '9', b: '2', c: '3' } } },
    ],
    [
      'keyed lists, in place',
      { containers: [a, { name: 'b' }] },
      { containers: [{ name: 'c' }, { name: 'b', image: 'y' }] },
      { containers: [a, { name: 'b', image: 'y' }, { name: 'c' }] },
    ],
    [
      'sets',
      { metadata: { finalizers: ['x/a'] } },
      { metadata: { finalizers: ['x/b', 'x/a'] } },
      { metadata: { finalizers: ['x/a', 'x/b'] } },
    ],
    ['atomic lists', { rows: [a, { name: 'b' }] }, { rows: [{ name: 'b' }] }, { rows: [{ name: 'b' }] }],
    ['atomic maps', { atomicMap: { a: '1' } }, { atomicMap: { b: '2' } }, { atomicMap: { b: '2' } }],
    ['atomic structs', { atomicStruct: { a: '1' } }, { atomicStruct: {} }, { atomicStruct: {} }],
  ])('%s', (_name, live, config, expected) => {
    const world = new World().update('u', live).apply('m', config, { force: true });
    expect(world.object).toEqual(expected);
  });

  test('a missing key field has its default', () => {
    const world = new World().update('u', {
      containers: [{ name: 'a', ports: [{ port: 80, protocol: 'TCP' }] }],
    });
    world.apply('m', { containers: [{ name: 'a', ports: [{ port: 80, name: 'web' }] }] });
    expect(world.object).toEqual({
      containers: [{ name: 'a', ports: [{ port: 80, protocol: 'TCP', name: 'web' }] }],
    });
  });

  test.each<[string, JsonObject]>([
    ['an item twice', { containers: [a, a] }],
    [
      'an item twice by its default key',
      { containers: [{ name: 'a', ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] }] },
    ],
    ['a value twice', { metadata: { finalizers: ['x', 'x'] } }],
    ['an item without key', { containers: [{ image: 'x' }] }],
  ])('%s is refused', (_name, config) => {
    expect(() => new World().apply('m', config)).toThrow(PatchError);
  });

  test('an object that breaks the rule of its list already can be applied to', () => {
    const live = { containers: [a, { ...a, image: 'twice' }, { name: 'b' }] };
    const world = new World().update('u', live).apply('m', { text: 't' });
    expect(world.object).toEqual({ ...live, text: 't' });
    world.apply('m', { containers: [{ name: 'a', image: 'once' }] }, { force: true });
    expect(world.object).toEqual({ containers: [{ name: 'a', image: 'once' }, { name: 'b' }] });
  });
});

describe('rule 10: without a schema all keys are struct fields, all lists atomic', () => {
  test('free values', () => {
    const world = new World().apply('m', { free: { a: { b: 1 }, list: [{ x: 1 }, { y: 2 }] } });
    world.apply('n', { free: { a: { c: 2 } } });
    expect(world.object).toEqual({ free: { a: { b: 1, c: 2 }, list: [{ x: 1 }, { y: 2 }] } });
    expect(world.fields('m')).toEqual({ 'f:free': { 'f:a': { '.': {}, 'f:b': {} }, 'f:list': {} } });
    expect(world.conflicts('n', { free: { list: [] } })).toEqual(['.free.list conflict with "m"']);
  });

  test('fields that a schema keeps without describing are merged by deduction', () => {
    const open = struct('Open', [field('text', scalar('string'))], { preserveUnknown: true });
    const world = new World(oneVersion(open)).apply('m', { x: { y: { z: 1 }, list: [{ a: 1 }] } });
    expect(world.fields('m')).toEqual({ 'f:x': { '.': {}, 'f:y': { '.': {}, 'f:z': {} }, 'f:list': {} } });
    world.apply('n', { x: { y: { w: 2 } } });
    expect(world.object).toEqual({ x: { y: { z: 1, w: 2 }, list: [{ a: 1 }] } });
    expect(world.conflicts('n', { x: { list: [{ a: 2 }] } })).toEqual(['.x.list conflict with "m"']);
  });

  test('a free value that becomes something else', () => {
    const world = new World().update('u', { free: { a: { b: 1 } } }).update('v', { free: { a: 'text' } });
    expect(world.fields('v', 'Update')).toEqual({ 'f:free': { 'f:a': {} } });
    expect(world.fields('u', 'Update')).toEqual({ 'f:free': {} });
  });
});

describe('rule 13: a schema that changes', () => {
  const list = (listType: 'atomic' | 'map'): Versions =>
    oneVersion(
      struct('Thing', [
        field(
          'items',
          listOf(struct('Item', [field('name', scalar('string')), field('v', scalar('string'))]), {
            listType,
            listMapKeys: ['name'],
          }),
        ),
        field('map', mapOf(scalar('string'), { mapType: listType === 'map' ? 'granular' : 'atomic' })),
      ]),
    );
  const value = { items: [{ name: 'a', v: '1' }], map: { k: 'v' } };

  test('granular to atomic: who owned anything in it owns all of it', () => {
    const world = new World(list('map')).apply('m', value);
    const other = { items: [{ name: 'b', v: '2' }], map: { l: 'w' } };
    expect(() => world.apply('n', other, { versions: list('atomic') })).toThrow(
      'Apply failed with 2 conflicts: conflicts with "m":\n- .items\n- .map',
    );
    world.apply('m', value, { versions: list('atomic') });
    expect(world.fields('m')).toEqual({ 'f:items': {}, 'f:map': {} });
  });

  test('atomic to granular: no conflict arises for what is inside', () => {
    const world = new World(list('atomic')).apply('m', value);
    world.apply('n', { items: [{ name: 'a', v: '9' }], map: { k: '9' } }, { versions: list('map') });
    expect(world.object).toEqual({ items: [{ name: 'a', v: '9' }], map: { k: '9' } });
  });
});

test('never owned: identity, and what the server keeps', () => {
  const metadata = {
    name: 'n',
    namespace: 's',
    uid: 'u',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: null,
  };
  const world = new World().apply('m', {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { ...metadata, selfLink: '', managedFields: [] },
  });
  expect(world.managers).toEqual([]);
  expect(new World().update('u', { apiVersion: 'v1', kind: 'Thing', metadata }).managers).toEqual([]);
});

test('the first apply to an object of unknown owners meets one who owns it all', () => {
  const world = new World();
  world.object = { replicas: 1, text: 't' };
  expect(world.conflicts('m', { replicas: 2 })).toEqual([
    '.replicas conflict with "before-first-apply" using v1',
  ]);
  world.apply('m', { replicas: 1 });
  expect(world.managers).toEqual(['m Apply', 'before-first-apply Update']);
  expect(world.fields('before-first-apply', 'Update')).toEqual({ 'f:replicas': {}, 'f:text': {} });
});

describe('time', () => {
  test('changes with the set or the values, not otherwise', () => {
    const world = new World().apply('m', { replicas: 1 });
    const first = world.time('m');
    expect(world.apply('m', { replicas: 1 }).time('m')).toBe(first);
    expect(world.apply('n', { text: 't' }).time('m')).toBe(first);
    expect(world.apply('m', { replicas: 2 }).time('m')).not.toBe(first);
  });

  test('an update that changes nothing leaves everything as it was', () => {
    const world = new World().update('u', { replicas: 1 });
    const before = world.time('u');
    expect(world.update('u', { replicas: 1 }).time('u')).toBe(before);
    expect(world.update('u', { replicas: 2 }).time('u')).not.toBe(before);
  });
});
