/** What the storage tests share: quick storages, a recording watcher, a client of etcd behind the storage's back. */
import { systemEnvironment } from '../../src/base/environment.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';

import { EtcdClient } from '../../src/storage/etcd/client.ts';
import { defaultTimes, type StorageLogger, type StorageOptions } from '../../src/storage/options.ts';
import { createEtcdStorage, type EtcdStorage } from '../../src/storage/storage.ts';
import type {
  CollectionSnapshot,
  Freshness,
  Revision,
  StorageError,
  StoredEvent,
  WatchOptions,
  WatchStart,
  WatchSubscriber,
} from '../../src/storage/types.ts';
import { memoryLines } from './etcd/memory-cluster.ts';
import type { EtcdTls } from './etcd/types.ts';
import { waitFor } from './wait-for.ts';

export const pods = 'core/pods';
export const mostRecent: Freshness = { kind: 'mostRecent' };
/** A signal that never ends. */
export const forever = new AbortController().signal;

/** Keeps what was logged, for the message of a failing test. */
export function recordingLogger(lines: string[] = []): StorageLogger {
  const note = (fields: object, message: string): void => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { debug: note, info: note, warn: note, error: note };
}

export const noMetrics = { observeEtcdRequest: (): void => undefined };

/**
 * Where nothing breaks: the deadlines of the product, so that a busy machine is not taken for a dead etcd. Without spare
 * fences, whose revisions would come between those of a test.
 */
export const calmTimes = { futureRevision: 400, tick: 100, spareFences: 0 };

/** Where connections break: deadlines so short that a test sees them pass. */
export const quickTimes = {
  ...calmTimes,
  attempt: 800,
  operation: 2_500,
  fenceAfter: 150,
  deadStream: 600,
  reconnectFirst: 20,
  reconnectMax: 200,
};

type Overrides = Partial<Omit<StorageOptions, 'endpoints'>>;

let isFed = false;

/** From now on, storages of this test file follow by what another one tells them, as those of serving threads. */
export function useFeed(): void {
  isFed = true;
}

export function isFedStorage(): boolean {
  return isFed;
}

/** A storage that has loaded; whoever starts it closes it. */
export async function startStorage(
  endpoints: readonly string[],
  overrides: Overrides = {},
): Promise<EtcdStorage> {
  const options = {
    endpoints,
    logger: recordingLogger(),
    metrics: noMetrics,
    compactionIntervalMs: 0,
    times: calmTimes,
    ...memoryLines(endpoints),
    ...overrides,
  };
  const storage = isFed ? await startFed(options) : await createEtcdStorage(options);
  await storage.ready();
  return storage;
}

/** A storage and the one that follows etcd for it, which it closes. */
async function startFed(options: StorageOptions): Promise<EtcdStorage> {
  const { port1, port2 } = new MessageChannel();
  const source = await createEtcdStorage(options);
  source.feed(port1);
  const fed = await createEtcdStorage({ ...options, feed: port2 });
  const [close, stats, encryptBy] = [fed.close.bind(fed), fed.stats.bind(fed), fed.encryptBy.bind(fed)];
  // The one that follows etcd writes them for both.
  fed.stats = () => ({ ...stats(), fences: source.stats().fences });
  // In the order in which a replica of several threads tells them.
  fed.encryptBy = (rules) => {
    source.encryptBy(rules);
    encryptBy(rules);
  };
  fed.close = async () => {
    await close();
    await source.close();
  };
  return fed;
}

/** Calls etcd directly. */
export function directClient(endpoints: readonly string[], files?: EtcdTls): EtcdClient {
  const pem = (text: string): Buffer => Buffer.from(text);
  const tls = files && { tls: { ca: pem(files.ca), cert: pem(files.cert), key: pem(files.key) } };
  const options = {
    endpoints,
    ...tls,
    ...memoryLines(endpoints),
    logger: recordingLogger(),
    metrics: noMetrics,
  };
  return new EtcdClient({ options, times: defaultTimes, ...systemEnvironment });
}

export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Remembers all that it is told; can hold the storage back. */
export class Recorder implements WatchSubscriber {
  readonly events: StoredEvent[] = [];
  established = 0;
  initial: CollectionSnapshot | undefined;
  progressed: Revision = 0;
  ended: StorageError | undefined;
  gate: Promise<void> = Promise.resolve();

  onEstablished(): void {
    this.established += 1;
  }

  onInitial(snapshot: CollectionSnapshot): void {
    this.initial = snapshot;
  }

  onEvents(events: readonly StoredEvent[]): void {
    this.events.push(...events);
  }

  onProgress(revision: Revision): void {
    this.progressed = revision;
  }

  onEnd(reason: StorageError): void {
    this.ended = reason;
  }

  ready(): Promise<void> {
    return this.gate;
  }

  get last(): Revision {
    return this.events.at(-1)?.revision ?? 0;
  }

  lines(): string[] {
    return this.events.map(lineOf);
  }
}

/** All of an event that a client could see. */
export function lineOf({ type, revision, key, entry, previous }: StoredEvent): string {
  const before = previous === undefined ? '-' : `${previous.modRevision}:${previous.bytes.toString()}`;
  return `${revision} ${type} ${key} ${entry.modRevision}:${entry.bytes.toString()} was ${before}`;
}

export function watchFrom(
  storage: EtcdStorage,
  start: WatchStart,
  more: Partial<WatchOptions> = {},
): Recorder {
  const recorder = new Recorder();
  storage.watch({ collection: pods, prefix: '', signal: forever, start, ...more }, recorder);
  return recorder;
}

export function watchAfter(
  storage: EtcdStorage,
  revision: Revision,
  more: Partial<WatchOptions> = {},
): Recorder {
  return watchFrom(storage, { kind: 'after', revision }, more);
}

/** Waits until the watch has had everything up to a revision. */
export async function untilReached(recorder: Recorder, revision: Revision): Promise<void> {
  await waitFor(`a watch to reach revision ${String(revision)}`, () => {
    if (recorder.ended !== undefined) throw recorder.ended;
    return recorder.last >= revision || recorder.progressed >= revision;
  });
}

/**
 * The most processor time that passed between two turns of the event loop until `work` is done, in milliseconds; time
 * that the machine gave to others says nothing of this program. Rejects as `work` does.
 */
export async function longestTurn(work: Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const before = process.threadCpuUsage();
    await nextTurn();
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
  }
  await over;
  return longest;
}
