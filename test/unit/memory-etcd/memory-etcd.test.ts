/** What an etcd in memory can that a real one cannot: copies, other pasts, the true history; and slow watches. */
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { MemoryEtcd } from '../../../src/memory-etcd/memory-etcd.ts';
import type { AnswerStream, EtcdLine } from '../../../src/storage/etcd/etcd-line.ts';
import {
  compactMethod,
  numberOf,
  putMethod,
  rangeMethod,
  watchMethod,
} from '../../../src/storage/etcd/etcd-messages.ts';
import type { WatchResponse } from '../../../src/storage/etcd/message-types.ts';
import { waitFor } from '../../support/wait-for.ts';

let etcd: MemoryEtcd;
let line: EtcdLine;

beforeEach(async () => {
  etcd = new MemoryEtcd({ clock: systemClock, random: systemRandom });
  line = await lineOf(etcd);
});
afterEach(() => {
  etcd.close();
});

const lineOf = (of: MemoryEtcd): Promise<EtcdLine> => of.connectLine('http://memory:2379', 1_000);
const put = (to: EtcdLine, key: string, value: string) =>
  to.call(putMethod, { key: Buffer.from(key), value: Buffer.from(value) }, 1_000);

async function read(from: EtcdLine): Promise<string[]> {
  const everything = { key: Buffer.from([0]), range_end: Buffer.from([0]) };
  const { kvs } = await from.call(rangeMethod, everything, 1_000);
  return kvs.map((kv) => `${kv.key.toString()}=${kv.value.toString()}@${String(kv.mod_revision)}`);
}

class Watch {
  readonly responses: WatchResponse[] = [];
  readonly stream: AnswerStream;
  error: Error | undefined;

  constructor(of: EtcdLine, start_revision: number) {
    const create_request = { key: Buffer.from([0]), range_end: Buffer.from([0]), start_revision };
    this.stream = of.stream(
      watchMethod,
      { create_request },
      {
        onAnswer: (response) => this.responses.push(response),
        onEnd: (error) => {
          this.error = error;
        },
      },
    );
  }

  get values(): string[] {
    return this.responses.flatMap(({ events }) => events.map(({ kv }) => kv.value.toString()));
  }
}

describe('copies', () => {
  test('go their own way, also after a compaction of one', async () => {
    await put(line, 'a', '1');
    await put(line, 'b', '1');
    const copy = etcd.fork();
    const other = await lineOf(copy);
    await put(line, 'a', '2');
    await put(other, 'b', '3');
    await put(other, 'c', '3');
    await other.call(compactMethod, { revision: 5 }, 1_000);
    expect(await read(line)).toEqual(['a=2@4', 'b=1@3']);
    expect(await read(other)).toEqual(['a=1@2', 'b=3@4', 'c=3@5']);
    expect([...etcd.changesAfter(1)].map(({ revision }) => revision)).toEqual([2, 3, 4]);
    expect([...copy.changesAfter(1)].map(({ revision }) => revision)).toEqual([5]);
    copy.close();
  });

  test('a watch of the original goes on', async () => {
    const watch = new Watch(line, 0);
    etcd.fork().close();
    await put(line, 'a', '1');
    await waitFor('the event', () => watch.values.length === 1, { interval: 1 });
  });
});

test('another past: connections end, the cluster has another id, and what came later is gone', async () => {
  await put(line, 'a', '1');
  const snapshot = etcd.snapshot();
  await put(line, 'a', '2');
  const before = etcd.clusterId;
  const watch = new Watch(line, 0);
  etcd.restore(snapshot);
  await expect(read(line)).rejects.toMatchObject({ kind: 'notSent' });
  await waitFor('the end of the watch', () => watch.error !== undefined, { interval: 1 });
  expect(etcd.clusterId).not.toBe(before);
  const again = await lineOf(etcd);
  expect(await read(again)).toEqual(['a=1@2']);
  await put(again, 'b', '1');
  etcd.restore(snapshot);
  expect(await read(await lineOf(etcd))).toEqual(['a=1@2']);
});

describe('a watch whose client does not read', () => {
  test('keeps few answers, and gets all events from the history when its client reads again', async () => {
    const watch = new Watch(line, 0);
    watch.stream.pause();
    const values = Array.from({ length: 2_500 }, (_, index) => String(index));
    for (const value of values) await put(line, 'a', value);
    expect(watch.responses).toEqual([]);
    watch.stream.resume();
    await waitFor('the events', () => watch.values.length >= values.length, { interval: 1 });
    expect(watch.values).toEqual(values);
    // Those that waited, and the rest a thousand revisions at a time.
    expect(watch.responses.length).toBe(128 + 3);
  });

  test('is cancelled if its part of the history is gone meanwhile', async () => {
    const watch = new Watch(line, 0);
    watch.stream.pause();
    for (let index = 0; index < 200; index += 1) await put(line, 'a', String(index));
    await line.call(compactMethod, { revision: etcd.revision }, 1_000);
    watch.stream.resume();
    await waitFor('the end', () => watch.responses.at(-1)?.canceled, { interval: 1 });
    expect(numberOf(watch.responses.at(-1)?.compact_revision ?? 0)).toBe(etcd.revision);
  });
});

test('a loop of calls lets timers run', async () => {
  let isDue = false;
  const timer = setTimeout(() => {
    isDue = true;
  });
  while (!isDue) await put(line, 'a', '1');
  clearTimeout(timer);
  expect(etcd.revision).toBeGreaterThan(1);
});
