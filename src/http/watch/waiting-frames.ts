/**
 * The objects whose frames wait in the queues of all watches. Each watch may show another object, which its version makes
 * hundreds of times as long as it is stored: a thousand that are not read held gigabytes.
 */

/** Whose frames wait. */
export interface WaitingQueue {
  /** Its client reads too slowly. */
  fail(): void;
}

/** An object whose frames wait. */
export interface WaitingObject {
  readonly bytes: number;
  /** Frames of it, in all queues. */
  frames: number;
}

export class WaitingFrames {
  /** What many watches show is in memory once. The objects are not kept. */
  readonly #known = new WeakMap<object, WaitingObject>();
  /** In the order in which they had a frame written last. */
  readonly #queues = new Set<WaitingQueue>();
  #bytes = 0;

  /** A frame of the object, of so many bytes, waits in this queue. */
  add(queue: WaitingQueue, object: object, bytes: number): WaitingObject {
    const known = this.#known.get(object) ?? { bytes, frames: 0 };
    this.#known.set(object, known);
    if (known.frames === 0) this.#bytes += known.bytes;
    known.frames += 1;
    this.#queues.add(queue);
    return known;
  }

  /** Of the queues, those that have waited longest fail until all is within so many bytes. */
  keepWithin(most: number): void {
    while (this.#bytes > most && this.#queues.size > 1) {
      const [oldest] = this.#queues;
      oldest?.fail();
    }
  }

  /** A frame of this queue is written or dropped. */
  remove(queue: WaitingQueue, object: WaitingObject, isEmpty: boolean): void {
    object.frames -= 1;
    if (object.frames === 0) this.#bytes -= object.bytes;
    this.#queues.delete(queue);
    if (!isEmpty) this.#queues.add(queue);
  }
}
