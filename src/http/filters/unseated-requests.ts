/** Requests that continue without a seat: limited by what they hold, per user and overall. */
import type { RequestContext } from '../request-context.ts';

export interface UnseatedLimits {
  /** Bytes of all requests. */
  readonly total: number;
  /** Bytes of the requests of one user. */
  readonly perUser: number;
  /** Each request counts for so many bytes at least. */
  readonly leastBytes: number;
}

interface UserRequests {
  bytes: number;
  /** Oldest first, with the bytes of each. */
  readonly requests: Map<RequestContext, number>;
}

export class UnseatedRequests {
  readonly #limits: UnseatedLimits;
  readonly #reject: (context: RequestContext) => void;
  readonly #users = new Map<string, UserRequests>();
  #bytes = 0;

  /** @param reject ends the oldest request of the user with most when there is too much */
  constructor(limits: UnseatedLimits, reject: (context: RequestContext) => void) {
    this.#limits = limits;
    this.#reject = reject;
  }

  add(context: RequestContext): void {
    const { name } = context.user;
    const user = this.#users.get(name) ?? { bytes: 0, requests: new Map<RequestContext, number>() };
    const bytes = Math.max(context.res.writableLength, this.#limits.leastBytes);
    this.#users.set(name, user);
    user.requests.set(context, bytes);
    user.bytes += bytes;
    this.#bytes += bytes;
    context.onClose(() => {
      this.#remove(context);
    });
    while (user.bytes > this.#limits.perUser) this.#rejectOldest(user);
    while (this.#bytes > this.#limits.total) this.#rejectOldest(this.#largest(user));
  }

  #rejectOldest({ requests }: UserRequests): void {
    const [oldest] = requests.keys();
    if (oldest === undefined) return;
    this.#remove(oldest);
    this.#reject(oldest);
  }

  #largest(some: UserRequests): UserRequests {
    let largest = some;
    for (const user of this.#users.values()) if (user.bytes > largest.bytes) largest = user;
    return largest;
  }

  #remove(context: RequestContext): void {
    const { name } = context.user;
    const user = this.#users.get(name);
    const bytes = user?.requests.get(context);
    if (user === undefined || bytes === undefined) return;
    user.requests.delete(context);
    user.bytes -= bytes;
    this.#bytes -= bytes;
    if (user.requests.size === 0) this.#users.delete(name);
  }
}
