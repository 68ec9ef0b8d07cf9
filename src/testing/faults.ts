/** The faults of a control plane, as a test orders them. */
import type { FaultId, FaultOrder, FaultScope, FaultStrike, LostAnswer } from './fault-orders.ts';
import type { PlaneId } from './host/protocol.ts';
import type { HostThread } from './host-thread.ts';
import { aBoolean, aText, isCount, judge, judgeOptions, oneOf, that, type Checks } from './judge.ts';
import { scopeChecks } from './scope-checks.ts';
import { strikeText } from './strike-text.ts';

/** A fault that goes on; `await using` ends it. */
export interface FaultHandle extends AsyncDisposable {
  readonly id: FaultId;
  readonly order: FaultOrder;
  /** How many requests it has struck. */
  strikes(): Promise<number>;
  /** The first 1,000 of them, as the member `requests` of a scope takes them: what it did can be done again. */
  requests(): Promise<readonly string[]>;
  end(): Promise<void>;
}

export interface CloseWatchesScope extends FaultScope {
  /** The connections are cut, instead of answers that end. */
  readonly cut?: boolean;
}

export interface RefuseScope extends Omit<FaultScope, 'verb' | 'resource'> {
  /** Seconds; default 1 for 429 and 503. */
  readonly retryAfter?: number;
}

export interface RestartScope extends FaultScope {
  /** How long nothing listens, such as `1s`; default not longer than it takes. */
  readonly downFor?: string;
}

export interface LoseAnswersScope extends FaultScope {
  /** The connection is cut (default), or the answer is 504. */
  readonly as?: LostAnswer;
}

/** Which requests a refusal is about its first arguments say. */
const { verb: _verb, resource: _resource, ...restOfScope } = scopeChecks;
const refuseChecks: Checks<RefuseScope> = {
  ...restOfScope,
  retryAfter: that('a whole number of seconds', isCount),
};

/** Strikes that `describe` names. */
const mostDescribed = 40;

export class Faults {
  readonly #host: HostThread;
  readonly #plane: PlaneId;
  #seed: number;
  /** The n-th fault since the last `clear` has the number n, so that its decisions repeat. */
  #last = 0;

  /** @internal `controlPlane.faults` has them. */
  constructor(host: HostThread, plane: PlaneId, seed: number) {
    this.#host = host;
    this.#plane = plane;
    this.#seed = seed;
  }

  /** What is decided by chance is decided by it. */
  get seed(): number {
    return this.#seed;
  }

  /** Ends all faults, forgets what they did, and begins with another seed. */
  async useSeed(seed: number): Promise<void> {
    judge('useSeed', seed, that('a whole number', Number.isInteger));
    await this.clear();
    this.#seed = seed;
  }

  /** Ends open watches of the scope, whatever its verbs are: now, or when `after` requests have passed. */
  async closeWatches(options: CloseWatchesScope = {}): Promise<FaultHandle> {
    judgeOptions('closeWatches', options, { ...scopeChecks, cut: aBoolean });
    const { cut = false, ...scope } = options;
    return this.start({ kind: 'closeWatches', cut, scope });
  }

  /**
   * History before now is gone: open watches of the scope end, and watches, exact lists and chunks of older versions get
   * 410, until the fault is ended.
   */
  async expireHistory(scope: FaultScope = {}): Promise<FaultHandle> {
    judgeOptions('expireHistory', scope, scopeChecks);
    return this.start({ kind: 'expireHistory', scope });
  }

  /** Reads and watches with `resourceVersion=0`, as of starting informers, are answered by a replica that is behind. @param by such as `2s` */
  async staleReads(by: string, scope: FaultScope = {}): Promise<FaultHandle> {
    judgeOptions('staleReads', scope, scopeChecks);
    return this.start({ kind: 'staleReads', by, scope });
  }

  /**
   * Watches, and reads that name a `resourceVersion`, are answered by a replica that is behind: events come late. Consistent
   * reads stay consistent. @param by such as `2s`
   */
  async lagReplica(by: string, scope: FaultScope = {}): Promise<FaultHandle> {
    judgeOptions('lagReplica', scope, scopeChecks);
    return this.start({ kind: 'lagReplica', by, scope });
  }

  /**
   * Before an update, patch or deletion another client writes the object: who names a `resourceVersion` gets 409.
   * @param rate of these requests, from 0 to 1
   */
  async conflicts(rate = 1, scope: FaultScope = {}): Promise<FaultHandle> {
    judgeOptions('conflicts', scope, scopeChecks);
    return this.start({ kind: 'conflicts', scope: { ...scope, rate } });
  }

  /** Requests wait before they are served. @param by such as `250ms` */
  async delay(by: string, scope: FaultScope = {}): Promise<FaultHandle> {
    judgeOptions('delay', scope, scopeChecks);
    return this.start({ kind: 'delay', by, scope });
  }

  /** Requests are refused before they have any effect. @param verb @param resource `*` is any @param status 429, 500, 503 … */
  async refuse(
    verb: string | readonly string[],
    resource: string | readonly string[],
    status: number,
    options: RefuseScope = {},
  ): Promise<FaultHandle> {
    judgeOptions('refuse', options, refuseChecks);
    const { retryAfter, ...rest } = options;
    const scope = { ...rest, verb, resource };
    return this.start({ kind: 'refuse', status, ...(retryAfter !== undefined && { retryAfter }), scope });
  }

  /**
   * The server goes, and comes back at the same port: watches of the scope are cut, answers that have begun are finished,
   * all connections end. Resolves when it serves again, unless `after` requests pass first.
   */
  async restart(options: RestartScope = {}): Promise<FaultHandle> {
    judgeOptions('restart', options, { ...scopeChecks, downFor: aText });
    const { downFor = '0s', ...scope } = options;
    return this.start({ kind: 'restart', downFor, scope });
  }

  /** Writes take effect, and their clients do not hear of it. */
  async loseAnswers(options: LoseAnswersScope = {}): Promise<FaultHandle> {
    judgeOptions('loseAnswers', options, { ...scopeChecks, as: oneOf('cut', 'timeout') });
    const { as = 'cut', ...scope } = options;
    return this.start({ kind: 'loseAnswers', as, scope });
  }

  /**
   * Begins a fault that is given as data.
   * @throws Error that says what is wrong with the order
   */
  async start(order: FaultOrder): Promise<FaultHandle> {
    this.#last += 1;
    const id = this.#last;
    await this.#host.call('startFault', this.#plane, { id, seed: this.#seed, order });
    const end = (): Promise<void> => this.#host.call('endFault', this.#plane, id);
    const strikes = (): Promise<number> => this.#host.call('faultStrikes', this.#plane, id);
    const requests = (): Promise<readonly string[]> => this.#host.call('faultRequests', this.#plane, id);
    return { id, order, end, strikes, requests, [Symbol.asyncDispose]: end };
  }

  /**
   * Ends a fault by its number; what is over already stays as it is.
   * @returns how many requests it has struck
   * @throws TypeError for a number that no fault has had since the last `clear`
   */
  async end(id: FaultId): Promise<number> {
    if (!(id >= 1 && id <= this.#last)) throw new TypeError(`there is no fault ${String(id)}`);
    await this.#host.call('endFault', this.#plane, id);
    return this.#host.call('faultStrikes', this.#plane, id);
  }

  /** Ends all faults, and forgets what they did. */
  async clear(): Promise<void> {
    this.#last = 0;
    await this.#host.call('clearFaults', this.#plane);
  }

  /** What was done to whom since the last `clear`, at most the last 10,000 strikes. */
  log(): Promise<readonly FaultStrike[]> {
    return this.#host.call('faultLog', this.#plane);
  }

  /** The seed and the last strikes as text; '' if nothing was struck. */
  async describe(): Promise<string> {
    const strikes = await this.log();
    if (strikes.length === 0) return '';
    const shown = strikes.slice(-mostDescribed).map(strikeText);
    const count = `${String(strikes.length)} requests were struck by faults (seed ${String(this.#seed)})`;
    return [`${count}, the last of them:`, ...shown].join('\n');
  }
}
