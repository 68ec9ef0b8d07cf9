/** Conversion webhooks that fail, lie or hang: what clients are told, and that nothing else suffers. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { ApiClient } from '../../support/client.ts';
import type { WebhookServer } from '../../support/webhook-server.ts';
import {
  answering,
  converted,
  endpoint,
  endpointDefinition,
  pathOf,
  reviewed,
  specOf,
  startConverting,
  type Asked,
  type Converting,
} from './conversion-support.ts';
import { establish } from '../../support/custom-resources.ts';

let setup: Converting;
let one: ApiClient;

beforeAll(async () => {
  setup = await startConverting();
  one = setup.one.admin;
}, 60_000);
afterAll(() => setup[Symbol.asyncDispose]());
afterEach(() => {
  setup.server.answer = answering(converted);
});

describe('a webhook that', () => {
  const plural = 'trieds';
  let last = 0;

  beforeAll(async () => {
    await establish(one, endpointDefinition(setup, plural, 'Tried'));
    await setup.two.admin.get(pathOf('v2', plural));
  });

  /** What a get in v2 of a new object is told. */
  async function told(): Promise<{ code: number; reason: string; message: string }> {
    last += 1;
    const name = `t${String(last)}`;
    await one.ok('POST', pathOf('v1', plural), endpoint('Tried', name));
    const answer = await one.get(pathOf('v2', plural, name));
    expect(answer.status).toBe(500);
    await one.ok('DELETE', pathOf('v1', plural, name));
    return answer.json() as unknown as { code: number; reason: string; message: string };
  }

  const head = 'conversion webhook for example.com/v1, Kind=Tried failed: ';
  const other = (change: (object: JsonObject) => JsonObject): WebhookServer['answer'] =>
    answering((object, desired) => change(converted(object, desired)));
  const meta = (object: JsonObject, more: JsonObject): JsonObject => ({
    ...object,
    metadata: { ...(object['metadata'] as JsonObject), ...more },
  });
  const response =
    (more: object): WebhookServer['answer'] =>
    ({ body }) => {
      const { uid, objects, desiredAPIVersion } = body['request'] as Asked;
      const convertedObjects = objects.map((object) => converted(object, desiredAPIVersion));
      return reviewed(body, { uid, convertedObjects, result: { status: 'Success' }, ...more });
    };
  const cases: [string, WebhookServer['answer'], string][] = [
    [
      'answers nothing',
      () => ({ body: {} }),
      'expected webhook response of apiextensions.orch.io/v1, Kind=ConversionReview',
    ],
    ['answers no JSON', () => ({ body: 'no' }), 'expected webhook response of'],
    ['has no response', ({ body }) => ({ body: { ...body, response: null } }), 'no response provided'],
    ['answers another question', response({ uid: 'other' }), 'expected response.uid='],
    ['fails with words', response({ result: { status: 'Failure', message: 'not today' } }), 'not today'],
    [
      'fails with a megabyte of words',
      response({ result: { status: 'Failure', message: 'w'.repeat(300_000) } }),
      `failed: ${'w'.repeat(2_000)}…`,
    ],
    ['fails without words', response({ result: {} }), "response.result.status was '', expected 'Success'"],
    ['gives fewer objects', response({ convertedObjects: [] }), 'it returned 0 objects, expected 1'],
    ['gives no objects', response({ convertedObjects: ['x'] }), 'it is no object'],
    [
      'gives another version',
      other((object) => ({ ...object, apiVersion: 'example.com/v3' })),
      'invalid groupVersion',
    ],
    ['gives another kind', other((object) => ({ ...object, kind: 'Else' })), 'must have the same kind'],
    ['gives no metadata', other((object) => ({ ...object, metadata: null })), 'metadata is missing'],
    ['renames', other((object) => meta(object, { name: 'else' })), 'must have the same name'],
    ['moves', other((object) => meta(object, { namespace: 'else' })), 'must have the same namespace'],
    ['changes the uid', other((object) => meta(object, { uid: 'else' })), 'must have the same uid'],
    [
      'gives labels that are none',
      other((object) => meta(object, { labels: { a: '$' } })),
      'metadata.labels',
    ],
    [
      'gives labels of numbers',
      other((object) => meta(object, { labels: { a: 1 } })),
      'must be a map of strings',
    ],
    ['is out of order', () => ({ status: 503 }), 'the answer was 503'],
    ['sends us on', () => ({ status: 302 }), 'the answer was 302'],
  ];

  test.each(cases)('%s is an internal error of the server', async (_what, answer, problem) => {
    setup.server.answer = answer;
    const { reason, message } = await told();
    expect(reason).toBe('InternalError');
    expect(message).toContain(head);
    expect(message).toContain(problem);
  });

  test('fails is asked by dry runs, which fail as the write would', async () => {
    await one.ok('POST', pathOf('v1', plural), endpoint('Tried', 'dry'));
    const before = await one.ok('GET', pathOf('v2', plural, 'dry'));
    setup.server.answer = response({ result: { status: 'Failure', message: 'not today' } });
    const body = endpoint('Tried', 'dry-new', 'v2');
    const patch = { spec: { address: 'b:2' } };
    const tries = [
      await one.post(`${pathOf('v2', plural)}?dryRun=All`, body),
      await one.patch(`${pathOf('v2', plural, 'dry')}?dryRun=All`, 'merge', patch),
      await one.put(`${pathOf('v2', plural, 'dry')}?dryRun=All`, { ...before, ...patch }),
    ];
    for (const { status, text } of tries)
      expect([status, text]).toEqual([500, expect.stringContaining('not today')]);
  });

  test('loses what is written is shown so by dry runs', async () => {
    setup.server.answer = answering((object, desired) => {
      const made = converted(object, desired);
      return { ...made, spec: { ...(made['spec'] as JsonObject), big: 7 } };
    });
    const sent = endpoint('Tried', 'dry-lost', 'v2', { big: 3 });
    const dry = await one.ok('POST', `${pathOf('v2', plural)}?dryRun=All`, sent);
    expect(specOf(dry)).toEqual({ address: 'a:1', big: 7, tier: 'gold' });
    expect(specOf(await one.ok('POST', pathOf('v2', plural), sent))).toEqual(specOf(dry));
  });

  test('changes other metadata changes nothing, and keys like __proto__ are data', async () => {
    setup.server.answer = other((object) =>
      meta(
        { ...object, spec: JSON.parse('{"address":"a:1","__proto__":{"x":1}}') as JsonObject },
        { finalizers: ['example.com/x'], creationTimestamp: '2001-01-01T00:00:00Z', annotations: { a: 'b' } },
      ),
    );
    const made = await one.ok('POST', pathOf('v1', plural), endpoint('Tried', 'meta'));
    const seen = await one.ok('GET', pathOf('v2', plural, 'meta'));
    expect(seen.metadata['finalizers']).toBeUndefined();
    expect(seen.metadata['annotations']).toEqual({ a: 'b' });
    expect(seen.metadata['creationTimestamp']).toBe(made.metadata['creationTimestamp']);
    expect(specOf(seen)).toEqual({ address: 'a:1' });
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test('hangs delays only those who need it, and no longer than their deadline', async () => {
    const released = Promise.withResolvers<undefined>();
    setup.server.answer = async (call) => {
      await released.promise;
      return answering(converted)(call);
    };
    await one.ok('POST', pathOf('v1', plural), endpoint('Tried', 'slow'));
    const waiting = one.get(pathOf('v2', plural, 'slow'));
    expect((await one.get(pathOf('v1', plural, 'slow'))).status).toBe(200);
    const late = await one.get(`${pathOf('v2', plural, 'slow')}?timeout=1s`);
    expect(late.status).toBe(504);
    released.resolve(undefined);
    expect((await waiting).json()).toMatchObject({ spec: { address: 'a:1' } });
  });

  test('that hung is called again by a later request when none waits any more', async () => {
    const released = Promise.withResolvers<undefined>();
    setup.server.answer = async (call) => {
      await released.promise;
      return answering(converted)(call);
    };
    await one.ok('POST', pathOf('v1', plural), endpoint('Tried', 'stuck'));
    const first = await one.get(`${pathOf('v2', plural, 'stuck')}?timeout=1s`);
    expect(first.status).toBe(504);
    setup.server.answer = answering(converted);
    const next = await one.get(`${pathOf('v2', plural, 'stuck')}?timeout=20s`);
    expect(next.status).toBe(200);
    released.resolve(undefined);
  });

  test('that fails for a while ends watches with its message, and is retried', async () => {
    setup.server.answer = () => ({ status: 500 });
    const stream = await one.watch(
      `${pathOf('v2', plural)}?fieldSelector=metadata.name=later&resourceVersion=${
        (await one.list(pathOf('v1', plural))).metadata.resourceVersion
      }`,
    );
    await one.ok('POST', pathOf('v1', plural), endpoint('Tried', 'later'));
    const [event] = await stream.until(() => true);
    stream.close();
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 500, reason: 'InternalError' } });
    setup.server.answer = answering(converted);
    expect((await one.get(pathOf('v2', plural, 'later'))).status).toBe(200);
  });
});

describe('one object that its webhook cannot convert', () => {
  const plural = 'mixeds';
  const message = 'conversion webhook for example.com/v1, Kind=Mixed failed: no word for "bad"';
  const failed = { code: 500, reason: 'InternalError', message };

  beforeAll(async () => {
    await establish(one, endpointDefinition(setup, plural, 'Mixed'));
    for (const name of ['a', 'b', 'm', 'y', 'z']) {
      const host = name === 'm' ? 'bad' : name;
      await one.ok('POST', pathOf('v1', plural), endpoint('Mixed', name, 'v1', { host }));
    }
    // In the version that is stored: what was converted once would be known.
    await setup.two.admin.ok('GET', pathOf('v1', plural));
  });
  beforeEach(() => {
    setup.server.answer = (call) => {
      const { uid, objects } = call.body['request'] as Asked;
      const isBad = objects.some(({ spec }) => (spec as JsonObject)['host'] === 'bad');
      const result = { status: 'Failed', message: 'no word for "bad"' };
      return isBad ? reviewed(call.body, { uid, result }) : answering(converted)(call);
    };
  });

  test('fails the list that it is in, with the words of the webhook', async () => {
    for (const { admin } of [setup.one, setup.two]) {
      const answer = await admin.get(pathOf('v2', plural));
      expect([answer.status, answer.json()]).toMatchObject([500, failed]);
    }
    expect((await one.list(pathOf('v1', plural))).items).toHaveLength(5);
  });

  test('fails the chunk that it is in, and none before', async () => {
    const first = await one.list(`${pathOf('v2', plural)}?limit=2`);
    expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    const { continue: token = '' } = first.metadata as { continue?: string };
    const next = await one.get(`${pathOf('v2', plural)}?limit=2&continue=${token}`);
    expect([next.status, next.json()]).toMatchObject([500, failed]);
  });

  test('that fails for an object affects neither other objects nor lists of other namespaces', async () => {
    const asked = ['a', 'b', 'm', 'y', 'z'].map((name) => one.get(pathOf('v2', plural, name)));
    const [list, ...answers] = await Promise.all([one.get(pathOf('v2', plural)), ...asked]);
    expect(list.status).toBe(500);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 500, 200, 200]);
    const elsewhere = `/apis/example.com/v2/namespaces/other/${plural}`;
    expect((await one.list(elsewhere)).items).toEqual([]);
  });

  test('ends the watch that it is in, with the words of the webhook', async () => {
    const stream = await one.watch(pathOf('v2', plural));
    const events = await stream.until(({ type }) => type === 'ERROR');
    stream.close();
    expect(events.at(-1)).toMatchObject({ type: 'ERROR', object: failed });
  });

  test('is mended through the version that is stored', async () => {
    const { status } = await one.patch(pathOf('v1', plural, 'm'), 'merge', { spec: { host: 'm' } });
    expect(status).toBe(200);
    expect((await one.list(pathOf('v2', plural))).items).toHaveLength(5);
  });
});
