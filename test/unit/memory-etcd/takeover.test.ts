/** Keys are brought back to an earlier state by taking it over whole: as a rewind does it key by key. */
import fc from 'fast-check';

import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { MemoryEtcd, type OtherKeys } from '../../../src/memory-etcd/memory-etcd.ts';
import type { EtcdLine } from '../../../src/storage/etcd/etcd-line.ts';
import {
  deleteRangeMethod,
  leaseGrantMethod,
  leaseRevokeMethod,
  numberOf,
  putMethod,
  rangeMethod,
  watchMethod,
} from '../../../src/storage/etcd/etcd-messages.ts';
import type { EtcdEvent, WatchResponse } from '../../../src/storage/etcd/message-types.ts';
import { waitFor } from '../../support/wait-for.ts';

const timeoutMs = 1_000;
const whole = { key: Buffer.of(0), range_end: Buffer.of(0) };
const leases = [7, 8] as const;
const state = { of: 'the test' };

/** Keys that are not brought back begin with an x. */
const isOther = (key: string): boolean => key.startsWith('x');
const others: OtherKeys = function* (first) {
  for (let key = first('x'); key?.startsWith('x') === true; key = first(`${key}\0`)) yield key;
};

interface Kept {
  readonly value: string;
  readonly version: number;
  readonly modRevision: number;
}

class Client {
  readonly etcd = new MemoryEtcd({ clock: systemClock, random: systemRandom });
  readonly #line: Promise<EtcdLine> = Promise.resolve(this.etcd.connectLine('http://memory', timeoutMs));

  async begin(): Promise<void> {
    for (const ID of leases) await (await this.#line).call(leaseGrantMethod, { TTL: 100, ID }, timeoutMs);
  }

  async run(program: Program): Promise<void> {
    const line = await this.#line;
    for (const { name, value, lease } of program) {
      const key = Buffer.from(name);
      if (value === undefined) await line.call(deleteRangeMethod, { key }, timeoutMs);
      else
        await line
          .call(putMethod, { key, value: Buffer.from(value), lease }, timeoutMs)
          .catch(() => undefined);
    }
  }

  async revoke(ID: number): Promise<void> {
    await (await this.#line).call(leaseRevokeMethod, { ID }, timeoutMs);
  }

  async all(): Promise<Map<string, Kept>> {
    const { kvs } = await (await this.#line).call(rangeMethod, whole, timeoutMs);
    return new Map(kvs.map((kv) => [kv.key.toString(), keptOf(kv)]));
  }

  async values(includes = (_key: string) => true): Promise<Record<string, string>> {
    const all = [...(await this.all())].filter(([key]) => includes(key));
    return Object.fromEntries(all.map(([key, { value }]) => [key, value]));
  }

  async watch(more: object, onAnswer: (answer: WatchResponse) => void): Promise<void> {
    const create_request = { ...whole, start_revision: this.etcd.revision + 1, ...more };
    (await this.#line).stream(watchMethod, { create_request }, { onAnswer, onEnd: () => undefined });
  }
}

function keptOf({ value, version, mod_revision }: EtcdEvent['kv']): Kept {
  return { value: value.toString(), version: numberOf(version), modRevision: numberOf(mod_revision) };
}

const step = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd', 'x1', 'x2', 'z'),
  value: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
  lease: fc.constantFrom(0, 0, ...leases),
});
const steps = fc.array(step, { maxLength: 16 });
type Program = readonly {
  readonly name: string;
  readonly value: string | undefined;
  readonly lease: number;
}[];

test('it leaves what a rewind leaves: keys, versions, leases, and how many changed', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, steps, fc.boolean(), async (before, after, later, revokes) => {
      const [client, oracle] = [new Client(), new Client()];
      const snapshots = [];
      for (const each of [client, oracle]) {
        await each.begin();
        await each.run(before);
        snapshots.push(each.etcd.snapshot());
        await each.run(after);
        if (revokes) await each.revoke(leases[0]);
      }
      const [snapshot, same] = snapshots as [(typeof snapshots)[0], (typeof snapshots)[0]];
      const { revision } = client.etcd;
      const kept = await client.values(isOther);
      const changed = oracle.etcd.rewind(same, (key) => !isOther(key));
      expect(client.etcd.takeOver(snapshot, others, state)).toBe(changed);
      expect(client.etcd.revision).toBe(revision + (changed > 0 ? 1 : 0));
      expect(await client.values()).toEqual(await oracle.values());
      expect(await client.values(isOther)).toEqual(kept);
      // Whoever had a key's revision before sees that it changed.
      const [is, wanted] = [await client.all(), await oracle.all()];
      if (changed > 0)
        for (const [key, { modRevision }] of wanted) expect(is.get(key)?.modRevision).toBe(modRevision);
      // Leases hold what they held: also later, when they end.
      for (const each of [client, oracle]) {
        await each.run(later);
        await each.revoke(leases[1]);
        if (!revokes) await each.revoke(leases[0]);
      }
      expect(await client.values()).toEqual(await oracle.values());
      // The snapshot is what it was, and can be taken again.
      const again = client.etcd.takeOver(snapshot, others, state);
      expect(again).toBe(oracle.etcd.rewind(same, (key) => !isOther(key)));
      expect(await client.values()).toEqual(await oracle.values());
    }),
    { numRuns: 300 },
  );
}, 60_000);

test('a watch that takes states gets what differs from the state; others end as after a compaction', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, after) => {
      const client = new Client();
      await client.begin();
      await client.run(before);
      const snapshot = client.etcd.snapshot();
      const then = await client.all();
      await client.run([...after, { name: 'added', value: '1', lease: 0 }]);
      const [taken, told]: [WatchResponse[], WatchResponse[]] = [[], []];
      await client.watch({ takes_states: true }, (answer) => taken.push(answer));
      await client.watch({}, (answer) => told.push(answer));
      client.etcd.takeOver(snapshot, others, state);
      await waitFor('both answers', () => taken.length === 2 && told.length === 2);
      expect(numberOf((told[1] as WatchResponse).compact_revision)).toBe(client.etcd.revision);
      const { replacement, header } = taken[1] as WatchResponse;
      expect(replacement?.state).toBe(state);
      expect(numberOf(header.revision)).toBe(client.etcd.revision);
      for (const { type, kv } of replacement?.events ?? [])
        if (type === 0) then.set(kv.key.toString(), keptOf(kv));
        else then.delete(kv.key.toString());
      expect(then).toEqual(await client.all());
    }),
  );
}, 60_000);

test('what is added since goes in no time that depends on it', async () => {
  const client = new Client();
  await client.run([{ name: 'a', value: '1', lease: 0 }]);
  const snapshot = client.etcd.snapshot();
  const added = Array.from({ length: 3_000 }, (_, i) => ({ name: `b${String(i)}`, value: '1', lease: 0 }));
  await client.run(added);
  let looked = 0;
  const counted: OtherKeys = (first) => others((from) => ((looked += 1), first(from)));
  expect(client.etcd.takeOver(snapshot, counted, state)).toBe(added.length);
  expect(looked).toBeLessThan(10);
  expect(await client.values()).toEqual({ a: '1' });
});
