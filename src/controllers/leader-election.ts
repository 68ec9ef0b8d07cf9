/**
 * Leader election over a Lease: of all processes that run the same controllers, one acts.
 *
 *   candidate ──lease free or not renewed for its duration──▶ leader ──renewal fails for renewDeadline──▶ candidate
 *                                                               ├──its work fails──▶ lease released, candidate again later
 *                                                               └──stop──▶ lease released
 *
 * Clocks of processes are not compared: a candidate measures by its own clock how long the lease has not changed.
 */
import type { ApiObject } from '../meta/object.ts';
import { StatusError } from '../meta/status.ts';
import type { ControllerContext, ResourceRef } from './types.ts';
import { hasStopped, pause } from './work-queue.ts';

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
const retryMs = 2_000;

interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

/** Takes part until the signal is aborted; gives the lease back at the end. */
export async function electLeader(options: LeaderElectionOptions, signal: AbortSignal): Promise<void> {
  const lease = new LeaseHolder(options);
  while (!signal.aborted) {
    if (await lease.tryAcquireOrRenew(signal)) await leadUntilLost(options, lease, signal);
    if (!hasStopped(signal)) await pause(retryMs, signal);
  }
}

async function leadUntilLost(
  options: LeaderElectionOptions,
  lease: LeaseHolder,
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
    await renewUntilLost(lease, term.signal);
  } finally {
    term.abort();
    signal.removeEventListener('abort', onStop);
    await work;
    metrics.leading(leaseName, false);
    await lease.release();
  }
}

async function renewUntilLost(lease: LeaseHolder, signal: AbortSignal): Promise<void> {
  let renewedAt = performance.now();
  while (!signal.aborted && performance.now() - renewedAt < renewDeadlineMs) {
    await pause(retryMs, signal);
    if (!hasStopped(signal) && (await lease.tryAcquireOrRenew(signal))) renewedAt = performance.now();
  }
}

class LeaseHolder {
  private readonly options: LeaderElectionOptions;
  private seen = '';
  private seenAt = 0;

  constructor(options: LeaderElectionOptions) {
    this.options = options;
  }

  /** Takes or renews the lease. False: another process holds it, or the service cannot be reached. */
  async tryAcquireOrRenew(signal: AbortSignal): Promise<boolean> {
    try {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(renewDeadlineMs)]);
      const current = await this.read(deadline);
      if (current === undefined) return await this.createLease(deadline);
      if (!this.canAcquire(current)) return false;
      await this.write(current, deadline);
      return true;
    } catch (error) {
      const lostRace = error instanceof StatusError && error.code === 409;
      if (!lostRace && !signal.aborted) {
        this.options.log.warn(
          { lease: this.options.leaseName, err: error },
          'the lease could not be taken or renewed',
        );
      }
      return false;
    }
  }

  /** Lets the next candidate take over at once. */
  async release(): Promise<void> {
    const deadline = AbortSignal.timeout(retryMs);
    try {
      const current = await this.read(deadline);
      if (current === undefined || specOf(current).holderIdentity !== this.options.identity) return;
      const spec = { ...specOf(current), holderIdentity: '', leaseDurationSeconds: 1 };
      await this.options.client.update(this.ref(), { ...current, spec }, '', deadline);
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
      this.seenAt = performance.now();
    }
    if (holderIdentity === '' || holderIdentity === this.options.identity) return true;
    return performance.now() - this.seenAt > leaseDurationSeconds * 1000;
  }

  private async createLease(signal: AbortSignal): Promise<boolean> {
    const { client, leases, namespace, leaseName } = this.options;
    const object = {
      apiVersion: `${leases.group}/${leases.version}`,
      kind: leases.kind,
      metadata: { name: leaseName, namespace },
      spec: this.spec(undefined),
    };
    await client.create(leases, namespace, object, signal);
    return true;
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
    const now = microTime();
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

function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
