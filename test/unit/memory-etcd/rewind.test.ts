/** Keys are brought back to what they were, as a revision like any other. */
import fc from 'fast-check';

import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { MemoryEtcd } from '../../../src/memory-etcd/memory-etcd.ts';
import {
  compactMethod,
  deleteRangeMethod,
  leaseGrantMethod,
  leaseRevokeMethod,
  numberOf,
  putMethod,
  rangeMethod,
  watchMethod,
} from '../../../src/storage/etcd/etcd-messages.ts';
import type { EtcdLine } from '../../../src/storage/etcd/etcd-line.ts';
import type { EtcdEvent } from '../../../src/storage/etcd/message-types.ts';
import { waitFor } from '../../support/wait-for.ts';

const timeoutMs = 1_000;

class Client {
  readonly etcd = new MemoryEtcd({ clock: systemClock, random: systemRandom });
  readonly #line: Promise<EtcdLine> = Promise.resolve(this.etcd.connectLine('http://memory', timeoutMs));

  async put(key: string, value: string, lease = 0): Promise<void> {
    const line = await this.#line;
    await line.call(putMethod, { key: Buffer.from(key), value: Buffer.from(value), lease }, timeoutMs);
  }

  async delete(key: string): Promise<void> {
    await (await this.#line).call(deleteRangeMethod, { key: Buffer.from(key) }, timeoutMs);
  }

  async compact(): Promise<void> {
    const { revision, compactRevision } = this.etcd;
    if (revision > compactRevision) await (await this.#line).call(compactMethod, { revision }, timeoutMs);
  }

  async lease(): Promise<number> {
    const { ID } = await (await this.#line).call(leaseGrantMethod, { TTL: 100, ID: 7 }, timeoutMs);
    return numberOf(ID);
  }

  async revoke(ID: number): Promise<void> {
    await (await this.#line).call(leaseRevokeMethod, { ID }, timeoutMs);
  }

  async all(): Promise<Record<string, string>> {
    const range = { key: Buffer.of(0), range_end: Buffer.of(0) };
    const { kvs } = await (await this.#line).call(rangeMethod, range, timeoutMs);
    return Object.fromEntries(kvs.map(({ key, value }) => [key.toString(), value.toString()]));
  }

  async watch(onEvents: (events: readonly EtcdEvent[], revision: number) => void): Promise<void> {
    const create_request = { key: Buffer.of(0), range_end: Buffer.of(0), start_revision: 1 };
    (await this.#line).stream(
      watchMethod,
      { create_request },
      {
        onAnswer: ({ events, header }) => onEvents(events, numberOf(header.revision)),
        onEnd: () => undefined,
      },
    );
  }
}

const step = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constant('put' as const), fc.nat(6), fc.nat(3)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('delete' as const), fc.nat(6), fc.constant(0)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('compact' as const), fc.constant(0), fc.constant(0)) },
);
const steps = fc.array(step, { maxLength: 20 });

async function run(client: Client, program: readonly ['put' | 'delete' | 'compact', number, number][]) {
  for (const [what, key, value] of program) {
    if (what === 'put') await client.put(`k${String(key)}`, String(value));
    else if (what === 'delete') await client.delete(`k${String(key)}`);
    else await client.compact();
  }
}

test('whatever happened since, the keys are as they were, in one revision at most', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, after) => {
      const client = new Client();
      await run(client, before);
      const snapshot = client.etcd.snapshot();
      const wanted = await client.all();
      await run(client, after);
      const is = await client.all();
      const { revision } = client.etcd;
      const differing = new Set(
        [...Object.keys(is), ...Object.keys(wanted)].filter((key) => is[key] !== wanted[key]),
      );
      expect(client.etcd.rewind(snapshot)).toBe(differing.size);
      expect(await client.all()).toEqual(wanted);
      expect(client.etcd.revision).toBe(revision + (differing.size > 0 ? 1 : 0));
    }),
  );
});

test('what a rewind has made equal is not looked at again, and keys are as they were all the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 4 }), async (rounds) => {
      const client = new Client();
      await client.put('k1', 'first');
      const wanted = await client.all();
      const snapshot = client.etcd.snapshot();
      let equalAt: number | undefined;
      for (const program of rounds) {
        await run(client, program);
        client.etcd.rewind(snapshot, undefined, equalAt);
        equalAt = client.etcd.revision;
        expect(await client.all()).toEqual(wanted);
        const looked = new Set<string>();
        client.etcd.rewind(snapshot, (key) => looked.add(key).size > 0, equalAt);
        expect([...looked]).toEqual([]);
      }
    }),
  );
});

test('a snapshot of another etcd is taken over whole', async () => {
  const [one, other] = [new Client(), new Client()];
  await run(one, [
    ['put', 1, 1],
    ['put', 2, 2],
  ]);
  await run(other, [
    ['put', 2, 1],
    ['put', 3, 3],
    ['put', 4, 4],
    ['put', 5, 5],
  ]);
  expect(one.etcd.rewind(other.etcd.snapshot())).toBe(5);
  expect(await one.all()).toEqual(await other.all());
});

test('watches go on and are told; keys that are not included stay', async () => {
  const client = new Client();
  await run(client, [
    ['put', 1, 1],
    ['put', 2, 2],
  ]);
  const snapshot = client.etcd.snapshot();
  await run(client, [
    ['put', 1, 3],
    ['delete', 2, 0],
    ['put', 3, 3],
    ['put', 4, 4],
  ]);
  const told: string[] = [];
  let seen = 0;
  await client.watch((events, revision) => {
    for (const { type, kv } of events)
      told.push(`${String(type)} ${kv.key.toString()} ${kv.value.toString()}`);
    seen = revision;
  });
  await waitFor('the watch to catch up', () => told.length === 6);
  told.length = 0;
  expect(client.etcd.rewind(snapshot, (key) => key !== 'k4')).toBe(3);
  await waitFor('the events', () => told.length === 3);
  expect(seen).toBe(client.etcd.revision);
  expect(told.sort()).toEqual(['0 k1 1', '0 k2 2', '1 k3 ']);
  expect(await client.all()).toEqual({ k1: '1', k2: '2', k4: '4' });
});

test('a key whose lease has ended is not put again', async () => {
  const client = new Client();
  const lease = await client.lease();
  await client.put('event', 'one', lease);
  const snapshot = client.etcd.snapshot();
  await client.put('event', 'two', lease);
  expect(client.etcd.rewind(snapshot)).toBe(1);
  expect(await client.all()).toEqual({ event: 'one' });
  await client.revoke(lease);
  expect(client.etcd.rewind(snapshot)).toBe(0);
  expect(await client.all()).toEqual({});
});
