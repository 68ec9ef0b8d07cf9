/** Timers in the order in which they are due, those of the same time in the order in which they were set. */

export interface HeapTimer {
  /** Monotonic time in milliseconds. */
  dueAt: number;
  readonly order: number;
  /** Absent: stopped. */
  run: (() => void) | undefined;
}

/** Below this number stopped timers are not looked for. */
const fewTimers = 64;

export class TimerHeap<T extends HeapTimer> {
  #heap: T[] = [];
  #stopped = 0;

  /** The first that is due and not stopped. */
  first(): T | undefined {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (top.run !== undefined) return top;
      this.#stopped -= 1;
      this.#pop();
    }
    return undefined;
  }

  add(timer: T): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(timer, heap[above] as T)) break;
      heap[at] = heap[above] as T;
      at = above;
    }
    heap[at] = timer;
  }

  /** Takes out the one that `first` gave. */
  take(): void {
    this.#pop();
  }

  /** A timer was stopped. Most timers are, so that they would fill the memory until they are due. */
  noteStopped(): void {
    this.#stopped += 1;
    if (this.#stopped < fewTimers || this.#stopped * 2 < this.#heap.length) return;
    this.#heap = this.#heap.filter(({ run }) => run !== undefined).sort((a, b) => (isBefore(a, b) ? -1 : 1));
    this.#stopped = 0;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      const right = below + 1;
      if (right < heap.length && isBefore(heap[right] as T, heap[below] as T)) below = right;
      if (!isBefore(heap[below] as T, last)) break;
      heap[at] = heap[below] as T;
      at = below;
    }
    heap[at] = last;
  }
}

function isBefore(a: HeapTimer, b: HeapTimer): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);
}
