/** What can be chosen of an etcd in memory. */
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Int64 } from './messages.ts';
import type { EtcdRelease } from './release.ts';

export interface MemoryEtcdOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: random. */
  readonly clusterId?: Int64;
  readonly memberId?: Int64;
  /** Default 2, that of a new member. */
  readonly raftTerm?: Int64;
  /** Space of the database in bytes; default 2 GiB. */
  readonly quotaBytes?: number;
  /** The largest request in bytes; default 1.5 MiB. */
  readonly maxRequestBytes?: number;
  /** Operations of a list of a transaction; default 128. */
  readonly maxTxnOps?: number;
  /** Shorter leases are extended to it, in seconds; default 2. */
  readonly minLeaseTtl?: number;
  /** Interval of progress notifications, in milliseconds; default ten minutes, plus up to a tenth of jitter. */
  readonly progressNotifyMs?: number;
  /** The release whose answers it gives; default 3.4. */
  readonly emulates?: EtcdRelease;
}

/** The options with their defaults; ids that were not given are drawn. */
export function withDefaults(options: MemoryEtcdOptions): Required<MemoryEtcdOptions> {
  const { random } = options;
  return {
    clusterId: drawId(random),
    memberId: drawId(random),
    raftTerm: 2,
    quotaBytes: 2 * 1024 ** 3,
    maxRequestBytes: 1.5 * 1024 ** 2,
    maxTxnOps: 128,
    minLeaseTtl: 2,
    progressNotifyMs: 10 * 60_000,
    emulates: '3.4',
    ...options,
  };
}

/** An id that a number holds exactly; never 0. */
export function drawId(random: Random): number {
  return 1 + Math.floor(random.number() * (Number.MAX_SAFE_INTEGER - 1));
}
