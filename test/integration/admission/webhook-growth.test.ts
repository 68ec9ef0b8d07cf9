/** Webhooks whose answers are large: the thread that serves everyone neither reads them nor carries out what they make of a write. */
import { readFileSync } from 'node:fs';

import {
  allowing,
  configMaps,
  patching,
  refusing,
  startHooked,
  type Hooked,
} from '../../support/admission-webhook.ts';

let hooked: Hooked;

beforeAll(async () => {
  hooked = await startHooked();
}, 60_000);
afterAll(() => hooked[Symbol.asyncDispose]());
beforeEach(() => {
  hooked.server.calls.length = 0;
});
afterEach(async () => {
  hooked.answers.clear();
  for (const kind of ['mutating', 'validating'] as const) await hooked.configure(kind, []);
});

const mostMs = 100;

/** Milliseconds of processor time that the main thread of the first replica has taken. */
function servingMs(): number {
  const pid = String(hooked.services.replicas[0]?.pid);
  const [ran = ''] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(ran) / 1e6;
}

function texts(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${String(i)}`, 'v']));
}

test.each([
  ['says much', [{ op: 'add', path: '/data', value: texts(40_000) }]],
  [
    'copies much',
    [
      { op: 'add', path: '/metadata/finalizers', value: Array.from({ length: 2_000 }, () => 'a.b/c') },
      { op: 'add', path: '/data', value: texts(1_000) },
      ...Array.from({ length: 40 }, (_, i) => ({
        ...{ op: 'copy', from: '/metadata/finalizers' },
        path: `/metadata/l${String(i)}`,
      })),
    ],
  ],
])('a patch that %s is applied beside the serving thread', async (_, operations) => {
  const { admin } = hooked.services;
  await hooked.configure('mutating', [hooked.hook('grow')]);
  await admin.ok('POST', configMaps, { metadata: { generateName: 'warm-' }, data: { a: 'x' } });
  hooked.answers.set('grow', (asked) => patching(asked, ...operations));
  const before = servingMs();
  const answer = await admin.request('POST', configMaps, { metadata: { generateName: 'grown-' } });
  expect(servingMs() - before).toBeLessThan(mostMs);
  expect(answer.status).toBe(201);
  expect(Object.keys(answer.json()['data'] as object).length).toBeGreaterThanOrEqual(1_000);
  // Once for the write as it came, once for the large one that it is.
  expect(hooked.asked('grow').slice(1)).toHaveLength(2);
});

test('a long refusal is read beside the serving thread, and refuses even where failures are ignored', async () => {
  const { admin } = hooked.services;
  const path = `${configMaps}/judged`;
  await admin.ok('POST', configMaps, { metadata: { name: 'judged' } });
  const status = {
    code: 403,
    details: { causes: Array.from({ length: 60_000 }, () => ({ reason: 'Odd' })) },
  };
  hooked.answers.set('judge', (asked) => refusing(asked, status));
  await hooked.configure('validating', [hooked.hook('judge', { failurePolicy: 'Ignore' })]);
  const before = servingMs();
  expect((await admin.patch(path, 'merge', { data: { a: 'b' } })).status).toBe(403);
  expect((await admin.request('DELETE', path)).status).toBe(403);
  expect(servingMs() - before).toBeLessThan(mostMs);
});

test('the deletion of many cannot move: a long answer fails the call', async () => {
  const { admin } = hooked.services;
  await admin.ok('POST', configMaps, { metadata: { name: 'kept', labels: { is: 'kept' } } });
  hooked.answers.set('judge', (asked) => allowing(asked, { warnings: ['x'.repeat(300_000)] }));
  await hooked.configure('validating', [hooked.hook('judge')]);
  const deleted = await admin.request('DELETE', `${configMaps}?labelSelector=is%3Dkept`);
  expect([deleted.status, deleted.json()['message']]).toEqual([
    500,
    expect.stringMatching(/failed calling webhook "judge.example.com".*the response is longer than 256 KiB$/),
  ]);
  expect((await admin.get(`${configMaps}/kept`)).status).toBe(200);
});
