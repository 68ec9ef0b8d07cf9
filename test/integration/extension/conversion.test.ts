/** Custom resources whose versions a webhook converts: every verb in every version, over HTTPS and two replicas. */
import type { JsonObject } from '../../../src/base/json.ts';
import { makeAuthority } from '../../support/pki.ts';
import type { ApiClient, ApiObject } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';
import { WebhookServer } from '../../support/webhook-server.ts';
import {
  answering,
  askedAt,
  converted,
  endpoint,
  endpointDefinition,
  endpointVersions,
  pathOf,
  specOf,
  startConverting,
  webhookAt,
  type Asked,
  type Converting,
} from './conversion-support.ts';
import { causesOf, definitions, establish } from '../../support/custom-resources.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let setup: Converting;
let one: ApiClient;
let two: ApiClient;

beforeAll(async () => {
  setup = await startConverting();
  one = setup.one.admin;
  two = setup.two.admin;
}, 60_000);
afterAll(() => setup[Symbol.asyncDispose]());
afterEach(() => {
  setup.server.answer = answering(converted);
});

describe('the verbs in the version that is not stored', () => {
  const v1 = (name = ''): string => pathOf('v1', 'endpointers', name);
  const v2 = (name = ''): string => pathOf('v2', 'endpointers', name);

  beforeAll(async () => {
    await establish(one, endpointDefinition(setup, 'endpointers', 'Endpointer'));
    await two.ok('GET', v2());
  });

  test('create, get and list convert; identity and version are the same in both', async () => {
    const created = await two.ok('POST', v2(), endpoint('Endpointer', 'made', 'v2'));
    expect(created).toMatchObject({ apiVersion: 'example.com/v2', spec: { address: 'a:1', tier: 'gold' } });
    const [first, second] = [await one.ok('GET', v1('made')), await one.ok('GET', v2('made'))];
    expect([specOf(first), specOf(second)]).toEqual([
      { host: 'a', port: 1 },
      { address: 'a:1', tier: 'gold' },
    ]);
    const { uid, resourceVersion } = second.metadata;
    expect(first.metadata).toMatchObject({ uid, resourceVersion });
    expect(created.metadata).toMatchObject({ uid, resourceVersion });
    const list = await two.list(v2());
    expect(list).toMatchObject({ kind: 'EndpointerList', apiVersion: 'example.com/v2' });
    expect(list.items.map(specOf)).toContainEqual({ address: 'a:1', tier: 'gold' });
  });

  test('validation and defaults are those of the requested version', async () => {
    const refused = await one.post(v2(), endpoint('Endpointer', 'wrong', 'v2', { address: 'a' }));
    expect(refused.status).toBe(422);
    expect(causesOf(refused)[0]).toContain('spec.address');
    const other = await one.post(v1(), endpoint('Endpointer', 'wrong', 'v1', { port: 70_000 }));
    expect(causesOf(other)[0]).toContain('spec.port');
  });

  test('update, patches, status, scale and delete', async () => {
    const made = await one.ok('POST', v2(), endpoint('Endpointer', 'changed', 'v2'));
    expect(made.metadata).toMatchObject({ generation: 1 });
    const put = await one.ok('PUT', v2('changed'), { ...made, spec: { address: 'b:2' } });
    expect(put.metadata).toMatchObject({ generation: 2 });
    expect(specOf(await two.ok('GET', v1('changed')))).toEqual({ host: 'b', port: 2 });
    const merged = await two.patch(v2('changed'), 'merge', { spec: { address: 'c:3', replicas: 2 } });
    expect(merged.json()).toMatchObject({ apiVersion: 'example.com/v2', spec: { address: 'c:3' } });
    const replace = [{ op: 'replace', path: '/spec/address', value: 'd:4' }];
    expect((await one.patch(v2('changed'), 'json', replace)).status).toBe(200);
    const status = await one.patch(`${v2('changed')}/status`, 'merge', { status: { replicas: 1 } });
    expect(status.json()).toMatchObject({ spec: { address: 'd:4' }, status: { replicas: 1 } });
    const scale = await two.patch(`${v2('changed')}/scale`, 'merge', { spec: { replicas: 5 } });
    expect(scale.json()).toMatchObject({ kind: 'Scale', spec: { replicas: 5 }, status: { replicas: 1 } });
    expect(specOf(await one.ok('GET', v1('changed')))).toEqual({ host: 'd', port: 4, replicas: 5 });
    const deleted = await one.request('DELETE', v2('changed'));
    expect(deleted.status).toBe(200);
    expect((await two.get(v1('changed'))).status).toBe(404);
  });

  test('a conflict is returned, and a write without changes makes no new version', async () => {
    const made = await one.ok('POST', v2(), endpoint('Endpointer', 'same', 'v2'));
    const again = await two.ok('PUT', v2('same'), made);
    expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    await two.ok('PUT', v2('same'), { ...made, spec: { address: 'z:9' } });
    const stale = await one.request('PUT', v2('same'), { ...made, spec: { address: 'y:8' } });
    expect(stale.status).toBe(409);
  });

  test('numbers keep all their digits', async () => {
    const big = JSON.rawJSON('9007199254740993') as unknown as number;
    setup.server.answer = (call) => {
      const { body } = answering(converted)(call);
      return { body: JSON.stringify(body).replaceAll('9007199254740992', '9007199254740993') };
    };
    const made = await one.post(v2(), endpoint('Endpointer', 'big', 'v2', { big }));
    expect(made.status).toBe(201);
    expect((await one.get(v2('big'))).text).toContain('"big":9007199254740993');
  });

  test('a watch gives its state and its changes in order, converted', async () => {
    const stream = await two.watch(`${v2()}?resourceVersion=0&fieldSelector=metadata.name=seen`);
    await one.ok('POST', v1(), endpoint('Endpointer', 'seen'));
    for (let i = 1; i <= 5; i += 1) await one.patch(v1('seen'), 'merge', { spec: { port: 10 + i } });
    await one.ok('DELETE', v1('seen'));
    const events = await stream.until(({ type }) => type === 'DELETED');
    stream.close();
    expect(events.map(({ type, object }) => [type, specOf(object)])).toEqual([
      ['ADDED', { address: 'a:1' }],
      ...[1, 2, 3, 4, 5].map((i) => ['MODIFIED', { address: `a:${String(10 + i)}` }]),
      ['DELETED', { address: 'a:15' }],
    ]);
  });

  test('tables and metadata are those of the version', async () => {
    const accept = 'application/json;as=Table;g=meta.orch.io;v=v1';
    const table = await one.get(`${v2('made')}?includeObject=Object`, { accept });
    const [row] = (table.json() as unknown as { rows: { object: ApiObject }[] }).rows;
    expect(row?.object).toMatchObject({ apiVersion: 'example.com/v2', spec: { address: 'a:1' } });
  });

  test('Protobuf is refused for the objects and given for their metadata', async () => {
    const protobuf = 'application/vnd.orch.protobuf';
    const refused = await two.get(v2('made'), { accept: protobuf });
    expect(refused.status).toBe(406);
    expect(refused.text).not.toContain('application/yaml, application/vnd');
    const either = await two.get(v2('made'), { accept: `${protobuf},application/json` });
    expect(either.headers['content-type']).toBe('application/json');
    for (const [path, kind] of [
      [v2('made'), 'PartialObjectMetadata'],
      [v2(), 'PartialObjectMetadataList'],
    ] as const) {
      const answer = await two.get(path, { accept: `${protobuf};as=${kind};g=meta.orch.io;v=v1` });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, protobuf]);
      expect(answer.text).toContain(kind);
      expect(answer.text).toContain('made');
    }
  });

  test('selectors see the labels that the webhook makes', async () => {
    setup.server.answer = answering((object, desired) => {
      const made = converted(object, desired);
      const { metadata } = made as { metadata: JsonObject };
      return { ...made, metadata: { ...metadata, labels: { version: desired.replace('/', '.') } } };
    });
    const labelled = '?labelSelector=version=example.com.v2';
    await one.ok('POST', v1(), endpoint('Endpointer', 'labelled'));
    expect((await one.list(`${v2()}${labelled}`)).items.map(({ metadata }) => metadata.name)).toContain(
      'labelled',
    );
    expect((await one.list(`${v1()}${labelled}`)).items).toEqual([]);
  });
});

describe('field ownership', () => {
  const v1 = pathOf('v1', 'owneds', 'a');
  const v2 = pathOf('v2', 'owneds', 'a');

  test('is read in the version that each manager wrote in', async () => {
    await establish(one, endpointDefinition(setup, 'owneds', 'Owned'));
    await two.get(v2);
    const apply = (path: string, manager: string, object: JsonObject): ReturnType<ApiClient['patch']> =>
      two.patch(`${path}?fieldManager=${manager}`, 'apply', object);
    expect((await apply(v1, 'first', endpoint('Owned', 'a'))).status).toBe(201);
    const conflict = await apply(v2, 'second', endpoint('Owned', 'a', 'v2', { address: 'b:1' }));
    expect(conflict.status).toBe(409);
    expect(causesOf(conflict).join()).toContain('conflict with "first"');
    const forced = await two.patch(
      `${v2}?fieldManager=second&force=true`,
      'apply',
      endpoint('Owned', 'a', 'v2', { address: 'b:2' }),
    );
    expect(forced.status).toBe(200);
    const { metadata } = await one.ok('GET', v1);
    const managers = (metadata['managedFields'] as { manager: string; apiVersion: string }[]).map(
      ({ manager, apiVersion }) => `${manager} ${apiVersion}`,
    );
    expect(managers).toContain('second example.com/v2');
    // What it no longer applies goes, although another version holds it in other fields.
    const removed = await two.patch(`${v2}?fieldManager=second`, 'apply', {
      ...endpoint('Owned', 'a', 'v2'),
      spec: { replicas: 1 },
    });
    expect(specOf(removed.json())).toEqual({ replicas: 1, tier: 'gold' });
  });
});

describe('the webhook', () => {
  const plural = 'countings';
  const v2 = pathOf('v2', plural);
  const count = 1_200;

  beforeAll(async () => {
    await establish(one, endpointDefinition(setup, plural, 'Counting'));
    const names = Array.from({ length: count }, (_, i) => `n${String(i).padStart(4, '0')}`);
    for (let i = 0; i < count; i += 50)
      await Promise.all(
        names
          .slice(i, i + 50)
          .map((name) => one.ok('POST', pathOf('v1', plural), endpoint('Counting', name))),
      );
  }, 60_000);

  test('is called with batches, and once per revision', async () => {
    const before = askedAt(setup.server, plural).length;
    const list = await two.list(v2);
    expect(list.items).toHaveLength(count);
    const asked = askedAt(setup.server, plural).slice(before);
    expect(asked.length).toBeLessThanOrEqual(12);
    expect(asked.flatMap(({ objects }) => objects)).toHaveLength(count);
    expect(asked[0]).toMatchObject({ desiredAPIVersion: 'example.com/v2' });
    expect((await two.list(v2)).items).toHaveLength(count);
    await two.ok('GET', `${v2}/n0000`);
    expect(askedAt(setup.server, plural)).toHaveLength(before + asked.length);
    await one.patch(pathOf('v1', plural, 'n0007'), 'merge', { spec: { port: 77 } });
    const changed = await two.list(v2);
    expect(changed.items.map(specOf)).toContainEqual({ address: 'a:77' });
    const more = askedAt(setup.server, plural).slice(before + asked.length);
    expect(more.map(({ objects }) => objects.length)).toEqual([1]);
  });

  test('chunks cover the whole, each object once', async () => {
    const names: string[] = [];
    let token = '';
    do {
      const page = await one.list(`${v2}?limit=500${token}`);
      names.push(...page.items.map(({ metadata }) => metadata.name));
      const next = page.metadata['continue'];
      token = typeof next === 'string' && next !== '' ? `&continue=${next}` : '';
    } while (token !== '');
    expect(new Set(names).size).toBe(count);
    expect(names).toHaveLength(count);
  });

  test('does not convert what is of the version already', async () => {
    const before = setup.server.calls.length;
    await one.list(pathOf('v1', plural));
    await one.patch(pathOf('v1', plural, 'n0001'), 'merge', { spec: { port: 5 } });
    expect(setup.server.calls).toHaveLength(before);
  });
});

describe('the definition', () => {
  test('may name only v1beta1 of the review, whose answers need no head', async () => {
    const plural = 'betas';
    await establish(one, {
      ...endpointDefinition(setup, plural, 'Beta'),
      spec: {
        ...(endpointDefinition(setup, plural, 'Beta')['spec'] as JsonObject),
        conversion: webhookAt(setup, plural, ['v2', 'v1beta1']),
      },
    });
    setup.server.answer = ({ body }) => {
      expect(body['apiVersion']).toBe('apiextensions.orch.io/v1beta1');
      const { objects, desiredAPIVersion } = body['request'] as Asked;
      const convertedObjects = objects.map((object) => converted(object, desiredAPIVersion));
      return { body: { response: { convertedObjects, result: { status: 'Success' } } } };
    };
    await one.ok('POST', pathOf('v1', plural), endpoint('Beta', 'a'));
    expect(specOf(await one.ok('GET', pathOf('v2', plural, 'a')))).toEqual({ address: 'a:1' });
    const right = setup.server.answer;
    setup.server.answer = async (call) => {
      const { body } = await right(call);
      return { body: { ...(body as JsonObject), kind: 'Lie' } };
    };
    await one.ok('POST', pathOf('v1', plural), endpoint('Beta', 'b'));
    const lied = await one.get(pathOf('v2', plural, 'b'));
    expect([lied.status, lied.text]).toEqual([
      500,
      expect.stringContaining('expected webhook response of apiextensions.orch.io/v1beta1'),
    ]);
  });

  test('changes: another authority, another storage version, which a write brings objects into', async () => {
    const plural = 'movings';
    await establish(one, endpointDefinition(setup, plural, 'Moving'));
    await one.ok('POST', pathOf('v1', plural), endpoint('Moving', 'a'));
    const folder = await mkdtemp(join(tmpdir(), 'authority-'));
    const stranger = await makeAuthority(folder, 'stranger');
    await using server = await WebhookServer.start(await stranger.server('elsewhere'), stranger);
    server.answer = answering(converted);
    const path = `${definitions}/${plural}.example.com`;
    const change = async (spec: JsonObject): Promise<void> => {
      expect((await one.patch(path, 'merge', { spec })).json()).toMatchObject({
        kind: 'CustomResourceDefinition',
      });
    };
    await change({ conversion: webhookAt({ server, caBundle: setup.caBundle }, plural) });
    const refused = await waitFor('the new address is asked', async () => {
      const answer = await two.get(pathOf('v2', plural, 'a'));
      return answer.status === 500 ? answer : undefined;
    });
    expect(refused.text).toContain('conversion webhook for example.com/v1, Kind=Moving failed');
    expect(server.calls).toHaveLength(0);
    const caBundle = Buffer.from(stranger.ca).toString('base64');
    await change({ conversion: webhookAt({ server, caBundle }, plural), versions: endpointVersions('v2') });
    await waitFor('the new authority is believed', async () => {
      const answer = await two.get(pathOf('v2', plural, 'a'));
      return answer.status === 200 ? true : undefined;
    });
    const before = await two.ok('GET', pathOf('v2', plural, 'a'));
    const migrated = await two.ok('PUT', pathOf('v2', plural, 'a'), before);
    expect(migrated.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    const again = await two.ok('PUT', pathOf('v2', plural, 'a'), migrated);
    expect(again.metadata.resourceVersion).toBe(migrated.metadata.resourceVersion);
    const calls = server.calls.length;
    await two.ok('GET', pathOf('v2', plural, 'a'));
    expect(server.calls).toHaveLength(calls);
    await rm(folder, { recursive: true });
  });
});
