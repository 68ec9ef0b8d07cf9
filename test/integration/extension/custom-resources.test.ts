/** Custom resources appear, live and go at run time, through every replica. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { ApiClient, ApiObject } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Pair } from '../../support/custom-resources.ts';
import {
  causesOf,
  conditionsOf,
  definition,
  definitions,
  establish,
  established,
  namespaced,
  startPair,
  widget,
  widgetSpec,
  widgetVersion,
} from '../../support/custom-resources.ts';

let pair: Pair;
let one: ApiClient;
let two: ApiClient;
const widgets = `${namespaced}/widgets`;

beforeAll(async () => {
  pair = await startPair();
  one = pair.one.admin;
  two = pair.two.admin;
  await establish(one, definition('widgets', 'Widget'));
}, 60_000);
afterAll(() => pair[Symbol.asyncDispose]());

interface Column {
  readonly name: string;
  readonly type: string;
  readonly priority: number;
}

function specOf(object: ApiObject): JsonObject {
  return object['spec'] as JsonObject;
}

describe('a definition', () => {
  test('is accepted and established, its defaults are filled in', async () => {
    const object = await one.ok('GET', `${definitions}/widgets.example.com`);
    expect(conditionsOf(object)).toEqual({
      NamesAccepted: 'True NoConflicts',
      Established: 'True InitialNamesAccepted',
    });
    expect(object['status']).toMatchObject({
      acceptedNames: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        shortNames: ['wix'],
      },
      storedVersions: ['v1'],
    });
    expect(object.metadata).toMatchObject({ generation: 1 });
  });

  test('is the same in v1beta1, with a warning', async () => {
    const answer = await one.get(
      `/apis/apiextensions.orch.io/v1beta1/customresourcedefinitions/widgets.example.com`,
    );
    expect(answer.headers['warning']).toContain('deprecated');
    expect(answer.json()['spec']).toMatchObject({
      version: 'v1',
      preserveUnknownFields: false,
      subresources: { status: {} },
    });
  });

  test('whose names are taken waits until they are free', async () => {
    const names = { plural: 'gadgets', kind: 'Widget', shortNames: ['wix'] };
    await one.ok('POST', definitions, definition('gadgets', 'Widget', { names }));
    const path = `${definitions}/gadgets.example.com`;
    const refused = await waitFor('the conflict is told', async () => {
      const conditions = conditionsOf(await two.ok('GET', path));
      return conditions['NamesAccepted'] === undefined ? undefined : conditions;
    });
    expect(refused).toEqual({ NamesAccepted: 'False ShortNamesConflict', Established: 'False NotAccepted' });
    expect((await one.get(`${namespaced}/gadgets`)).status).toBe(404);
    const free = [{ op: 'replace', path: '/spec/names', value: { plural: 'gadgets', kind: 'Gadget' } }];
    expect((await one.patch(path, 'json', free)).status).toBe(200);
    await established(two, 'gadgets.example.com');
    expect((await two.get(`${namespaced}/gadgets`)).status).toBe(200);
    await one.ok('DELETE', path);
  });
});

describe('objects', () => {
  test('a replica that did not serve the creation of the definition serves the resource at once', async () => {
    for (let i = 0; i < 5; i += 1) {
      await establish(one, definition(`q${String(i)}uicks`, `Quick${String(i)}`));
      expect((await two.get(`${namespaced}/q${String(i)}uicks`)).status).toBe(200);
    }
  });

  test('are made, read, changed and deleted', async () => {
    const created = await two.ok('POST', widgets, widget('basic'));
    expect(created).toMatchObject({
      kind: 'Widget',
      apiVersion: 'example.com/v1',
      metadata: { generation: 1 },
    });
    const read = await one.ok('GET', `${widgets}/basic`);
    expect(read).toEqual(created);
    specOf(read)['size'] = 2;
    const replaced = await one.ok('PUT', `${widgets}/basic`, read);
    expect(replaced.metadata).toMatchObject({ generation: 2 });
    const merged = (await two.patch(`${widgets}/basic`, 'merge', { spec: { size: 3 } })).json();
    expect(specOf(merged)).toEqual({ size: 3, color: 'grey' });
    const patched = await two.patch(`${widgets}/basic`, 'json', [
      { op: 'replace', path: '/spec/size', value: 4 },
    ]);
    expect(specOf(patched.json())['size']).toBe(4);
    expect((await two.patch(`${widgets}/basic`, 'strategic-merge', { spec: { size: 3 } })).status).toBe(415);
    expect((await one.list(widgets)).items).toHaveLength(1);
    expect((await one.ok('DELETE', `${widgets}/basic`))['status']).toBe('Success');
    expect((await two.get(`${widgets}/basic`)).status).toBe(404);
  });

  test('bodies must say what they are', async () => {
    const { kind, apiVersion, ...rest } = widget('typed');
    for (const body of [rest, { kind, ...rest }, { kind: '', apiVersion, ...rest }])
      expect((await one.post(widgets, body)).json()).toMatchObject({ code: 400, reason: 'BadRequest' });
    await one.ok('POST', widgets, widget('typed'));
    expect((await one.put(`${widgets}/typed`, rest)).status).toBe(400);
    const removed = await one.patch(`${widgets}/typed`, 'json', [{ op: 'remove', path: '/kind' }]);
    expect(removed.status).toBe(422);
  });

  test('a replace says which version it replaces', async () => {
    await one.ok('POST', widgets, widget('locked'));
    const answer = await one.put(`${widgets}/locked`, widget('locked', { size: 2 }));
    expect(answer.status).toBe(422);
    expect(causesOf(answer)[0]).toMatch(/^metadata.resourceVersion/);
  });

  test('defaults are set, unknown fields pruned or reported, meaningless nulls dropped', async () => {
    const spec = { size: 1, color: null, note: null, strange: 1, free: { any: { thing: 1 } }, either: '50%' };
    const created = await one.ok('POST', widgets, widget('shaped', spec));
    expect(specOf(created)).toEqual({
      size: 1,
      color: 'grey',
      note: null,
      free: { any: { thing: 1 } },
      either: '50%',
    });
    const strict = await one.post(`${widgets}?fieldValidation=Strict`, widget('strict', spec));
    expect(strict.status).toBe(400);
    expect(strict.text).toContain('unknown field \\"spec.strange\\"');
    const warned = await one.post(`${widgets}?fieldValidation=Warn`, widget('warned', spec));
    expect(warned.headers['warning']).toContain('unknown field');
  });

  test('all errors are reported together', async () => {
    const spec = {
      color: 'blue',
      note: 'X',
      replicas: -1,
      tags: ['a', 'a'],
      ports: [{ port: 1 }, { port: 1 }, {}],
    };
    const answer = await one.post(widgets, widget('wrong', spec));
    expect(answer.status).toBe(422);
    expect(causesOf(answer).sort()).toEqual([
      'spec.color: Unsupported value: "blue": supported values: "grey", "red"',
      'spec.note: Invalid value: "X": spec.note in body should match \'^[a-z]*$\'',
      'spec.ports[1]: Duplicate value: {"port":1}',
      'spec.ports[2].port: Required value',
      'spec.replicas: Invalid value: -1: should be a non-negative integer',
      'spec.size: Required value',
      'spec.tags[1]: Duplicate value: "a"',
    ]);
    expect((await one.post(widgets, widget('wrong', { size: 'x' }))).status).toBe(422);
  });

  test('Protobuf is refused', async () => {
    const protobuf = { accept: 'application/vnd.orch.protobuf' };
    expect((await one.get(widgets, protobuf)).status).toBe(406);
    const body = { 'content-type': 'application/vnd.orch.protobuf' };
    expect((await one.post(widgets, 'x', body)).status).toBe(415);
    const fallback = await one.get(widgets, { accept: 'application/vnd.orch.protobuf, application/json' });
    expect(fallback.headers['content-type']).toBe('application/json');
  });

  test('a table has the columns of the definition', async () => {
    await one.ok(
      'POST',
      widgets,
      widget('shown', { size: 7, ports: [{ port: 80 }, { port: 81, name: 'first' }] }),
    );
    const accept = 'application/json;as=Table;g=meta.orch.io;v=v1';
    const table = (await two.get(`${widgets}?fieldSelector=metadata.name=shown`, { accept })).json();
    const columns = (table as unknown as { columnDefinitions: Column[] }).columnDefinitions;
    expect(columns.map((c) => `${c.name} ${c.type} ${String(c.priority)}`)).toEqual([
      'Name string 0',
      'Size integer 0',
      'Color string 1',
      'First string 0',
      'Age date 0',
    ]);
    const [row] = (table as unknown as { rows: { cells: unknown[] }[] }).rows;
    expect(row?.cells.slice(0, 4)).toEqual(['shown', 7, 'grey', '81']);
    expect(row?.cells[4]).toMatch(/^\d+s$/);
    const metadata = (
      await two.get(`${widgets}/shown`, {
        accept: 'application/json;as=PartialObjectMetadata;g=meta.orch.io;v=v1',
      })
    ).json();
    expect(Object.keys(metadata)).toEqual(['kind', 'apiVersion', 'metadata']);
  });

  test('status and scale are subresources of their own', async () => {
    const created = await one.ok('POST', widgets, {
      ...widget('scaled', { size: 1, replicas: 2 }),
      status: { replicas: 9 },
    });
    expect(created['status']).toBeUndefined();
    const status = { ...created, spec: { size: 5 }, status: { replicas: 1, selector: 'a=b' } };
    const written = await two.ok('PUT', `${widgets}/scaled/status`, status);
    expect(written).toMatchObject({
      metadata: { generation: 1 },
      spec: { size: 1 },
      status: { replicas: 1 },
    });
    expect(await one.ok('GET', `${widgets}/scaled/scale`)).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'a=b' },
    });
    const scaled = await two.patch(`${widgets}/scaled/scale`, 'merge', { spec: { replicas: 5 } });
    expect(scaled.json()['spec']).toEqual({ replicas: 5 });
    const now = await one.ok('GET', `${widgets}/scaled`);
    expect(now).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 5 },
      status: { replicas: 1 },
    });
  });

  test('apply merges by the markers of the schema', async () => {
    const path = `${widgets}/applied?fieldManager=`;
    const first = widget('applied', { size: 1, ports: [{ port: 1, name: 'x' }], tags: ['a'] });
    expect((await one.patch(`${path}m`, 'apply', first)).status).toBe(201);
    const second = widget('applied', { size: 1, ports: [{ port: 2 }], tags: ['b'] });
    const merged = (await two.patch(`${path}n`, 'apply', second)).json();
    expect(specOf(merged)).toMatchObject({ ports: [{ port: 1, name: 'x' }, { port: 2 }], tags: ['a', 'b'] });
    const conflict = await two.patch(`${path}n`, 'apply', widget('applied', { size: 2 }));
    expect(conflict.status).toBe(409);
    expect(causesOf(conflict)).toEqual(['.spec.size: conflict with "m"']);
    const removed = (await one.patch(`${path}m`, 'apply', widget('applied', { size: 1 }))).json();
    expect(specOf(removed)).toMatchObject({ ports: [{ port: 2 }], tags: ['b'] });
    const unknown = await one.patch(`${path}m`, 'apply', widget('applied', { size: 1, strange: 1 }));
    expect(unknown.status).toBe(400);
  });

  test('a watch sees them through the other replica', async () => {
    const { metadata } = await one.list(widgets);
    const stream = await two.watch(`${widgets}?resourceVersion=${metadata.resourceVersion}`);
    await one.ok('POST', widgets, widget('seen'));
    await one.ok('DELETE', `${widgets}/seen`);
    const events = await stream.until(({ type }) => type === 'DELETED');
    stream.close();
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
  });
});

describe('versions', () => {
  const versions = (storage: 'v1' | 'v2'): JsonObject[] => [
    { ...widgetVersion, storage: storage === 'v1' },
    {
      ...widgetVersion,
      name: 'v2',
      storage: storage === 'v2',
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              ...widgetSpec,
              properties: {
                size: { type: 'integer', default: 1 },
                shape: { type: 'string', default: 'round' },
              },
            },
          },
        },
      },
    },
  ];

  test('differ in apiVersion and in what they show; objects of before a change get its defaults', async () => {
    await establish(one, definition('parts', 'Part', { versions: versions('v1') }));
    await one.ok('POST', `${namespaced}/parts`, widget('old', { size: 1, color: 'red' }, 'Part'));
    const v2 = '/apis/example.com/v2/namespaces/default/parts';
    const seen = await two.ok('GET', `${v2}/old`);
    expect(seen).toMatchObject({ apiVersion: 'example.com/v2' });
    expect(specOf(seen)).toEqual({ size: 1 });
    const path = `${definitions}/parts.example.com`;
    const changed = await one.ok('GET', path);
    (changed['spec'] as JsonObject)['versions'] = versions('v2');
    const after = await one.ok('PUT', path, changed);
    expect(after['status']).toMatchObject({ storedVersions: ['v1', 'v2'] });
    const renewed = await waitFor('the default of the new storage version', async () => {
      const spec = specOf(await two.ok('GET', `${v2}/old`));
      return spec['shape'] === 'round' ? spec : undefined;
    });
    expect(renewed).toEqual({ size: 1, shape: 'round' });
    const table = await two.get(v2, { accept: 'application/json;as=Table;g=meta.orch.io;v=v1' });
    expect(table.status).toBe(200);
  });

  test('one that is deprecated warns', async () => {
    const [first = {}, second = {}] = versions('v2');
    await establish(
      one,
      definition('relics', 'Relic', { versions: [{ ...first, deprecated: true }, second] }),
    );
    const answer = await one.get(`${namespaced}/relics`);
    expect(answer.headers['warning']).toContain(
      'example.com/v1 Relic is deprecated; use example.com/v2 Relic',
    );
    expect(
      (await one.get('/apis/example.com/v2/namespaces/default/relics')).headers['warning'],
    ).toBeUndefined();
  });
});

describe('the end', () => {
  test('objects go first, then the definition; watches end, the resource is unknown everywhere', async () => {
    await establish(one, definition('shorts', 'Short'));
    const shorts = `${namespaced}/shorts`;
    await one.ok('POST', shorts, widget('plain', { size: 1 }, 'Short'));
    const held = widget('held', { size: 1 }, 'Short');
    await one.ok('POST', shorts, { ...held, metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    const stream = await two.watch(`${shorts}?resourceVersion=0`);
    const path = `${definitions}/shorts.example.com`;
    const deleted = await one.ok('DELETE', path);
    expect(deleted.metadata).toMatchObject({ finalizers: ['customresourcecleanup.apiextensions.orch.io'] });
    expect(conditionsOf(deleted)['Terminating']).toMatch(/^True/);
    await waitFor(
      'the object without finalizer is gone',
      async () => (await two.list(shorts)).items.length === 1,
    );
    expect((await one.post(shorts, widget('late', { size: 1 }, 'Short'))).status).toBe(405);
    await one.patch(`${shorts}/held`, 'merge', { metadata: { finalizers: null } });
    await waitFor('the definition is gone', async () => (await two.get(path)).status === 404);
    await expect(stream.until(() => false)).rejects.toThrow('ended after 5 events: ');
    for (const client of [one, two]) {
      await waitFor('the resource is unknown', async () => (await client.get(shorts)).status === 404);
    }
    const again = await establish(two, definition('shorts', 'Short'));
    expect(again.metadata.uid).not.toBe(deleted.metadata.uid);
    expect((await one.list(shorts)).items).toEqual([]);
  });

  test('a definition that comes back at once keeps its new objects, however slow the replicas are', async () => {
    const names = Array.from({ length: 30 }, (_none, i) => `n${String(i)}`);
    const path = `${definitions}/phoenixes.example.com`;
    const phoenixes = `${namespaced}/phoenixes`;
    for (let life = 0; life < 5; life += 1) {
      await establish(one, definition('phoenixes', 'Phoenix'));
      await Promise.all(names.map((name) => one.ok('POST', phoenixes, widget(name, { size: 1 }, 'Phoenix'))));
      for (let look = 0; look < 10; look += 1) expect((await two.list(phoenixes)).items).toHaveLength(30);
      await one.ok('DELETE', path);
      await waitFor('the definition is gone', async () => (await one.get(path)).status === 404);
    }
  });

  test('a namespace takes its custom resources with it', async () => {
    await one.ok('POST', '/api/v1/namespaces', { metadata: { name: 'short-lived' } });
    await one.ok('POST', '/apis/example.com/v1/namespaces/short-lived/widgets', widget('inside'));
    await one.ok('DELETE', '/api/v1/namespaces/short-lived');
    await waitFor(
      'the namespace is gone',
      async () => (await two.get('/api/v1/namespaces/short-lived')).status === 404,
    );
    const left = (await one.list('/apis/example.com/v1/widgets')).items;
    expect(left.map(({ metadata }) => metadata.name)).not.toContain('inside');
  });

  test('the garbage collector follows owners that are custom resources', async () => {
    const owner = await one.ok('POST', widgets, widget('owner'));
    const { name, uid } = owner.metadata;
    const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Widget', name, uid }];
    await one.ok('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'owned', ownerReferences },
    });
    await one.ok('DELETE', `${widgets}/owner`);
    await waitFor(
      'the dependent is gone',
      async () => (await two.get('/api/v1/namespaces/default/configmaps/owned')).status === 404,
    );
  });
});
