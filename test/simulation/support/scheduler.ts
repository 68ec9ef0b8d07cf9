/**
 * The one queue of everything that happens in a simulated world: timers, messages, turns of the event loop. Virtual time
 * jumps from one event to the next, and nothing else happens between: each step runs one event and all promises that
 * it settles.
 *
 *   event due first ─▶ its process: dead ─▶ dropped
 *                                   frozen ─▶ kept until it thaws
 *                                   alive ─▶ run ─▶ microtasks ─▶ next event
 */
import type { EventLoop } from '../../../src/base/event-loop.ts';
import type { SeededRandom } from './seeded-random.ts';

// Taken before a simulation replaces what the process has.
const realTurn = setImmediate;

/** What events belong to, and may stop with. */
export interface Owner {
  readonly name: string;
  state: 'alive' | 'frozen' | 'dead';
  /** When it thawed last, in virtual milliseconds; absent: it was never frozen. */
  thawedAt?: number;
}

/** An event that has not happened yet. */
export interface Scheduled {
  at: number;
  readonly order: number;
  readonly owner: Owner | undefined;
  readonly what: string;
  run: (() => void) | undefined;
}

export class Scheduler {
  readonly #random: SeededRandom;
  readonly #heap: Scheduled[] = [];
  /** Events of frozen owners. */
  readonly #held = new Map<Owner, Scheduled[]>();
  #time = 0;
  #order = 0;
  #steps = 0;
  #digest = 0x811c9dc5;
  #lastTurnAt = 0;
  #threadTime = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Virtual milliseconds since the world began. */
  get time(): number {
    return this.#time;
  }

  get steps(): number {
    return this.#steps;
  }

  /** Equal for two runs only if the same events happened at the same times. */
  get digest(): string {
    return (this.#digest >>> 0).toString(16).padStart(8, '0');
  }

  /** @param what for the digest of the run, and for whoever reads a trace */
  schedule(delayMs: number, run: () => void, what: string, owner?: Owner): Scheduled {
    this.#order += 1;
    const at = this.#time + Math.max(0, delayMs);
    const event: Scheduled = { at, order: this.#order, owner, what, run };
    this.#push(event);
    return event;
  }

  cancel(event: Scheduled | undefined): void {
    if (event !== undefined) event.run = undefined;
  }

  /** Its events happen now, in their order. */
  thaw(owner: Owner): void {
    owner.state = 'alive';
    owner.thawedAt = this.#time;
    const held = this.#held.get(owner) ?? [];
    this.#held.delete(owner);
    for (const event of held) {
      event.at = this.#time;
      this.#push(event);
    }
  }

  /** Turns of the one event loop happen in order, and thread time passes at random, so that slices end anywhere. */
  readonly eventLoop: EventLoop = {
    now: () => {
      this.#threadTime += this.#random.number() * 0.2;
      return this.#time + this.#threadTime;
    },
    nextTurn: (callback) => {
      const at = Math.max(this.#lastTurnAt, this.#time + this.#random.between(0.001, 0.05));
      this.#lastTurnAt = at;
      this.schedule(at - this.#time, callback, 'turn');
    },
  };

  /**
   * Lets the world go on until the condition holds.
   * @returns false if there is nothing more to happen, or after so many steps
   */
  async runUntil(isDone: () => boolean, maxSteps = Infinity): Promise<boolean> {
    await settled();
    for (let left = maxSteps; !isDone(); left -= 1) {
      if (left <= 0 || !this.#step()) return false;
      await settled();
    }
    return true;
  }

  #step(): boolean {
    for (let event = this.#pop(); event !== undefined; event = this.#pop()) {
      const { owner } = event;
      if (event.run === undefined || owner?.state === 'dead') continue;
      if (owner?.state === 'frozen') {
        this.#hold(owner, event);
        continue;
      }
      this.#happen(event);
      return true;
    }
    return false;
  }

  #happen(event: Scheduled): void {
    this.#time = Math.max(this.#time, event.at);
    this.#steps += 1;
    this.#note(event);
    const { run } = event;
    event.run = undefined;
    run?.();
  }

  #hold(owner: Owner, event: Scheduled): void {
    const held = this.#held.get(owner);
    if (held) held.push(event);
    else this.#held.set(owner, [event]);
  }

  #note({ what, at }: Scheduled): void {
    let value = this.#digest ^ Math.round(at * 1000);
    for (let i = 0; i < what.length; i += 1) value = Math.imul(value ^ what.charCodeAt(i), 0x01000193);
    this.#digest = value;
  }

  #push(event: Scheduled): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(event, heap[above] as Scheduled)) break;
      heap[at] = heap[above] as Scheduled;
      at = above;
    }
    heap[at] = event;
  }

  #pop(): Scheduled | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      const right = below + 1;
      if (right < heap.length && isBefore(heap[right] as Scheduled, heap[below] as Scheduled)) below = right;
      if (!isBefore(heap[below] as Scheduled, last)) break;
      heap[at] = heap[below] as Scheduled;
      at = below;
    }
    heap[at] = last;
    return top;
  }
}

function isBefore(a: Scheduled, b: Scheduled): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Resolves when all promises that could settle have. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    realTurn(resolve);
  });
}
