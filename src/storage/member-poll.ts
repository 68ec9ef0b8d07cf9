/**
 * Asks the etcd members about themselves at an interval: the sizes of their databases, since etcd rejects all writes at
 * its quota, and their releases, some of which are known to lose events.
 */
import type { Clock } from '../base/clock.ts';
import { pause } from '../base/pause.ts';
import { BackgroundLoop } from './background-loop.ts';
import type { EtcdClient, MemberStatus } from './etcd/client.ts';
import { knownDefects } from './etcd/known-defects.ts';
import {
  defaultDatabaseSizeIntervalMs,
  type StorageLogger,
  type StorageMetrics,
  type StorageOptions,
} from './options.ts';

export interface MemberPollDependencies {
  readonly clock: Clock;
  readonly client: Pick<EtcdClient, 'memberStatuses'>;
  /** In milliseconds; 0: sizes are not reported. */
  readonly intervalMs: number;
  /** Interval in milliseconds at which releases are looked at when sizes are not reported. */
  readonly releaseIntervalMs: number;
  readonly metrics: StorageMetrics;
  readonly logger: StorageLogger;
}

/** The loop that reports sizes and releases as metrics, and warns once of each release with known defects. */
export function memberPoll(deps: MemberPollDependencies): BackgroundLoop {
  const { clock, client, metrics, intervalMs } = deps;
  const releases = new ReleaseWatch(deps);
  const everyMs = intervalMs > 0 ? intervalMs : deps.releaseIntervalMs;
  return new BackgroundLoop(everyMs, async (signal) => {
    while (!signal.aborted) {
      const statuses = await client.memberStatuses();
      if (intervalMs > 0)
        for (const [endpoint, { dbSize }] of statuses) metrics.observeDatabaseSize?.(endpoint, dbSize);
      releases.see(statuses);
      await pause(clock, everyMs, signal);
    }
  });
}

/** The same with the options of a storage. */
export function membersOf(
  { metrics, logger, databaseSizeIntervalMs: intervalMs = defaultDatabaseSizeIntervalMs }: StorageOptions,
  { client, clock }: Pick<MemberPollDependencies, 'client' | 'clock'>,
): BackgroundLoop {
  const releaseIntervalMs = defaultDatabaseSizeIntervalMs;
  return memberPoll({ client, clock, metrics, logger, intervalMs, releaseIntervalMs });
}

/** Which release each member runs: tells when that changes, an upgrade or an earlier release put back. */
class ReleaseWatch {
  readonly #deps: Pick<MemberPollDependencies, 'metrics' | 'logger'>;
  readonly #versions = new Map<string, string>();

  constructor(deps: Pick<MemberPollDependencies, 'metrics' | 'logger'>) {
    this.#deps = deps;
  }

  /** One log record for all members that newly run a release. */
  see(statuses: ReadonlyMap<string, MemberStatus>): void {
    const changed = [...statuses].filter(([url, { version }]) => this.#versions.get(url) !== version);
    const byVersion = Map.groupBy(changed, ([, { version }]) => version);
    for (const [version, members] of byVersion)
      this.#note(
        version,
        members.map(([url]) => url),
      );
  }

  #note(version: string, endpoints: readonly string[]): void {
    const { metrics, logger } = this.#deps;
    const known = knownDefects(version);
    for (const endpoint of endpoints) {
      const former = this.#versions.get(endpoint);
      const release = { version, knownDefects: known?.defects.length ?? 0 };
      metrics.observeRelease?.(endpoint, former === undefined ? release : { ...release, former });
      this.#versions.set(endpoint, version);
    }
    if (known === undefined) logger.debug({ version, endpoints }, 'release of etcd');
    else logger.warn({ version, endpoints, ...known }, warning);
  }
}

const warning =
  'this release of etcd is known to lose events or data: upgrade etcd, unless its packager has added the fixes';
