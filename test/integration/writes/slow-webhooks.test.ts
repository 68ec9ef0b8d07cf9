/** Large writes whose webhooks take their time: meanwhile others have the write threads. */
import { waitFor } from '../../support/wait-for.ts';
import { allowing, configMaps, patching, startHooked, type Hooked } from '../../support/admission-webhook.ts';
import { binding, rbac, until } from '../../support/authorized-server.ts';

let hooked: Hooked;
/** Lets webhooks that hold an answer back give it. */
const release: (() => void)[] = [];

beforeAll(async () => {
  hooked = await startHooked();
  const { admin, as } = hooked.services;
  const subjects = ['ann', 'bob', 'carl'].map((name) => `User ${name}`);
  const path = `${rbac}/clusterrolebindings`;
  await admin.ok('POST', path, binding('writers', 'ClusterRole cluster-admin', ...subjects));
  for (const user of ['ann', 'bob', 'carl']) await until(as(user), ['GET', configMaps], 200);
  hooked.answers.set('slow', (asked) => {
    const answer =
      asked.operation === 'DELETE'
        ? allowing(asked)
        : patching(asked, { op: 'add', path: '/metadata/annotations', value: { seen: 'yes' } });
    return new Promise((resolve) => release.push(() => resolve(answer)));
  });
  const objectSelector = { matchLabels: { slow: 'yes' } };
  await hooked.configure('mutating', [hooked.hook('slow', { objectSelector, timeoutSeconds: 30 })]);
  // The threads are there from here on.
  for (const bytes of [alone, shared]) await admin.ok('POST', configMaps, configMap(bytes));
}, 90_000);
afterAll(() => hooked[Symbol.asyncDispose]());
beforeEach(() => {
  hooked.server.calls.length = 0;
});
afterEach(answerAll);

const alone = 700_000;
const shared = 400_000;

function configMap(bytes: number, labels: Record<string, string> = {}): object {
  return { metadata: { generateName: 'large-', labels }, data: { padding: 'x'.repeat(bytes) } };
}

/** Writes that a slow webhook is asked about. */
function slowWrites(user: string, count: number, bytes: number): Promise<number[]> {
  const client = hooked.services.as(user);
  const body = configMap(bytes, { slow: 'yes' });
  const writes = Array.from({ length: count }, () => client.post(configMaps, body));
  return Promise.all(writes.map(async (write) => (await write).status));
}

function isRequested(count: number): Promise<unknown> {
  return waitFor('the webhook to be asked', () => Promise.resolve(release.length === count));
}

/** No webhook concerns it; it takes a part of a second. */
async function quickWrite(user: string, bytes: number): Promise<number> {
  const startedAt = performance.now();
  const { status } = await hooked.services.as(user).post(configMaps, configMap(bytes));
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  return status;
}

function answerAll(): void {
  for (const answer of release.splice(0)) answer();
}

/** All of these, while the webhook answers whatever it is asked. */
async function answered<T>(writes: readonly Promise<T>[]): Promise<T[]> {
  let isOver = false;
  const all = Promise.all(writes).finally(() => (isOver = true));
  await waitFor('all to be answered', () => {
    answerAll();
    return Promise.resolve(isOver);
  });
  return all;
}

test('the largest writes do not wait for the webhook of another', async () => {
  const slow = slowWrites('ann', 1, alone);
  await isRequested(1);
  expect(await quickWrite('bob', alone)).toBe(201);
  answerAll();
  expect(await slow).toEqual([201]);
});

test('a user with many such writes does not block others; all are completed', async () => {
  const slow = slowWrites('ann', 4, alone);
  await isRequested(2);
  expect(await quickWrite('bob', alone)).toBe(201);
  expect(release).toHaveLength(2);
  answerAll();
  await isRequested(2);
  answerAll();
  expect(await slow).toEqual([201, 201, 201, 201]);
});

test('two users do not fill the lane of several at once', async () => {
  const slow = [slowWrites('ann', 7, shared), slowWrites('bob', 7, shared)];
  await waitFor('webhooks to be asked', () => Promise.resolve(release.length >= 10));
  expect(await quickWrite('carl', shared)).toBe(201);
  expect((await answered(slow)).flat()).toEqual(Array.from({ length: 14 }, () => 201));
});

test('writers that wait for their turn on an object do not block others', async () => {
  const { admin, as } = hooked.services;
  const made = admin.ok('POST', configMaps, configMap(alone, { slow: 'yes' }));
  await isRequested(1);
  answerAll();
  const path = `${configMaps}/${(await made).metadata.name}`;
  const patch = (user: string, key: string) => as(user).patch(path, 'merge', { data: { [key]: 'x' } });
  const patches = ['ann', 'bob'].map((user, i) => patch(user, `k${String(i)}`));
  await isRequested(2);
  answerAll();
  // One of them lost and begins again, and another one waits for it.
  await isRequested(1);
  const last = patch('bob', 'last');
  expect(await quickWrite('carl', alone)).toBe(201);
  expect((await answered([...patches, last])).map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('a request that times out during a webhook call releases its share', async () => {
  const { as } = hooked.services;
  const body = configMap(alone, { slow: 'yes' });
  const late = Array.from({ length: 2 }, () => as('ann').post(`${configMaps}?timeout=2s`, body));
  await isRequested(2);
  const next = slowWrites('ann', 1, alone);
  expect((await Promise.all(late)).map(({ status }) => status)).toEqual([504, 504]);
  await isRequested(3);
  answerAll();
  expect(await next).toEqual([201]);
});
