/** Waits until a control plane has nothing to do but wait: for time, or for its clients. */
import { systemClock } from '../../base/clock.ts';
import { laterTurn } from '../../base/cooperate.ts';
import { pause } from '../../base/pause.ts';
import type { WorkLeft } from '../../controllers/work-left.ts';

/** What is watched of a control plane. */
export interface RestParts {
  /** Grows with whatever is done. */
  readonly activity: () => number;
  /** Revisions that watches do not all have yet. */
  readonly undelivered: () => number;
  /** Work of controllers. */
  readonly left: () => Iterable<WorkLeft>;
  /** Makes controllers look now that look at something at intervals, such as which kinds there are. */
  readonly lookNow: () => void;
  /** Resolves when the service has seen the newest revision. */
  readonly caughtUp: () => Promise<unknown>;
}

type Counts = (left: WorkLeft) => boolean;

/** Turns of the event loop without any activity after which all is quiet. */
const quietTurns = 3;
/** How long one step may be at work. */
const longestStepMs = 10_000;
const lookAgainMs = 2;
/** Turns of the event loop that are waited for work that goes on, before a timer is. */
const busyTurns = 50;
/** What a controller wants to look at within this time is work; what it plans for later is not. */
const soonMs = 1_000;
/** What failed and is tried again within this time counts as going on. */
const atOnceMs = 50;
const { signal: never } = new AbortController();

export class Rest {
  readonly #parts: RestParts;

  constructor(parts: RestParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when nothing is going on, as far as it is not waiting: for time, or for another process.
   * @throws Error if that takes longer than ten seconds
   */
  readonly quiet = async (): Promise<void> => {
    if (await this.#isQuiet(systemClock.monotonic() + longestStepMs)) return;
    throw new Error('the control plane does not come to rest: does a client write all the time?');
  };

  /**
   * Resolves when controllers have no work left: nothing waits, nothing is worked on, nothing failed or is due soon, and
   * their watches have the newest revision.
   * @returns what is left after that time; empty if all is done, undefined if objects change all the time
   */
  async settled(timeoutMs: number, isWork = isWorkLeft): Promise<readonly WorkLeft[] | undefined> {
    const until = systemClock.monotonic() + timeoutMs;
    this.#parts.lookNow();
    for (;;) {
      await this.#parts.caughtUp();
      const isQuiet = await this.#isQuiet(until);
      const left = [...this.#parts.left()].filter(isWork);
      if (isQuiet && left.length === 0 && this.#parts.undelivered() === 0) return left;
      if (systemClock.monotonic() >= until) return left.length === 0 ? undefined : left;
      await pause(systemClock, lookAgainMs, never);
    }
  }

  /**
   * Resolves when controllers have seen the newest revision, and have done what follows from it. Clients may go on.
   * @param counts for what is waited; default: all
   * @returns false if that takes longer
   */
  async workDone(timeoutMs: number, counts: Counts = () => true): Promise<boolean> {
    const until = systemClock.monotonic() + timeoutMs;
    for (;;) {
      await this.#parts.caughtUp();
      const isDone = await this.#staysDone(counts);
      if (isDone || systemClock.monotonic() >= until) return isDone;
      if (!(await this.#becomesDone(counts))) await pause(systemClock, lookAgainMs, never);
    }
  }

  async #staysDone(counts: Counts): Promise<boolean> {
    let isDone = this.#isDone(counts);
    for (let turns = 0; isDone && turns < quietTurns; turns += 1) {
      await laterTurn();
      isDone = this.#isDone(counts);
    }
    return isDone;
  }

  /** Whether what goes on is over within some turns: a timer would be later than most of it, by milliseconds. */
  async #becomesDone(counts: Counts): Promise<boolean> {
    for (let turns = 0; turns < busyTurns; turns += 1) {
      await laterTurn();
      if (this.#isDone(counts)) return true;
    }
    return false;
  }

  #isDone(counts: Counts): boolean {
    const isLeft = (left: WorkLeft): boolean => isAtOnce(left) && counts(left);
    return this.#parts.undelivered() === 0 && ![...this.#parts.left()].some(isLeft);
  }

  async #isQuiet(until: number): Promise<boolean> {
    let before = this.#parts.activity();
    for (let turns = 0; turns < quietTurns; turns += 1) {
      await laterTurn();
      const now = this.#parts.activity();
      if (now === before) continue;
      if (systemClock.monotonic() >= until) return false;
      before = now;
      turns = -1;
    }
    return true;
  }
}

function isWorkLeft({ state, dueInMs }: WorkLeft): boolean {
  return state !== 'later' || dueInMs <= soonMs;
}

/** What goes on now, or is tried again right away. */
function isAtOnce({ state, dueInMs }: WorkLeft): boolean {
  return dueInMs <= 0 || (state === 'failed' && dueInMs <= atOnceMs);
}

/** What follows from what controllers have seen before: those that start will see the present state. */
export function isFromBefore({ state }: WorkLeft): boolean {
  return state !== 'starting';
}

/** What goes on now, and does not wait for its time. */
export function isUnderWay({ dueInMs }: WorkLeft): boolean {
  return dueInMs <= 0;
}

/** What is at work, in words. @param left as `Rest.settled` gives it */
export function namesOf(left: readonly WorkLeft[] | undefined): string {
  if (left === undefined) return 'objects change all the time';
  return left.map(({ queue, key }) => `${queue} with ${key}`).join(', ');
}
