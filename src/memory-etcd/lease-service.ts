/** Leases as clients use them, and their end by the clock. */
import { longestTimerMs, type Clock, type Timer } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Lease, Leases } from './leases.ts';
import { leaseText } from './leases.ts';
import {
  int,
  type Int64,
  type LeaseGrantRequest,
  type LeaseGrantResponse,
  type LeaseKeepAliveResponse,
  type LeaseTimeToLiveResponse,
  type ResponseHeader,
} from './messages.ts';
import { drawId } from './options.ts';
import { serverError } from './server-error.ts';

const mostTtl = 9_000_000_000;

export interface LeaseContext {
  readonly clock: Clock;
  readonly random: Random;
  /** In seconds. */
  readonly minTtl: number;
  readonly leases: () => Leases;
  readonly header: () => ResponseHeader;
  /** Removes the keys of a lease, and the lease. */
  readonly revoke: (lease: Lease) => void;
}

export class LeaseService {
  readonly #context: LeaseContext;
  #timer: Timer | undefined;

  constructor(context: LeaseContext) {
    this.#context = context;
  }

  /** @throws GrpcError */
  grant({ ID: asked, TTL }: LeaseGrantRequest): LeaseGrantResponse {
    const { random, header, leases, minTtl } = this.#context;
    const id = leaseText(asked) === undefined ? drawId(random) : (asked ?? 0);
    if (int(TTL) > mostTtl) throw serverError('leaseTtlTooLarge');
    if (leases().get(id) !== undefined) throw serverError('leaseExists');
    const ttl = Math.max(int(TTL), minTtl);
    leases().add(id, ttl, this.#now() + ttl * 1_000);
    this.schedule();
    return { header: header(), ID: id, TTL: ttl, error: '' };
  }

  /** @throws GrpcError if there is no such lease */
  revoke(id: Int64 | undefined): { readonly header: ResponseHeader } {
    const { leases, header, revoke } = this.#context;
    const lease = leases().get(id);
    if (lease === undefined) throw serverError('leaseNotFound');
    revoke(lease);
    return { header: header() };
  }

  /** A lease that has ended has a time to live of 0. */
  keepAlive(id: Int64 = 0): LeaseKeepAliveResponse {
    const { leases, header } = this.#context;
    const lease = leases().get(id);
    if (lease !== undefined) lease.expiresAt = this.#now() + lease.ttl * 1_000;
    return { header: header(), ID: id, TTL: lease?.ttl ?? 0 };
  }

  timeToLive({
    ID = 0,
    keys = false,
  }: {
    readonly ID?: Int64;
    readonly keys?: boolean;
  }): LeaseTimeToLiveResponse {
    const { leases, header } = this.#context;
    const lease = leases().get(ID);
    if (lease === undefined) return { header: header(), ID, TTL: -1, grantedTTL: 0, keys: [] };
    return {
      header: header(),
      ID,
      TTL: Math.floor((lease.expiresAt - this.#now()) / 1_000),
      grantedTTL: lease.ttl,
      keys: keys ? [...lease.keys.keys()].map((key) => Buffer.from(key, 'latin1')) : [],
    };
  }

  /** The leases, the first to end first. */
  list(): { readonly header: ResponseHeader; readonly leases: readonly { readonly ID: Int64 }[] } {
    const { leases, header } = this.#context;
    const all = [...leases().all()].sort((a, b) => a.expiresAt - b.expiresAt);
    return { header: header(), leases: all.map(({ id }) => ({ ID: id })) };
  }

  /** Sets the timer for the next lease to end, after leases were added or replaced. */
  schedule(): void {
    const { clock, leases } = this.#context;
    clock.clear(this.#timer);
    this.#timer = undefined;
    const next = leases().nextExpiry();
    if (next === Infinity) return;
    const ms = Math.min(longestTimerMs, Math.max(0, Math.ceil(next - this.#now())));
    this.#timer = clock.setTimeout(() => {
      this.#expire();
    }, ms);
    this.#timer.unref();
  }

  stop(): void {
    this.#context.clock.clear(this.#timer);
    this.#timer = undefined;
  }

  /** Each lease that is over is a revision of its own, if it has keys. */
  #expire(): void {
    const { leases, revoke } = this.#context;
    for (const lease of leases().expired(this.#now())) revoke(lease);
    this.schedule();
  }

  #now(): number {
    return this.#context.clock.monotonic();
  }
}
