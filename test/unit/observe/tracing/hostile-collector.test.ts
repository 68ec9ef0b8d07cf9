/** Collectors that hang, reset, send garbage or floods: what they cost the process that traces. */
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { systemEnvironment } from '../../../../src/base/environment.ts';
import { createTracer } from '../../../../src/observe/tracing/open-telemetry.ts';
import type { Tracer } from '../../../../src/observe/tracing/tracer.ts';
import { cpuBudget, threadCpuMs } from '../../../support/cpu-time.ts';
import { waitFor } from '../../../support/wait-for.ts';

interface Told {
  readonly name: string;
  /** Absent: a connection. */
  readonly port?: number;
}

const ports = new Map<string, number>();
const connected = new Set<string>();
const kinds = 8;
let worker: Worker;

beforeAll(async () => {
  worker = new Worker(new URL('../../../support/hostile-collector.ts', import.meta.url));
  worker.on('message', ({ name, port }: Told) => {
    if (port === undefined) connected.add(name);
    else ports.set(name, port);
  });
  await waitFor('the collectors', () => ports.size === kinds);
});
afterAll(() => worker.terminate());

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapMegabytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1024 ** 2;
}

function tracerTo(port: number): Tracer {
  const endpoint = `grpc://127.0.0.1:${String(port)}`;
  const settings = { endpoint, samplingRatePerMillion: 1_000_000, trustsPrivileged: true };
  return createTracer(settings, systemEnvironment, 'one');
}

/** So many requests with five steps each. */
function serve(tracer: Tracer, requests: number): void {
  const since = systemEnvironment.clock.monotonic();
  for (let i = 0; i < requests; i += 1) {
    const attributes = () => ({ 'url.path': `/api/v1/namespaces/web/pods/${String(i)}` });
    const usual = { traceparent: '', tracestate: '', baggage: '', isTrusted: false };
    const span = tracer.begin({ name: 'GET', since, attributes, ...usual });
    for (let step = 0; step < 5; step += 1) span.child(`step ${String(step)}`).end();
    span.end();
  }
}

/** Milliseconds of processor time of half a second, the least of several. */
async function leastCpuOf(looks: number): Promise<number> {
  let least = Infinity;
  for (let look = 0; look < looks; look += 1) {
    const before = threadCpuMs();
    await pause(500);
    least = Math.min(least, threadCpuMs() - before);
  }
  return least;
}

test('collectors that hang, reset, flood or send garbage hold no memory and delay nobody', async () => {
  const tracers = [...ports.values()].map(tracerTo);
  const serveAll = (): void => {
    for (const tracer of tracers) serve(tracer, 500);
  };
  serveAll();
  await waitFor('connections', () => connected.size === kinds, { details: () => [...connected].join() });
  const before = heapMegabytes();
  for (let round = 0; round < 5; round += 1) {
    const cpu = threadCpuMs();
    serveAll();
    // 24,000 spans: requests are as fast as with any collector.
    expect(threadCpuMs() - cpu).toBeLessThan(cpuBudget(1_500));
    await pause(100);
  }
  // 2,048 spans of each wait at most: a few megabytes, whatever the collectors do.
  expect(heapMegabytes() - before).toBeLessThan(kinds * 8);
  // In one of the next seconds at the latest: right behind the spans their garbage is collected.
  expect(await leastCpuOf(4)).toBeLessThan(cpuBudget(400));
  const began = performance.now();
  await Promise.all(tracers.map((tracer) => tracer.close()));
  expect(performance.now() - began).toBeLessThan(10_000);
}, 60_000);
