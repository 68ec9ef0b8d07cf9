/** What the work queues of a process have left to do, so that tests can wait until there is nothing. */

/** A key that is not done. */
export interface WorkLeft {
  readonly queue: string;
  /** The key in words. */
  readonly key: string;
  /**
   * `starting`: what is there will be looked at for the first time; `failed`: it waits to be tried again; `later`: a reconciler
   * asked to look again then.
   */
  readonly state: 'starting' | 'waiting' | 'working' | 'failed' | 'later';
  /** In how many milliseconds it is due; 0 if it is now. */
  readonly dueInMs: number;
}

/** What a queue shows of itself. */
export interface QueueState {
  /** When the keys that are worked on now were taken, in monotonic milliseconds of the clock. */
  startedAt(): Iterable<number>;
  /** All keys that are not done. */
  left(): Iterable<WorkLeft>;
}

/** The queues of a process, by name: those of a new term replace those of the one before. */
export class ControllerWork {
  readonly #queues = new Map<string, Pick<QueueState, 'left'>>();
  readonly #looks = new Map<string, () => void>();
  #changes = 0;

  /** Grows whenever a key is queued, taken or done. */
  get changes(): number {
    return this.#changes;
  }

  add(name: string, queue: Pick<QueueState, 'left'>): void {
    this.#queues.set(name, queue);
  }

  /** @param look makes a controller that looks at something at intervals look now */
  addLook(name: string, look: () => void): void {
    this.#looks.set(name, look);
  }

  /** Makes controllers that look at something at intervals look now. */
  lookNow(): void {
    for (const look of this.#looks.values()) look();
  }

  note(): void {
    this.#changes += 1;
  }

  *left(): Iterable<WorkLeft> {
    for (const queue of this.#queues.values()) yield* queue.left();
  }
}
