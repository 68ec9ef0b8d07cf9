/**
 * Bounds what conversion adds to the objects that all requests hold: defaults make megabytes of kilobytes, and a client
 * that does not read keeps them in memory. A request whose objects grow little needs no room. One whose objects grow
 * asks for all that it may need before it goes on, and holds nothing of it while it waits.
 */
import type { Clock } from '../../base/clock.ts';
import { FairBudget, type FairBudgetLimits } from '../../base/fair-budget.ts';
import type { QueueHolder } from '../../base/fair-queue.ts';
import { StatusError, tooManyRequests } from '../../meta/status.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';
import type { RequestScope } from '../types.ts';

export interface GrownLimits extends FairBudgetLimits {
  /** What a list without limit may grow by. */
  readonly ofList: number;
  /** Maximum time that a request waits, in milliseconds. */
  readonly maxWaitMs: number;
}

const megabyte = 1024 * 1024;

const usualLimits: GrownLimits = {
  ...{ total: 512 * megabyte, perFlow: 256 * megabyte, maxWaiting: 1_000 },
  ...{ ofList: 256 * megabyte, maxWaitMs: 15_000 },
};

/** What a request may grow by without room. */
export const freeGrowth = megabyte;
/** Of a watch: some 4 MB are converted together, and are in memory again as they are sent. */
export const growthOfWatch = 8 * megabyte;
/** A chunk of a list ends early once it has grown by so much. */
export const growthOfChunk = 32 * megabyte;

/** One of a registry. */
export class GrownRoom {
  readonly limits: GrownLimits;
  readonly #budget: FairBudget;

  constructor(clock: Clock, limits: GrownLimits = usualLimits) {
    this.limits = limits;
    this.#budget = new FairBudget(limits, clock, 'bytes added by conversion');
  }

  /** Bytes that requests hold, or may still come to. */
  get inUse(): number {
    return this.#budget.inUse;
  }

  /** Undefined for callers of this program: they are few, and have no end that could be told. */
  shareOf({ lifetime, user }: Pick<RequestScope, 'lifetime' | 'user'>): GrownShare | undefined {
    if (lifetime?.onClose === undefined) return undefined;
    const share = new GrownShare(this.#budget, user.name, this.limits.maxWaitMs);
    lifetime.onClose(() => share.close());
    if (lifetime.aborted) share.close();
    return share;
  }
}

/** What one request holds. It is released when the request ends, or before. */
export class GrownShare implements QueueHolder {
  readonly #budget: FairBudget;
  readonly #flow: string;
  readonly #maxWaitMs: number;
  #held = 0;
  #isClosed = false;
  #cancel: (() => void) | undefined = undefined;

  constructor(budget: FairBudget, flow: string, maxWaitMs: number) {
    this.#budget = budget;
    this.#flow = flow;
    this.#maxWaitMs = maxWaitMs;
  }

  get isHeld(): boolean {
    return this.#held > 0;
  }

  /** For a share that holds nothing: waits for its turn. @throws StatusError 429 */
  async take(bytes: number): Promise<void> {
    const refusal = await this.#budget.take(this.#flow, bytes, this, this.#maxWaitMs);
    this.#cancel = undefined;
    if (refusal !== undefined)
      throw tooManyRequests('too many large objects are being read, please try again later', 1);
    this.#held = bytes;
    if (this.#isClosed) this.keep(0);
  }

  /** Gives back what it holds beyond so many bytes. */
  keep(bytes: number): void {
    const left = this.#held - bytes;
    if (left <= 0) return;
    this.#held = bytes;
    this.#budget.give(this.#flow, left);
  }

  /** The request has ended. */
  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
    this.keep(0);
  }

  /** Of a wait in the queue: the request may end meanwhile. */
  onClose(action: () => void): void {
    this.#cancel = action;
  }
}

/** Bytes by which these are larger than what is stored of them. */
export function growthOf(shown: readonly Entry[], stored: readonly Entry[]): number {
  return shown.reduce((sum, entry, i) => sum + Math.max(0, sizeOf(entry) - sizeOf(stored[i] ?? entry)), 0);
}

/** 413 for a list whose objects would never have room at once. */
export function listGrowsTooMuch(most: number): StatusError {
  const message = `the list is too large: conversion to this version and its defaults add more than ${String(most)} bytes to its objects; ask for chunks of it (limit)`;
  return new StatusError(413, 'RequestEntityTooLarge', message);
}
