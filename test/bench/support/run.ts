/** What one side of a case did in some seconds, and how the sides take turns. */
import { Histogram } from './histogram.ts';

/** As it travels between processes. */
export interface RunReport {
  readonly count: number;
  readonly errors: number;
  /** How many of them had which status. */
  readonly statuses?: Readonly<Record<string, number>>;
  readonly bytes: number;
  readonly seconds: number;
  readonly latency: readonly number[];
  readonly firstByte: readonly number[];
  /** Processor time of the process that made the load. */
  readonly loadCpuSeconds: number;
  /** Processor time of the process that answered, where it was measured. */
  readonly cpuSeconds?: number;
}

export class Run {
  count = 0;
  errors = 0;
  readonly statuses = new Map<string, number>();
  bytes = 0;
  seconds = 0;
  loadCpuSeconds = 0;
  /** NaN unless it was measured for all that is counted. */
  cpuSeconds = 0;
  readonly latency = new Histogram();
  readonly firstByte = new Histogram();

  add(report: RunReport): void {
    this.count += report.count;
    this.errors += report.errors;
    for (const [status, count] of Object.entries(report.statuses ?? {}))
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + count);
    this.bytes += report.bytes;
    this.seconds += report.seconds;
    this.loadCpuSeconds += report.loadCpuSeconds;
    this.cpuSeconds += report.cpuSeconds ?? NaN;
    this.latency.add(new Histogram(report.latency));
    this.firstByte.add(new Histogram(report.firstByte));
  }

  get perSecond(): number {
    return this.count / this.seconds;
  }

  get megabytesPerSecond(): number {
    return this.bytes / this.seconds / 1e6;
  }
}

export interface Sides {
  readonly service: () => Promise<RunReport>;
  readonly bare: () => Promise<RunReport>;
}

/** What a service took to do its part. */
export interface Usage {
  /** Processor seconds during the whole case. */
  readonly cpu: number;
  readonly residentMegabytes: number;
}

export interface Comparison {
  readonly service: Run;
  readonly bare: Run;
  /** Of another service than the one that all cases share. */
  readonly usage?: Usage;
  /** More to say below the line. */
  readonly remarks?: readonly string[];
}

/** Lets the sides take turns, for such machines drift by a factor of two within minutes. */
export async function alternate(rounds: number, sides: Sides): Promise<Comparison> {
  const result = { service: new Run(), bare: new Run() };
  for (let round = 0; round < rounds; round += 1) {
    result.service.add(await sides.service());
    result.bare.add(await sides.bare());
  }
  return result;
}

/** A turn of each side that does not count: what is new to a process is compiled first. */
export async function warmUp({ service, bare }: Sides): Promise<void> {
  await service();
  await bare();
}

/** What is done once, as a run. */
export async function timed(start: () => Promise<void>): Promise<RunReport> {
  const began = performance.now();
  await start();
  const ms = performance.now() - began;
  const latency = new Histogram();
  latency.record(ms);
  const counts = latency.toJSON();
  return {
    count: 1,
    errors: 0,
    bytes: 0,
    seconds: ms / 1000,
    latency: counts,
    firstByte: [],
    loadCpuSeconds: 0,
  };
}
