/** A real etcd and the one in memory, side by side: what one is asked, the other is asked, too. */
import { systemClock } from '../../../../src/base/clock.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import { MemoryEtcd } from '../../../../src/memory-etcd/memory-etcd.ts';
import type { MemoryEtcdOptions } from '../../../../src/memory-etcd/options.ts';
import type { EtcdRelease } from '../../../../src/memory-etcd/release.ts';
import type { AnswerStream, EtcdLine } from '../../../../src/storage/etcd/etcd-line.ts';
import { numberOf } from '../../../../src/storage/etcd/etcd-messages.ts';
import { GrpcLine } from '../../../../src/storage/etcd/grpc-line.ts';
import { GrpcError } from '../../../../src/storage/etcd/grpc-status.ts';
import type { Int64 } from '../../../../src/storage/etcd/message-types.ts';
import {
  startEtcdCluster,
  type EtcdCluster,
  type EtcdClusterOptions,
} from '../../../support/etcd/cluster.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { methods, type MethodName } from './methods.ts';

const callMs = 10_000;

interface Header {
  readonly cluster_id: Int64;
  readonly member_id: Int64;
  readonly raft_term: Int64;
  readonly revision: Int64;
}

/** What an etcd said: an answer as it would be on the wire, or an error. */
export type Outcome = { readonly answer: unknown } | { readonly code: number; readonly details: string };

export interface StartOptions {
  readonly cluster?: EtcdClusterOptions;
  readonly memory?: Partial<MemoryEtcdOptions>;
}

export class Twins {
  readonly #cluster: EtcdCluster;
  readonly #options: MemoryEtcdOptions;
  readonly real: EtcdLine;
  #etcd: MemoryEtcd;
  #memory: EtcdLine;
  #compacted = 0;

  private constructor(
    cluster: EtcdCluster,
    real: EtcdLine,
    options: MemoryEtcdOptions,
    lines: [MemoryEtcd, EtcdLine],
  ) {
    this.#cluster = cluster;
    this.real = real;
    this.#options = options;
    [this.#etcd, this.#memory] = lines;
  }

  static async start({ cluster: clusterOptions, memory = {} }: StartOptions = {}): Promise<Twins> {
    const cluster = await startEtcdCluster({ how: 'process', ...clusterOptions });
    const real = await GrpcLine.connect(
      cluster.endpoints[0] ?? '',
      { tls: undefined, clock: systemClock },
      callMs,
    );
    const status = (await real.call(methods.status, {}, callMs)) as { header: Header; version: string };
    const { cluster_id: clusterId, member_id: memberId, raft_term: raftTerm } = status.header;
    const emulates = releaseOf(status.version);
    const ids = { clusterId, memberId, raftTerm, emulates };
    const options = { clock: systemClock, random: systemRandom, ...ids, ...memory };
    return new Twins(cluster, real, options, await newMemory(options));
  }

  get etcd(): MemoryEtcd {
    return this.#etcd;
  }

  get memory(): EtcdLine {
    return this.#memory;
  }

  get revision(): number {
    return this.#etcd.revision;
  }

  get release(): EtcdRelease {
    return this.#options.emulates ?? '3.4';
  }

  /** The newest revision, and that of the last compaction. */
  get origin(): { readonly newest: number; readonly compacted: number } {
    return { newest: this.revision, compacted: this.#compacted };
  }

  /** Asks both, and gives what both said. @throws Error if that differs */
  async ask(name: MethodName, request: object): Promise<Outcome> {
    const [real, memory] = await this.outcomes(name, request);
    expect(memory).toEqual(real);
    if (name === 'compact' && 'answer' in real)
      this.#compacted = (request as { readonly revision: number }).revision;
    return real;
  }

  async outcomes(name: MethodName, request: object): Promise<[real: Outcome, memory: Outcome]> {
    return [await outcome(this.real, name, request), await outcome(this.#memory, name, request)];
  }

  /** Opens a watch at both. */
  watch(request: object): TwinWatch {
    return new TwinWatch(this.real, this.#memory, request);
  }

  /** Empties both, and lets them agree on the revision, also after they have differed. */
  async reset(): Promise<void> {
    await emptied(this.real);
    const target = await revisionOf(this.real);
    if (this.revision > target) {
      this.#etcd.close();
      [this.#etcd, this.#memory] = await newMemory(this.#options);
    }
    await emptied(this.#memory);
    while (this.revision < target) await this.#memory.call(methods.put, { key: Buffer.from('x') }, callMs);
    await this.#memory.call(methods.deleteRange, everything, callMs);
    while ((await revisionOf(this.real)) < this.revision)
      await this.real.call(methods.put, { key: Buffer.from('x') }, callMs);
    const both = [this.real, this.#memory];
    if (this.revision !== target)
      for (const line of both) await line.call(methods.deleteRange, everything, callMs);
    for (const line of both) await outcome(line, 'compact', { revision: this.revision, physical: true });
    this.#compacted = this.revision;
    expect(await revisionOf(this.real)).toBe(this.revision);
  }

  async close(): Promise<void> {
    this.real.close(0);
    this.#etcd.close();
    await this.#cluster.close();
  }
}

/** Releases after those that are known answer like the newest of them. */
function releaseOf(version: string): EtcdRelease {
  const release = version.split('.').slice(0, 2).join('.');
  return release === '3.4' || release === '3.5' ? release : '3.6';
}

async function newMemory(options: MemoryEtcdOptions): Promise<[MemoryEtcd, EtcdLine]> {
  const etcd = new MemoryEtcd(options);
  return [etcd, await etcd.connectLine('http://memory:2379', callMs)];
}

const everything = { key: Buffer.from([0]), range_end: Buffer.from([0]) };

/** Removes all keys and leases. */
async function emptied(line: EtcdLine): Promise<void> {
  const { leases } = (await line.call(methods.leases, {}, callMs)) as { leases: { ID: Int64 }[] };
  for (const { ID } of leases) await line.call(methods.revoke, { ID }, callMs);
  await line.call(methods.deleteRange, everything, callMs);
}

async function revisionOf(line: EtcdLine): Promise<number> {
  const { header } = (await line.call(methods.range, { key: Buffer.from('x') }, callMs)) as {
    header: Header;
  };
  return numberOf(header.revision);
}

async function outcome(line: EtcdLine, name: MethodName, request: object): Promise<Outcome> {
  try {
    return { answer: methods[name].plainOf(await line.call(methods[name], request, callMs)) };
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    return { code: error.code, details: error.details };
  }
}

interface Events {
  readonly events?: readonly { readonly prev_kv?: unknown }[];
}

/** etcd reads what was before an event when it sends the event, by when a compaction may have taken it. */
function asLate(memory: readonly unknown[], real: readonly unknown[]): unknown[] {
  return memory.map((answer, index) => {
    const { events } = answer as Events;
    const sent = (real[index] as Events | undefined)?.events;
    if (events === undefined || sent === undefined) return answer;
    const late = events.map(({ prev_kv, ...event }, at) => {
      return prev_kv === undefined || sent[at]?.prev_kv === undefined ? event : { ...event, prev_kv };
    });
    return { ...(answer as object), events: late };
  });
}

/** A watch at both. */
export class TwinWatch {
  readonly fromReal: unknown[] = [];
  readonly fromMemory: unknown[] = [];
  readonly streams: readonly AnswerStream[];

  constructor(real: EtcdLine, memory: EtcdLine, request: object) {
    const open = (line: EtcdLine, into: unknown[]): AnswerStream =>
      line.stream(
        methods.watch,
        { create_request: request },
        {
          onAnswer: (answer) => {
            into.push(methods.watch.plainOf(answer));
          },
          onEnd: (error) => {
            into.push({ error: String(error) });
          },
        },
      );
    this.streams = [open(real, this.fromReal), open(memory, this.fromMemory)];
  }

  /** Waits until the real etcd has answered as much as the one in memory. @throws Error if their answers differ */
  async settle(): Promise<void> {
    await waitFor(
      'the answers of a watch',
      () => this.fromMemory.length > 0 && this.fromReal.length >= this.fromMemory.length,
      { interval: 2, details: () => JSON.stringify({ real: this.fromReal, memory: this.fromMemory }) },
    );
    expect(asLate(this.fromMemory, this.fromReal)).toEqual(this.fromReal);
  }

  cancel(): void {
    for (const stream of this.streams) stream.cancel();
  }
}
