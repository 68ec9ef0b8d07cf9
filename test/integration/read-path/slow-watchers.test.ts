/** Thousands of small events beside watches that take none, or a byte at a time: they end, and nobody else waits. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';

import type { EventStream } from '../../support/client.ts';
import type { Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { change, configMaps, createMany, metricOf, openService, valueOf } from '../../support/read-path.ts';

const names = Array.from({ length: 16 }, (_none, index) => `w-${String(index)}`);
/** Small beside what a connection holds: thousands of them fit into the buffers of a watch. */
const padding = 5_000;

let service: Awaited<ReturnType<typeof openService>>;
let replica: Replica;

beforeAll(async () => {
  service = await openService();
  ({ replica } = service);
  await createMany(replica, names);
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

/** Writes from several clients at once until told to stop; each value is the time of its sending. */
async function writeWhile(isNeeded: () => boolean): Promise<number> {
  let written = 0;
  const write = async (name: string): Promise<void> => {
    for (; isNeeded(); written += 1) await change(replica, name, String(performance.now()), { padding });
  };
  await Promise.all(names.map(write));
  return written;
}

/** How late events come to a watch that reads, in milliseconds. */
class Clocked {
  readonly lateness: number[] = [];
  readonly #stream: EventStream;

  constructor(stream: EventStream) {
    this.#stream = stream;
    void this.#read();
  }

  /** What 95 % of the events since the last call stayed below. */
  takeP95(): number {
    const sorted = this.lateness.splice(0).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length * 0.95)] ?? NaN;
  }

  close(): void {
    this.#stream.close();
  }

  async #read(): Promise<void> {
    for await (const { object } of this.#stream)
      this.lateness.push(performance.now() - Number(valueOf(object)));
  }
}

/** Takes a byte whenever there is one, and then waits for the next turn. */
function sip(response: IncomingMessage): void {
  const taste = (): void => {
    if (response.destroyed) return;
    response.read(1);
    setTimeout(taste, 1);
  };
  response.on('error', () => undefined);
  taste();
}

function residentMb(): number {
  const status = readFileSync(`/proc/${replica.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

test('one that reads nothing and one that sips are ended, others are as quick as without them', async () => {
  const from = (await replica.admin.list(`${configMaps}?limit=1`)).metadata.resourceVersion;
  const path = `${configMaps}?resourceVersion=${from}`;
  const readers = await Promise.all([1, 2].map(async () => new Clocked(await replica.admin.watch(path))));
  const everyP95 = (): number => Math.max(...readers.map((reader) => reader.takeP95()));
  let left = 600;
  await writeWhile(() => left-- > 0);
  await waitFor('all events of the quiet time', () =>
    readers.every(({ lateness }) => lateness.length >= 600),
  );
  const alone = everyP95();
  const ended = await metricOf(replica, 'apiserver_terminated_watchers_total');
  const before = residentMb();
  const [unread, sipped] = await Promise.all(
    [1, 2].map(() => replica.admin.open('GET', `${path}&watch=true`)),
  );
  if (!unread || !sipped) throw new Error('two watches were asked for');
  sip(sipped);
  let isOver = false;
  const writing = writeWhile(() => !isOver);
  const areEnded = async (): Promise<boolean> =>
    (await metricOf(replica, 'apiserver_terminated_watchers_total')) - ended >= 2;
  await waitFor('both to be ended', areEnded, { timeout: 120_000 }).finally(() => (isOver = true));
  const grown = residentMb() - before;
  const written = await writing;
  await waitFor('all events', () => readers.every(({ lateness }) => lateness.length >= written));
  expect(written).toBeGreaterThan(1_500);
  expect(everyP95()).toBeLessThan(3 * alone + 100);
  expect(grown).toBeLessThan(200);
  expect(await metricOf(replica, 'apiserver_terminated_watchers_total')).toBe(ended + 2);
  for (const reader of readers) reader.close();
  unread.on('error', () => undefined).destroy();
  sipped.destroy();
}, 180_000);
