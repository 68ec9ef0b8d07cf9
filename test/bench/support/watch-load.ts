/** Many watches in one process: counts events, and tells how old a sample of them is. */
import { Histogram } from './histogram.ts';
import { encodeRequest, HttpConnection } from './http-connection.ts';
import { sentMark, sharedNow, type WatchLoad } from './load-types.ts';
import type { RunReport } from './run.ts';

/** One watch in this many looks into its events. */
const sampling = 10;
const newline = 10;

interface Tally {
  count: number;
  bytes: number;
  /** When the first event came. */
  first: number;
  readonly latency: Histogram;
}

/** Resolves when every watch has seen its events; `onReady` is called when all are answered. */
export async function runWatches(load: WatchLoad, onReady: () => void): Promise<RunReport> {
  const tally: Tally = { count: 0, bytes: 0, first: 0, latency: new Histogram() };
  const allSeen = Promise.withResolvers<undefined>();
  const onProgress = (): void => {
    if (tally.count >= load.watchers * load.events) allSeen.resolve(undefined);
  };
  const opening = Array.from({ length: load.watchers }, (_unused, index) =>
    openWatch(load, { tally, isSampled: index % sampling === 0, onProgress, onBroken: allSeen.reject }),
  );
  const connections = await Promise.all(opening);
  const cpu = process.cpuUsage();
  onReady();
  await allSeen.promise;
  const seconds = (performance.now() - tally.first) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  for (const connection of connections) connection.close();
  const loadCpuSeconds = (user + system) / 1e6;
  const { count, bytes, latency } = tally;
  return { count, errors: 0, bytes, seconds, loadCpuSeconds, latency: latency.toJSON(), firstByte: [] };
}

interface WatchContext {
  readonly tally: Tally;
  readonly isSampled: boolean;
  readonly onProgress: () => void;
  readonly onBroken: (error: unknown) => void;
}

/** Resolves when the server has answered with the head of the stream: from then on it owes every event. */
async function openWatch(
  load: WatchLoad,
  { tally, isSampled, onProgress, onBroken }: WatchContext,
): Promise<HttpConnection> {
  const answered = Promise.withResolvers<number>();
  const onPayload = (payload: Buffer): void => {
    if (tally.first === 0) tally.first = performance.now();
    tally.bytes += payload.length;
    tally.count += countLines(payload);
    if (isSampled) sample(payload, tally.latency);
    onProgress();
  };
  const connection = await HttpConnection.open(load.target, { onPayload, onHead: answered.resolve });
  connection
    .send(encodeRequest({ method: 'GET', path: load.path }))
    .then(({ status }) => onBroken(new Error(`a watch ended early with ${status}`)), onBroken);
  const status = await answered.promise;
  if (status !== 200) throw new Error(`a watch was answered with ${status}`);
  return connection;
}

function countLines(payload: Buffer): number {
  let count = 0;
  for (let at = payload.indexOf(newline); at >= 0; at = payload.indexOf(newline, at + 1)) count += 1;
  return count;
}

function sample(payload: Buffer, latency: Histogram): void {
  const at = payload.indexOf(sentMark);
  if (at < 0) return;
  const from = at + sentMark.length;
  const sent = Number(payload.toString('latin1', from, payload.indexOf('"', from)));
  if (sent > 0) latency.record(sharedNow() - sent);
}
