/** Many watches in one process: counts events, and tells how old a sample of them is. */
import { Histogram } from './histogram.ts';
import { encodeRequest, HttpConnection } from './http-connection.ts';
import { sentMark, sharedNow, type WatchLoad } from './load-types.ts';
import type { RunReport } from './run.ts';

/** One watch in this many looks into its events. */
const sampling = 10;
const newline = 10;

/** Resolves when every watch has seen its events; `onReady` is called when all are open. */
export async function runWatches(load: WatchLoad, onReady: () => void): Promise<RunReport> {
  const latency = new Histogram();
  const goal = load.watchers * load.events;
  const tally = { count: 0, bytes: 0, first: 0 };
  let done: () => void = () => undefined;
  const allSeen = new Promise<void>((resolve) => (done = resolve));
  const connections: HttpConnection[] = [];
  for (let index = 0; index < load.watchers; index += 1) {
    const isSampled = index % sampling === 0;
    const onPayload = (payload: Buffer): void => {
      if (tally.first === 0) tally.first = performance.now();
      tally.bytes += payload.length;
      tally.count += countLines(payload);
      if (isSampled) sample(payload, latency);
      if (tally.count >= goal) done();
    };
    connections.push(await HttpConnection.open(load.target, onPayload));
  }
  const broken = connections.map((connection) => connection.send(encodeRequest('GET', load.path)));
  const cpu = process.cpuUsage();
  onReady();
  const ended = Promise.race(broken).then(({ status }) => {
    throw new Error(`a watch ended early with ${status}`);
  });
  await Promise.race([allSeen, ended]);
  const seconds = (performance.now() - tally.first) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  ended.catch(() => undefined);
  for (const connection of connections) connection.close();
  const loadCpuSeconds = (user + system) / 1e6;
  const { count, bytes } = tally;
  return { count, errors: 0, bytes, seconds, loadCpuSeconds, latency: latency.toJSON(), firstByte: [] };
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
