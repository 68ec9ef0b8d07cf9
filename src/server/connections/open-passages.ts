/**
 * How many connections to nodes, pods and services are open at a time. They have no deadline, as a log may say nothing for
 * days, and each takes an open file, however many the client asks for over one connection of HTTP/2. What is beyond is 429.
 */
import { tooManyRequests } from '../../meta/status.ts';

export interface PassageLimits {
  /** Of all users. */
  readonly most: number;
  /** Of one user. */
  readonly mostPerUser: number;
}

const usual: PassageLimits = { most: 8_000, mostPerUser: 2_000 };

/** An eighth of the open files of this process, if that is less; a user may have a quarter of all. */
export function usualPassages(openFiles: number | undefined): PassageLimits {
  const most = Math.min(usual.most, Math.max(1, Math.floor((openFiles ?? Infinity) / 8)));
  return { most, mostPerUser: Math.min(usual.mostPerUser, Math.max(1, Math.floor(most / 4))) };
}

const retryAfterSeconds = 1;

export class OpenPassages {
  readonly #limits: PassageLimits;
  /** By name; only users that have any. */
  readonly #byUser = new Map<string, number>();
  #all = 0;

  constructor(limits: PassageLimits) {
    this.#limits = limits;
  }

  /**
   * Counts one until `pass` settles, and settles as it does.
   * @throws StatusError 429
   */
  async use(user: string, pass: () => Promise<void>): Promise<void> {
    const own = this.#byUser.get(user) ?? 0;
    if (own >= this.#limits.mostPerUser) throw refused('you have');
    if (this.#all >= this.#limits.most) throw refused('there are');
    this.#add(user, 1);
    try {
      await pass();
    } finally {
      this.#add(user, -1);
    }
  }

  #add(user: string, count: number): void {
    this.#all += count;
    const own = (this.#byUser.get(user) ?? 0) + count;
    if (own === 0) this.#byUser.delete(user);
    else this.#byUser.set(user, own);
  }
}

function refused(who: string): Error {
  return tooManyRequests(
    `${who} too many open connections to nodes, pods and services, please try again later`,
    retryAfterSeconds,
  );
}
