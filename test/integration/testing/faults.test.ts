/** Each fault reaches clients as production shows it, and only those that it is about. */
import {
  type ApiError,
  startControlPlane,
  type ApiClient,
  type ApiObject,
  type ControlPlane,
  type FaultStrike,
  type WatchEvent,
} from '../../../src/testing/index.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const map = (name: string, level = 'low') => ({ ...maps, metadata: { name }, data: { level } });
const path = '/api/v1/namespaces/default/configmaps';
const admins = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'developers' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'developers' }],
};

let controlPlane: ControlPlane;
let jane: ApiClient;
let joe: ApiClient;

beforeAll(async () => {
  controlPlane = await startControlPlane({
    seed: 7,
    users: [
      { name: 'jane', groups: ['developers'] },
      { name: 'joe', groups: ['developers'] },
    ],
    objects: [admins],
  });
  jane = controlPlane.as('jane');
  joe = controlPlane.as('joe');
  await waitFor('the permissions', () => jane.list(maps).then(() => joe.list(maps)));
});

afterAll(() => controlPlane.stop());
afterEach(() => controlPlane.reset());

interface Watching {
  readonly events: WatchEvent<ApiObject>[];
  /** Resolves with what ended it; undefined if it was the service, cleanly. */
  readonly end: Promise<unknown>;
  readonly stop: () => void;
}

async function watching(client: ApiClient, resourceVersion?: string): Promise<Watching> {
  const events: WatchEvent<ApiObject>[] = [];
  const stopping = new AbortController();
  const from = resourceVersion ?? (await client.list(maps)).metadata.resourceVersion;
  const options = { resourceVersion: from, signal: stopping.signal };
  const run = async (): Promise<void> => {
    for await (const event of client.watch(maps, options)) events.push(event);
  };
  return { events, end: run().catch((error: unknown) => error), stop: () => stopping.abort() };
}

/** A watch that is known to be open. */
async function openWatch(client: ApiClient, name: string): Promise<Watching> {
  const watch = await watching(client);
  await controlPlane.admin.create(map(name));
  await waitFor(`the event of ${name}`, () => watch.events.length > 0);
  return watch;
}

async function struck(): Promise<Pick<FaultStrike, 'kind' | 'user' | 'verb' | 'resource' | 'name'>[]> {
  const strikes = await controlPlane.faults.log();
  return strikes.map(({ kind, user, verb, resource, name }) => ({ kind, user, verb, resource, name }));
}

describe('refuse', () => {
  test.each([
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
    [503, 'ServiceUnavailable'],
    [504, 'Timeout'],
  ])('%i, without effect, for those of the scope', async (status, reason) => {
    const { faults } = controlPlane;
    await using fault = await faults.refuse('create', 'configmaps', status, { user: 'jane', times: 1 });
    await expect(jane.create(map('one'))).rejects.toMatchObject({ code: status, reason });
    expect(await controlPlane.admin.find(map('one'))).toBeUndefined();
    await jane.create(map('one'));
    expect(await fault.strikes()).toBe(1);
    expect(await struck()).toEqual([
      { kind: 'refuse', user: 'jane', verb: 'create', resource: 'configmaps', name: '' },
    ]);
  });

  test('a client is told when to come again', async () => {
    await controlPlane.faults.refuse('get', '*', 429, { retryAfter: 7 });
    const error = (await jane
      .get({ ...maps, metadata: { name: 'kube-root-ca.crt' } })
      .catch((e: unknown) => e)) as {
      status: unknown;
    };
    expect(error.status).toMatchObject({ code: 429, details: { retryAfterSeconds: 7 } });
  });

  test('verbs, names, namespaces and subresources are told apart', async () => {
    const { faults } = controlPlane;
    await faults.refuse(['update', 'patch'], 'configmaps', 500, { name: 'one', namespace: 'default' });
    await faults.refuse('*', 'namespaces/status', 500);
    const one = await jane.create(map('one'));
    const two = await jane.create(map('two'));
    await expect(jane.update(one)).rejects.toMatchObject({ code: 500 });
    await expect(jane.patch(map('one'), {})).rejects.toMatchObject({ code: 500 });
    await jane.update(two);
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
    await jane.patch(namespace, { metadata: { labels: { a: 'b' } } });
    await expect(jane.updateStatus(await jane.get<typeof namespace>(namespace))).rejects.toMatchObject({
      code: 500,
    });
  });

  test('the client of the test is spared unless it is asked for', async () => {
    await controlPlane.faults.refuse('list', 'configmaps', 503);
    await controlPlane.admin.list(maps);
    await controlPlane.faults.refuse('list', 'configmaps', 503, { includeAdminClient: true });
    await expect(controlPlane.admin.list(maps)).rejects.toMatchObject({ code: 503 });
  });
});

/** 200, or that of the refusal. */
function codeOf(answer: Promise<unknown>): Promise<number> {
  return answer.then(
    () => 200,
    (error: unknown) => (error as ApiError).code,
  );
}

describe('rates and numbers', () => {
  async function outcomes(seed: number, order: readonly string[]): Promise<Record<string, string>> {
    await controlPlane.faults.useSeed(seed);
    await controlPlane.faults.refuse('get', 'configmaps', 500, { rate: 0.5 });
    const found: Record<string, string> = {};
    for (const name of order) {
      const code = await codeOf(jane.get({ ...maps, metadata: { name } }));
      found[name] = `${found[name] ?? ''} ${String(code)}`;
    }
    return found;
  }

  test('equal seeds decide equally for each object, in whatever order requests come', async () => {
    const names = ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd'];
    const first = await outcomes(1, names);
    expect(await outcomes(1, [...names].sort())).toEqual(first);
    expect(await outcomes(2, names)).not.toEqual(first);
    expect(Object.values(first).join(' ')).toMatch(/500/);
    expect(Object.values(first).join(' ')).toMatch(/404/);
  });

  test('so many requests pass before, and so many are struck', async () => {
    await controlPlane.faults.refuse('list', 'configmaps', 500, { after: 2, times: 1, user: 'jane' });
    const codes: unknown[] = [];
    for (let i = 0; i < 5; i += 1) codes.push(await codeOf(jane.list(maps)));
    expect(codes).toEqual([200, 200, 500, 200, 200]);
  });

  test.each([
    [{ rate: 2 }, 'the option rate cannot be used: give a number from 0 to 1, not 2'],
    [{ times: 0.5 }, 'the option times cannot be used: give a whole number from 0, not 0.5'],
    [{ after: -1 }, 'the option after cannot be used: give a whole number from 0, not -1'],
  ])('%j is refused', async (scope, message) => {
    await expect(
      controlPlane.faults.conflicts(1, { ...scope }).then(() => controlPlane.faults.delay('1s', scope)),
    ).rejects.toThrow(message);
  });

  test('orders that cannot be carried out are refused', async () => {
    await expect(controlPlane.faults.delay('soon')).rejects.toThrow(
      'give a duration such as 250ms or 2s, not soon',
    );
    await expect(controlPlane.faults.refuse('get', '*', 200)).rejects.toThrow(
      'a request is refused with one of 400',
    );
    await expect(controlPlane.faults.refuse('create', 'configmap', 503)).rejects.toThrow(
      'refuse: there is no resource configmap: give configmaps',
    );
  });
});

test('conflicts: another client wrote the object, so that its version grows and watches hear of it', async () => {
  const one = await jane.create(map('one'));
  const watch = await openWatch(joe, 'two');
  await controlPlane.faults.conflicts(1, { user: 'jane', times: 2 });
  await expect(jane.update(one)).rejects.toMatchObject({ code: 409, reason: 'Conflict' });
  await expect(jane.update(one)).rejects.toMatchObject({ code: 409 });
  await expect(jane.update(one)).rejects.toMatchObject({ code: 409 });
  const now = await jane.get<typeof one>(map('one'));
  expect(Number((now as ApiObject).metadata.resourceVersion)).toBeGreaterThan(
    Number((one as ApiObject).metadata.resourceVersion),
  );
  await jane.update({ ...now, data: { level: 'high' } });
  await waitFor('the events', () => watch.events.length === 4);
  expect(watch.events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'MODIFIED', 'MODIFIED']);
  watch.stop();
});

test('delay: requests of the scope wait', async () => {
  await controlPlane.faults.delay('80ms', { user: 'jane', verb: 'list' });
  const startedAt = performance.now();
  await joe.list(maps);
  await jane.list(maps);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(75);
});

test.each(['cut', 'timeout'] as const)('loseAnswers (%s): the write takes effect', async (as) => {
  await controlPlane.faults.loseAnswers({ as, user: 'jane', times: 1 });
  const error: unknown = await jane.create(map('one')).catch((e: unknown) => e);
  if (as === 'cut') expect(error).toMatchObject({ code: 'ECONNRESET' });
  else expect(error).toMatchObject({ code: 504, reason: 'Timeout' });
  expect(await jane.get(map('one'))).toMatchObject({ data: { level: 'low' } });
  await expect(jane.create(map('one'))).rejects.toMatchObject({ code: 409, reason: 'AlreadyExists' });
});

test('what is refused is no lost answer', async () => {
  await jane.create(map('one'));
  await controlPlane.faults.loseAnswers({ user: 'jane' });
  await expect(jane.create(map('one'))).rejects.toMatchObject({ code: 409 });
  expect(await controlPlane.faults.log()).toEqual([]);
});

test.each([false, true])('closeWatches: watches of the scope end (cut: %j)', async (cut) => {
  const ofJane = await openWatch(jane, 'one');
  const ofJoe = await openWatch(joe, 'two');
  await controlPlane.faults.closeWatches({ user: 'jane', cut });
  if (cut) expect(await ofJane.end).toMatchObject({ code: 'ECONNRESET' });
  else expect(await ofJane.end).toBeUndefined();
  await controlPlane.admin.create(map('three'));
  await waitFor('the event', () => ofJoe.events.length === 2);
  expect(await struck()).toEqual([
    { kind: 'closeWatches', user: 'jane', verb: 'watch', resource: 'configmaps', name: '' },
  ]);
  ofJoe.stop();
});

test('expireHistory: watches and lists of what was before get 410, newer ones do not', async () => {
  await controlPlane.admin.create(map('one'));
  await controlPlane.admin.create(map('two'));
  const chunk = (await jane.request({ method: 'GET', path: `${path}?limit=1` })) as {
    metadata: { continue: string; resourceVersion: string };
  };
  const open = await openWatch(jane, 'three');
  await controlPlane.faults.expireHistory({ user: 'jane' });
  expect(await open.end).toBeUndefined();
  const { resourceVersion } = chunk.metadata;
  const again = await watching(jane, resourceVersion);
  expect(await again.end).toMatchObject({ code: 410, reason: 'Expired' });
  const exact = `${path}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
  for (const old of [exact, `${path}?limit=1&continue=${chunk.metadata.continue}`])
    await expect(jane.request({ method: 'GET', path: old })).rejects.toMatchObject({ code: 410 });
  const ofJoe = await watching(joe, resourceVersion);
  const anew = await openWatch(jane, 'four');
  await waitFor('the event', () => ofJoe.events.length > 0);
  for (const { stop } of [ofJoe, anew]) stop();
});

test('staleReads: what may be stale is, what is consistent is not', async () => {
  await controlPlane.faults.staleReads('10m', { user: 'jane' });
  await controlPlane.admin.create(map('one'));
  const names = async (client: ApiClient, query: string): Promise<(string | undefined)[]> => {
    const list = (await client.request({ method: 'GET', path: `${path}${query}` })) as { items: ApiObject[] };
    return list.items.map(({ metadata }) => metadata.name);
  };
  expect(await names(jane, '?resourceVersion=0')).not.toContain('one');
  await expect(jane.request({ method: 'GET', path: `${path}/one?resourceVersion=0` })).rejects.toMatchObject({
    code: 404,
  });
  expect(await names(jane, '')).toContain('one');
  expect(await names(joe, '?resourceVersion=0')).toContain('one');
});

test('lagReplica: events come late, in order and complete', async () => {
  await using fault = await controlPlane.faults.lagReplica('300ms', { user: 'jane' });
  const { metadata } = await controlPlane.admin.list(maps);
  const late = await watching(jane, metadata.resourceVersion);
  const prompt = await watching(joe, metadata.resourceVersion);
  const startedAt = performance.now();
  for (const name of ['one', 'two', 'three']) await controlPlane.admin.create(map(name));
  await waitFor('the prompt events', () => prompt.events.length === 3);
  expect(late.events).toEqual([]);
  await waitFor('the late events', () => late.events.length === 3);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300);
  expect(late.events).toEqual(prompt.events);
  expect(await fault.strikes()).toBe(1);
  for (const { stop } of [late, prompt]) stop();
});

test('restart: connections end, and the service comes back at the same port with what it had', async () => {
  await controlPlane.admin.create(map('one'));
  const watch = await openWatch(jane, 'two');
  await controlPlane.faults.restart();
  await watch.end;
  expect(await jane.get(map('one'))).toMatchObject({ data: { level: 'low' } });
  await controlPlane.reset();
  expect(await controlPlane.admin.find(map('one'))).toBeUndefined();
});

test('restart while requests come: the one that it strikes is cut, later ones find no server or the new one', async () => {
  await controlPlane.faults.restart({ downFor: '50ms', after: 1, user: 'jane' });
  await jane.create(map('one'));
  await expect(jane.create(map('two'))).rejects.toMatchObject({ code: 'ECONNRESET' });
  await expect(jane.list(maps)).rejects.toThrow(/ECONN|socket hang up|disconnected/);
  await waitFor('the service', () => jane.get(map('one')));
  expect(await controlPlane.admin.find(map('two'))).toBeUndefined();
});

test('faults end with their handle, all of them by clear and by reset', async () => {
  const refused = (): Promise<unknown> =>
    jane.list(maps).then(
      () => 'served',
      () => 'refused',
    );
  const fault = await controlPlane.faults.refuse('list', '*', 500);
  expect(await refused()).toBe('refused');
  await fault.end();
  expect(await refused()).toBe('served');
  await controlPlane.faults.refuse('list', '*', 500);
  await controlPlane.faults.clear();
  expect(await refused()).toBe('served');
  await controlPlane.faults.refuse('list', '*', 500);
  await controlPlane.reset();
  expect(await refused()).toBe('served');
  expect(await controlPlane.faults.log()).toEqual([]);
});

test('a wait that fails says the seed, and what was struck', async () => {
  await controlPlane.faults.refuse('create', 'configmaps', 500, { user: 'jane' });
  await jane.create(map('one')).catch(() => undefined);
  const wait = controlPlane.until(map('one'), (found) => found !== undefined, { timeoutMs: 30 });
  await expect(wait).rejects.toThrow(
    /1 requests were struck by faults \(seed \d+\)[^]*refuse: create configmaps default of jane: refused with 500/,
  );
});

test('what is done once waits for the request that is named; what it struck has that name', async () => {
  const watch = await watching(jane);
  const requests = ['get configmaps default/one of jane #2'];
  const fault = await controlPlane.faults.closeWatches({ user: 'jane', requests });
  await controlPlane.admin.create(map('one'));
  await waitFor('the event', () => watch.events.length === 1);
  await jane.get(map('one'));
  await jane.find(map('two'));
  expect(await fault.strikes()).toBe(0);
  await jane.get(map('one'));
  expect(await watch.end).toBeUndefined();
  expect(await fault.requests()).toEqual(requests);
});

test.each([
  ['a fault', () => controlPlane.faults.refuse('get', 'Secret', 503)],
  ['a file', () => controlPlane.load('/nowhere/shop.yaml')],
  ['the clock', () => controlPlane.advance('1h')],
])('what cannot be done is said with the line that asked for it: %s', async (_name, ask) => {
  const lineOfTheTest = async (): Promise<void> => {
    await ask();
  };
  const error = await lineOfTheTest().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect((error as Error).stack).toContain('lineOfTheTest');
});
