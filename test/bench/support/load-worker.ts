/** A load generator: a process of its own that does what it is told and reports. */
import { setTimeout as delay } from 'node:timers/promises';

import { Histogram } from './histogram.ts';
import { encodeRequest, HttpConnection } from './http-connection.ts';
import { slots, stamp, type Load, type LoadAnswer, type RequestLoad } from './load-types.ts';
import type { RunReport } from './run.ts';
import { runWatches } from './watch-load.ts';

let names = 0;

async function runRequests(load: RequestLoad): Promise<RunReport> {
  const connections = await openConnections(load);
  const tally = {
    started: 0,
    count: 0,
    errors: 0,
    statuses: {} as Record<string, number>,
    bytes: 0,
    latency: new Histogram(),
    firstByte: new Histogram(),
  };
  const cpu = process.cpuUsage();
  const spread = (load.spreadSeconds ?? 0) * 1000;
  const start = performance.now() + spread;
  const deadline = start + load.seconds * 1000;
  const next = requestMaker(load);
  await Promise.all(
    connections.map(async (connection, index) => {
      if (spread > 0) await delay((spread * index) / connections.length);
      while (performance.now() < deadline && tally.started < (load.total ?? Infinity)) {
        tally.started += 1;
        const request = next();
        const sent = performance.now();
        const { status, bytes, firstByteAt } = await connection.send(request);
        if (status !== load.expect) noteUnexpected(tally, status);
        if (sent < start) continue;
        tally.latency.record(performance.now() - sent);
        tally.firstByte.record(firstByteAt - sent);
        tally.bytes += bytes;
        tally.count += 1;
      }
    }),
  );
  const seconds = spread > 0 ? load.seconds : (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  for (const connection of connections) connection.close();
  const { count, errors, statuses, bytes, latency, firstByte } = tally;
  const loadCpuSeconds = (user + system) / 1e6;
  return {
    count,
    errors,
    statuses,
    bytes,
    seconds,
    loadCpuSeconds,
    latency: latency.toJSON(),
    firstByte: firstByte.toJSON(),
  };
}

function noteUnexpected(tally: { errors: number; statuses: Record<string, number> }, status: number): void {
  tally.errors += 1;
  tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
}

/** So many handshakes at once; more would run into the deadlines of servers. */
const handshakes = 100;

async function openConnections({ connections, target }: RequestLoad): Promise<HttpConnection[]> {
  const open: HttpConnection[] = [];
  while (open.length < connections) {
    const length = Math.min(handshakes, connections - open.length);
    open.push(...(await Promise.all(Array.from({ length }, () => HttpConnection.open(target)))));
  }
  return open;
}

function requestMaker(load: RequestLoad): () => Buffer {
  const { method, paths, body, bytes, namePrefix = '', contentType, accept } = load;
  const { token } = load.target;
  let turn = 0;
  const fixed = bytes === undefined ? {} : { body: Buffer.from(bytes, 'base64'), contentType };
  const ready = paths.map((path) => encodeRequest({ method, path, accept, token, ...fixed }));
  const known = paths.map((path) => /[^/?]*(?=$|\?)/.exec(path)?.[0] ?? '');
  return () => {
    turn = (turn + 1) % paths.length;
    if (body === undefined) return ready[turn] ?? Buffer.alloc(0);
    names += 1;
    const text = body
      .replace('@@', `${namePrefix}-${names}`)
      .replace('^^', known[turn] ?? '')
      .replaceAll('%%', String(names % slots))
      .replaceAll('##', stamp());
    const sent = { method, path: paths[turn] ?? '', body: Buffer.from(text) };
    return encodeRequest({ ...sent, contentType, accept, token });
  };
}

function answer(message: LoadAnswer): void {
  process.send?.(message);
}

process.on('message', (load: Load) => {
  const running =
    load.kind === 'watch' ? runWatches(load, () => answer({ kind: 'ready' })) : runRequests(load);
  running.then(
    (report) => answer({ kind: 'report', report }),
    (error: unknown) => answer({ kind: 'error', message: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
