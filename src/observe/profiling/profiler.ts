/**
 * Profiles of the thread that asks, by the sampling profilers of V8. They hold names of functions and places in the
 * program, and never values: this is no heap snapshot.
 */
import type { Clock } from '../../base/clock.ts';
import type { HeapProfiler, Profiler as Cpu } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { pause } from '../../base/pause.ts';
import { pprofOf, type CallNode } from './pprof.ts';

/** As in Go: 100 samples per second. */
const cpuPeriodMs = 10;

/** Go takes one per 512 KiB. A sample of V8 walks the stack: at that rate they would take 3 % of a creation. */
const heapPeriodBytes = 4 * 1024 * 1024;

/** Functions of V8 that stand for nothing that costs processor time. */
const idle = '(idle)';

export class Profiler {
  /** Made when it is first needed. */
  private session: Session | undefined;
  private isClosed = false;
  private isMeasuring = false;
  private readonly clock: Clock;

  /**
   * Starts to sample allocations, of which a heap profile needs those of the past.
   * @param samplesFromStart false: it does so only from the first heap profile on, where a start is to take no time for it (4 ms)
   */
  constructor(clock: Clock, samplesFromStart = true) {
    this.clock = clock;
    // Where this fails, the first heap profile starts it.
    if (samplesFromStart) this.sampleAllocations().catch(() => undefined);
  }

  /**
   * Where processor time is spent from now on. undefined if another such profile is being taken.
   * @returns a profile of pprof, not compressed
   * @throws the reason of `signal`
   */
  async cpu(durationMs: number, signal: AbortSignal): Promise<Buffer | undefined> {
    if (this.isMeasuring) return undefined;
    this.isMeasuring = true;
    const startedAt = this.clock.now();
    const begin = this.clock.monotonic();
    try {
      await this.post('Profiler.enable');
      await this.connected().post('Profiler.setSamplingInterval', { interval: cpuPeriodMs * 1000 });
      await this.post('Profiler.start');
      await pause(this.clock, durationMs, signal);
      signal.throwIfAborted();
      const { profile } = await this.connected().post('Profiler.stop');
      return await pprofOf(cpuTree(profile), cpuHead(startedAt, this.clock.monotonic() - begin));
    } finally {
      // Also ends a profile that nobody waits for any more.
      if (this.session) await this.post('Profiler.disable');
      this.isMeasuring = false;
    }
  }

  /**
   * Where memory was allocated that is in use.
   * @returns a profile of pprof, not compressed
   */
  async heap(): Promise<Buffer> {
    const { profile } = await this.connected()
      .post('HeapProfiler.getSamplingProfile')
      .catch(() => this.allocationsFromNow());
    return pprofOf(heapTree(profile.head), heapHead(this.clock.now()));
  }

  /** Ends what is being taken, which then rejects. */
  close(): void {
    this.isClosed = true;
    this.session?.disconnect();
    this.session = undefined;
  }

  /** Sampling is one for all sessions of a thread, and ends with that of any. */
  private async allocationsFromNow(): Promise<HeapProfiler.GetSamplingProfileReturnType> {
    await this.sampleAllocations();
    return this.connected().post('HeapProfiler.getSamplingProfile');
  }

  private sampleAllocations(): Promise<void> {
    return this.connected().post('HeapProfiler.startSampling', { samplingInterval: heapPeriodBytes });
  }

  private post(method: 'Profiler.enable' | 'Profiler.start' | 'Profiler.disable'): Promise<void> {
    return this.connected().post(method);
  }

  private connected(): Session {
    if (this.isClosed) throw new Error('the profiler is closed');
    if (this.session === undefined) {
      this.session = new Session();
      this.session.connect();
    }
    return this.session;
  }
}

const bytes = { type: 'inuse_space', unit: 'bytes' };
const comment = `process ${String(process.pid)}`;

function heapHead(startedAt: number) {
  const periodType = { type: 'space', unit: 'bytes' };
  return {
    ...{ types: [bytes], defaultType: bytes.type, periodType, period: heapPeriodBytes },
    ...{ startedAt, durationMs: 0, comment },
  };
}

function cpuHead(startedAt: number, durationMs: number) {
  const time = { type: 'cpu', unit: 'nanoseconds' };
  return {
    ...{ types: [{ type: 'samples', unit: 'count' }, time], defaultType: time.type },
    ...{ periodType: time, period: cpuPeriodMs * 1_000_000, startedAt, durationMs, comment },
  };
}

function heapTree({ callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode): CallNode {
  return { frame: callFrame, values: [selfSize], children: () => children.map(heapTree) };
}

function cpuTree({ nodes, samples = [], timeDeltas = [] }: Cpu.Profile): CallNode {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ofLast = cpuPeriodMs * 1000;
  const spent = new Map<number, [number, number]>();
  for (const [i, id] of samples.entries()) {
    const [count, nanos] = spent.get(id) ?? [0, 0];
    const micros = Math.max(timeDeltas[i + 1] ?? ofLast, 0);
    spent.set(id, [count + 1, nanos + micros * 1000]);
  }
  const nodeOf = (node: Cpu.ProfileNode): CallNode => ({
    frame: node.callFrame,
    values: node.callFrame.functionName === idle ? [0, 0] : (spent.get(node.id) ?? [0, 0]),
    children: () => (node.children ?? []).flatMap((id) => byId.get(id) ?? []).map(nodeOf),
  });
  const [root] = nodes;
  if (root === undefined) throw new Error('V8 gave a profile without nodes');
  return nodeOf(root);
}
