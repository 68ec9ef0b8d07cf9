/**
 * Work that waits, in queues that take turns by virtual time (start-time fair queuing). Each queue has a tag: the work
 * that was served from it, in milliseconds. The queue with the smallest tag is next; a queue that becomes busy starts
 * where the served ones are, so that an idle queue saves up no turns. How long a piece of work takes is known only at
 * its end: its queue is charged an estimate when it begins, and the difference when it ends. Work on several seats costs
 * the time of all of them.
 *
 * Queues exist only while they hold something, so that a level may have millions.
 */
import { dealHand } from './shuffle-shard.ts';

export interface QueueShape {
  readonly queues: number;
  /** Queues that each flow is dealt. */
  readonly handSize: number;
  readonly lengthLimit: number;
}

/** A piece of work, from the moment it waits until it is done. */
export interface Ticket<T> {
  /** Where it waits, or was served from; undefined: it never waited. */
  queue: FairQueue<T> | undefined;
  /** Milliseconds that its queue was charged when it began. */
  charge: number;
  /** Seats that it holds. */
  readonly width: number;
  /** What it cost if it took so long, in milliseconds of one seat. */
  workOf(tookMs: number): number;
}

export class FairQueue<T> {
  readonly index: number;
  readonly waiting = new Set<T>();
  executing = 0;
  /** Of its work that waits or is executed. */
  seats = 0;
  /** Virtual time of its next piece of work. */
  tag: number;

  constructor(index: number, tag: number) {
    this.index = index;
    this.tag = tag;
  }
}

/** Guess for the first pieces of work, in milliseconds. */
const firstEstimateMs = 5;
/** Work that took no time at all must still cost its queue a turn. */
const leastMs = 0.01;
/** Weight of the newest figure in the average. */
const newestWeight = 1 / 16;

export class FairQueues<T extends Ticket<T>> {
  /** Pieces of work that wait in all queues. */
  size = 0;
  /** Seats that they wait for. */
  seats = 0;
  private readonly queues = new Map<number, FairQueue<T>>();
  /** Queues where something waits, longest busy first. */
  private readonly backlog = new Set<FairQueue<T>>();
  /** The greatest tag that was served. */
  private virtualNow = 0;
  private estimateMs = firstEstimateMs;

  /**
   * Lets a piece of work wait in the shortest queue of its flow's hand.
   * @param flow `flowHash` of its flow
   * @returns how many wait there now; undefined when that queue is full
   */
  enqueue(ticket: T, flow: bigint, shape: QueueShape): number | undefined {
    const queue = this.shortest(dealHand(flow, shape.queues, shape.handSize));
    if (queue.waiting.size >= shape.lengthLimit) return undefined;
    this.queues.set(queue.index, queue);
    if (queue.waiting.size === 0) queue.tag = Math.max(queue.tag, this.virtualNow);
    queue.waiting.add(ticket);
    this.backlog.add(queue);
    this.size += 1;
    this.seats += ticket.width;
    queue.seats += ticket.width;
    ticket.queue = queue;
    return queue.waiting.size;
  }

  /** Takes a piece of work back that waits. */
  remove(ticket: T): void {
    const { queue } = ticket;
    if (!queue?.waiting.delete(ticket)) return;
    this.size -= 1;
    this.seats -= ticket.width;
    queue.seats -= ticket.width;
    this.tidy(queue);
  }

  /**
   * The piece of work whose turn it is, which begins.
   * @param fits false: there are too few seats for it; it keeps its turn, and nothing else begins
   * @returns undefined: none waits, or it does not fit
   */
  next(fits: (ticket: T) => boolean = () => true): T | undefined {
    const queue = this.first();
    if (!queue) return undefined;
    const [ticket] = queue.waiting;
    if (ticket === undefined || !fits(ticket)) return undefined;
    queue.waiting.delete(ticket);
    this.size -= 1;
    this.seats -= ticket.width;
    if (queue.waiting.size === 0) this.backlog.delete(queue);
    this.virtualNow = Math.max(this.virtualNow, queue.tag);
    ticket.charge = ticket.workOf(this.estimateMs);
    queue.tag += ticket.charge;
    queue.executing += 1;
    return ticket;
  }

  /** A piece of work has ended, whether it ever waited or not. */
  finish(ticket: T, tookMs: number): void {
    const ms = Math.max(tookMs, leastMs);
    this.estimateMs += (ms - this.estimateMs) * newestWeight;
    const { queue } = ticket;
    if (!queue) return;
    queue.tag += ticket.workOf(ms) - ticket.charge;
    queue.executing -= 1;
    queue.seats -= ticket.width;
    this.tidy(queue);
  }

  /** The queues that hold something, by their index. */
  held(): readonly FairQueue<T>[] {
    return [...this.queues.values()].sort((a, b) => a.index - b.index);
  }

  private first(): FairQueue<T> | undefined {
    let best: FairQueue<T> | undefined;
    for (const queue of this.backlog) if (best === undefined || queue.tag < best.tag) best = queue;
    return best;
  }

  /** One that holds nothing is as good as any other. */
  private shortest(hand: readonly number[]): FairQueue<T> {
    let best: FairQueue<T> | undefined;
    for (const index of hand) {
      const queue = this.queues.get(index);
      if (!queue) return new FairQueue(index, this.virtualNow);
      if (best === undefined || loadOf(queue) < loadOf(best)) best = queue;
    }
    return best ?? new FairQueue(0, this.virtualNow);
  }

  private tidy(queue: FairQueue<T>): void {
    if (queue.waiting.size > 0) return;
    this.backlog.delete(queue);
    if (queue.executing === 0) this.queues.delete(queue.index);
  }
}

function loadOf<T>(queue: FairQueue<T>): number {
  return queue.seats;
}
