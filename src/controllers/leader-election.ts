/**
 * Leader election over a Lease: of all processes that run the same controllers, one acts.
 *
 *   candidate ──lease free or not renewed for its duration──▶ leader ──renewal fails for renewDeadline──▶ candidate
 *                                                               ├──another holds it──▶ candidate
 *                                                               ├──its work fails──▶ lease released, candidate again later
 *                                                               └──stop──▶ lease released
 *
 * Clocks of processes are not compared: a candidate measures by its own clock how long the lease has not changed.
 */
import { steadyOf, type Clock } from '../base/clock.ts';
import { pauseAwake } from '../base/pause.ts';
import { timeLimit } from '../base/time-limit.ts';
import type { ApiObject } from '../meta/object.ts';
import { StatusError } from '../meta/status.ts';
import { formatMicros } from '../meta/time.ts';
import type { ControllerContext, ResourceRef } from './types.ts';
import { hasStopped } from './work-queue.ts';

export interface LeaderElectionOptions extends ControllerContext {
  /** The leases resource. */
  readonly leases: ResourceRef;
  readonly namespace: string;
  readonly leaseName: string;
  readonly identity: string;
  /**
   * Works while this process leads; must end soon after its signal is aborted. When it ends before, another process may
   * lead.
   */
  readonly lead: (signal: AbortSignal) => Promise<void>;
}

const leaseSeconds = 10;
const renewDeadlineMs = 7_000;
/** Of one attempt to renew: one that hangs, at a replica that is gone, must leave time for another (as in client-go). */
const attemptMs = renewDeadlineMs / 2;
const retryMs = 2_000;

interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

/**
 * Takes part until the signal is aborted; gives the lease back at the end. Leaps of the clock do not count: no process was
 * away meanwhile.
 */
export async function electLeader(given: LeaderElectionOptions, signal: AbortSignal): Promise<void> {
  const options = { ...given, clock: steadyOf(given.clock) };
  const lease = new LeaseHolder(options);
  while (!signal.aborted) {
    const askedAt = options.clock.monotonic();
    if ((await lease.tryAcquireOrRenew(signal)) === 'ours')
      await leadUntilLost(options, { lease, askedAt }, signal);
    else options.metrics.leading(options.leaseName, false);
    if (!hasStopped(signal)) await pauseAwake(options.clock, retryMs, signal);
  }
}

/** A lease that was acquired. */
interface Term {
  readonly lease: LeaseHolder;
  /** Monotonic time before it was asked for. */
  readonly askedAt: number;
}

async function leadUntilLost(
  options: LeaderElectionOptions,
  { lease, askedAt }: Term,
  signal: AbortSignal,
): Promise<void> {
  const { log, metrics, leaseName } = options;
  const term = new AbortController();
  const onStop = (): void => term.abort();
  signal.addEventListener('abort', onStop);
  log.info({ lease: leaseName }, 'leading');
  metrics.leading(leaseName, true);
  const work = options
    .lead(term.signal)
    .catch((error: unknown) => {
      log.error({ lease: leaseName, err: error }, 'the leader work failed');
    })
    // A leader that does nothing would keep others from leading.
    .finally(() => term.abort());
  try {
    await renewUntilLost(options.clock, { lease, askedAt }, term.signal);
  } finally {
    term.abort();
    signal.removeEventListener('abort', onStop);
    await work;
    metrics.leading(leaseName, false);
    await lease.release();
  }
}

/**
 * Others count from what the service has stored, at the earliest when it was asked: an answer that a frozen process finds
 * when it wakes says nothing about now.
 */
async function renewUntilLost(clock: Clock, { lease, askedAt }: Term, signal: AbortSignal): Promise<void> {
  let renewedAt = askedAt;
  let attemptAt = clock.monotonic();
  const isOver = (): boolean => signal.aborted || clock.monotonic() - renewedAt >= renewDeadlineMs;
  while (!isOver()) {
    const sinceMs = clock.monotonic() - attemptAt;
    await pauseAwake(clock, Math.max(0, retryMs - sinceMs), signal);
    // A process that was frozen may have lost the lease long ago: its work ends before anything else.
    if (isOver()) return;
    attemptAt = clock.monotonic();
    // An attempt that hangs must not outlive the term: others may lead soon after.
    const leftMs = renewedAt + renewDeadlineMs - attemptAt;
    const outcome = await lease.tryAcquireOrRenew(signal, Math.min(leftMs, attemptMs));
    if (outcome === 'lost') return;
    if (outcome === 'ours') renewedAt = attemptAt;
  }
}

/** `lost`: another process holds it. `unknown`: the service cannot be reached, or another was faster. */
type LeaseOutcome = 'ours' | 'lost' | 'unknown';

class LeaseHolder {
  private readonly options: LeaderElectionOptions;
  private seen = '';
  private seenAt = 0;

  constructor(options: LeaderElectionOptions) {
    this.options = options;
  }

  /** Takes or renews the lease, within that time. */
  async tryAcquireOrRenew(signal: AbortSignal, limitMs = renewDeadlineMs): Promise<LeaseOutcome> {
    using limit = timeLimit(this.options.clock, limitMs, signal);
    try {
      const current = await this.read(limit.signal);
      if (current === undefined) await this.createLease(limit.signal);
      else if (this.canAcquire(current)) await this.write(current, limit.signal);
      else return 'lost';
      return 'ours';
    } catch (error) {
      const lostRace = error instanceof StatusError && error.code === 409;
      if (!lostRace && !signal.aborted) {
        this.options.log.warn(
          { lease: this.options.leaseName, err: error },
          'the lease could not be taken or renewed',
        );
      }
      return 'unknown';
    }
  }

  /** Lets the next candidate take over at once. */
  async release(): Promise<void> {
    using limit = timeLimit(this.options.clock, retryMs);
    try {
      const current = await this.read(limit.signal);
      if (current === undefined || specOf(current).holderIdentity !== this.options.identity) return;
      const spec = { ...specOf(current), holderIdentity: '', leaseDurationSeconds: 1 };
      await this.options.client.update(this.ref(), { ...current, spec }, '', limit.signal);
    } catch (error) {
      this.options.log.info(
        { lease: this.options.leaseName, err: error },
        'the lease was not given back, it will expire',
      );
    }
  }

  private read(signal: AbortSignal): Promise<ApiObject | undefined> {
    return this.options.client.get(this.ref(), signal);
  }

  private canAcquire(current: ApiObject): boolean {
    const { holderIdentity = '', leaseDurationSeconds = leaseSeconds } = specOf(current);
    const version = current.metadata.resourceVersion ?? '';
    if (version !== this.seen) {
      this.seen = version;
      this.seenAt = this.options.clock.monotonic();
    }
    if (holderIdentity === '' || holderIdentity === this.options.identity) return true;
    return this.options.clock.monotonic() - this.seenAt > leaseDurationSeconds * 1000;
  }

  private async createLease(signal: AbortSignal): Promise<void> {
    const { client, leases, namespace, leaseName } = this.options;
    const object = {
      apiVersion: `${leases.group}/${leases.version}`,
      kind: leases.kind,
      metadata: { name: leaseName, namespace },
      spec: this.spec(undefined),
    };
    await client.create(leases, namespace, object, signal);
  }

  private async write(current: ApiObject, signal: AbortSignal): Promise<void> {
    await this.options.client.update(
      this.ref(),
      { ...current, spec: this.spec(specOf(current)) },
      '',
      signal,
    );
  }

  private spec(before: LeaseSpec | undefined): LeaseSpec {
    const now = formatMicros(new Date(this.options.clock.now()));
    const isOurs = before?.holderIdentity === this.options.identity;
    return {
      holderIdentity: this.options.identity,
      leaseDurationSeconds: leaseSeconds,
      acquireTime: isOurs ? (before.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (before?.leaseTransitions ?? 0) + (before && !isOurs ? 1 : 0),
    };
  }

  private ref(): { resource: ResourceRef; namespace: string; name: string } {
    const { leases, namespace, leaseName } = this.options;
    return { resource: leases, namespace, name: leaseName };
  }
}

function specOf(lease: ApiObject): LeaseSpec {
  return lease['spec'] ?? {};
}
