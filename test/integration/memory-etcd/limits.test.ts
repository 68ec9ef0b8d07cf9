/** Where etcd's limits are, the etcd in memory has them, too: sizes, long histories, leases that end, a full database. */
import type { MemoryEtcd } from '../../../src/memory-etcd/memory-etcd.ts';
import { numberOf } from '../../../src/storage/etcd/etcd-messages.ts';
import type { Int64 } from '../../../src/storage/etcd/message-types.ts';
import { waitFor } from '../../support/wait-for.ts';
import { methods } from './support/methods.ts';
import { Twins, type Outcome } from './support/twins.ts';

let twins: Twins;

beforeAll(async () => {
  twins = await Twins.start();
});
afterAll(() => twins.close());
beforeEach(() => twins.reset());

const bytes = (text: string): Buffer => Buffer.from(text);
const all = { key: bytes('k'), range_end: bytes('l') };

describe('watches', () => {
  test.each([
    { fragment: true, prev_kv: false },
    { fragment: true, prev_kv: true },
    { fragment: false, prev_kv: true },
  ])('a large answer is cut at the same events: %p', async (kind) => {
    const start_revision = twins.revision + 1;
    for (const [index, kib] of [900, 700, 300, 1, 1_400, 1_400, 600, 2, 1_396].entries())
      await twins.ask('put', {
        key: bytes(`k${String(index % 4)}`),
        value: Buffer.alloc(kib * 1_024, index),
      });
    const watch = twins.watch({ ...all, start_revision, ...kind });
    await watch.settle();
    watch.cancel();
    expect(watch.fromReal.length > 2).toBe(kind.fragment);
  });

  test('a long history comes a thousand revisions at a time', async () => {
    const start_revision = twins.revision + 1;
    const put = { key: bytes('k'), value: bytes('1') };
    for (let round = 0; round < 25; round += 1)
      for (const line of [twins.real, twins.memory])
        await Promise.all(Array.from({ length: 100 }, () => line.call(methods.put, put, 10_000)));
    const watch = twins.watch({ ...all, start_revision });
    await watch.settle();
    watch.cancel();
    expect(watch.fromReal).toHaveLength(1 + 3);
  });

  test.each([
    ['of an empty range', { key: bytes('k'), range_end: bytes('a') }],
    ['from the future', { ...all, start_revision: 1_000_000 }],
  ])('a watch %s', async (_what, request) => {
    const watch = twins.watch(request);
    await watch.settle();
    await twins.ask('put', { key: bytes('k') });
    await watch.settle();
    watch.cancel();
  });
});

test('a watch from a negative revision', async () => {
  // Of 3.5 and 3.6 only late releases refuse it.
  if (twins.release !== '3.4') return;
  const watch = twins.watch({ ...all, start_revision: -5 });
  await watch.settle();
  watch.cancel();
});

describe('requests', () => {
  const maxBytes = 1.5 * 1_024 * 1_024;

  test.each([-1_000, 1_000, 600_000])('a put of the largest size and %p bytes', async (more) => {
    const value = Buffer.alloc(maxBytes + more);
    const [real, memory] = await twins.outcomes('put', { key: bytes('k'), value });
    expect(memory).toEqual(real);
    await twins.ask('txn', { success: [{ request_put: { key: bytes('k'), value } }] });
  });

  test('a transaction that only reads may be larger', async () => {
    const compare = [{ key: bytes('k'), target: 3, value: Buffer.alloc(maxBytes + 100_000) }];
    await twins.ask('txn', { compare, success: [{ request_range: { key: bytes('k') } }] });
    await twins.ask('txn', { compare, failure: [{ request_delete_range: { key: bytes('k') } }] });
  });

  test.each([127, 128, 129])('a transaction of %p operations', async (length) => {
    const success = Array.from({ length }, (_, index) => ({
      request_put: { key: bytes(`k${String(index)}`) },
    }));
    await twins.ask('txn', { success });
    await twins.ask('txn', { success: [{ request_txn: { success } }] });
    await twins.ask('txn', { compare: success.map(() => ({ key: bytes('k') })) });
  });

  test('without users nobody is authenticated', async () => {
    await twins.ask('authenticate', { name: 'root', password: 'x' });
  });
});

describe('leases', () => {
  test('short ones are extended, and a lease without an id gets one', async () => {
    const [real, memory] = (await twins.outcomes('grant', { TTL: 1 })).map(withoutId);
    expect(memory).toEqual(real);
    await twins.ask('grant', { ID: 3, TTL: -4 });
  });

  test('the keys of a lease that ends are removed in one revision, in their order', async () => {
    await twins.ask('grant', { ID: 9, TTL: 2 });
    for (const key of ['kb', 'ka', 'kc']) await twins.ask('put', { key: bytes(key), lease: 9 });
    await twins.ask('put', { key: bytes('kc') });
    const watch = twins.watch(all);
    await watch.settle();
    await waitFor('the lease to end', () => watch.fromMemory.length > 1);
    await watch.settle();
    watch.cancel();
    await twins.ask('range', all);
    await twins.ask('revoke', { ID: 9 });
    await twins.ask('keepAlive', { ID: 9 });
  });
});

function withoutId(outcome: Outcome): unknown {
  return 'answer' in outcome ? { ...(outcome.answer as object), ID: undefined } : outcome;
}

describe('a full database', () => {
  let full: Twins;

  beforeAll(async () => {
    const cluster = { extraArgs: ['--quota-backend-bytes=3000000'] } as const;
    full = await Twins.start({ cluster, memory: { quotaBytes: 3_000_000 } });
  });
  afterAll(() => full.close());

  async function fill(): Promise<void> {
    const put = { key: bytes('k'), value: Buffer.alloc(300_000) };
    for (const line of [full.real, full.memory])
      await waitFor(
        'the database to be full',
        async () => {
          const error: unknown = await line.call(methods.put, put, 10_000).catch((reason: unknown) => reason);
          return error instanceof Error;
        },
        { interval: 1 },
      );
  }

  async function refusals(): Promise<readonly unknown[]> {
    const put = { key: bytes('k') };
    const [a, b] = [await full.outcomes('put', put), await full.outcomes('grant', { ID: 1, TTL: 60 })];
    const txn = await full.outcomes('txn', { success: [{ request_put: put }] });
    for (const [real, memory] of [a, b, txn]) expect(memory).toEqual(real);
    return [a[0], b[0], txn[0]];
  }

  test('refuses what needs space, until it was freed and the alarm is taken back', async () => {
    await fill();
    const noSpace = { code: 8, details: 'etcdserver: mvcc: database space exceeded' };
    expect(await refusals()).toEqual([noSpace, noSpace, noSpace]);
    await alarms({ action: 0 });
    expect(await hasKeys(full.etcd)).toBe(true);
    for (const line of [full.real, full.memory]) {
      const range = (await line.call(methods.range, { key: bytes('k') }, 10_000)) as {
        header: { revision: Int64 };
      };
      await line.call(methods.deleteRange, all, 10_000);
      const revision = numberOf(range.header.revision) + 1;
      await line.call(methods.compact, { revision, physical: true }, 10_000);
      await line.call(methods.defragment, {}, 10_000);
    }
    expect(await refusals()).toEqual([noSpace, noSpace, noSpace]);
    const memberID = ((await full.real.call(methods.status, {}, 10_000)) as { leader: Int64 }).leader;
    await alarms({ action: 2, memberID, alarm: 1 });
    await alarms({ action: 0 });
    for (const outcome of await full.outcomes('put', { key: bytes('k') }))
      expect(outcome).toHaveProperty('answer');
  });

  /** How often it was written until it was full differs, and with it the revision. */
  async function alarms(request: object): Promise<void> {
    const [real, memory] = (await full.outcomes('alarm', request)).map((outcome) =>
      'answer' in outcome ? (outcome.answer as { alarms?: unknown }).alarms : outcome,
    );
    expect(memory).toEqual(real);
  }

  function hasKeys(etcd: MemoryEtcd): Promise<boolean> {
    return Promise.resolve([...etcd.changesAfter(0)].length > 0);
  }
});
