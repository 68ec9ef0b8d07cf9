/** Long work in short steps, one piece after another. */
import { Slice } from './cooperate.ts';
import { InOrder } from './in-order.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** Steps of work, each of some microseconds; between two of them others may have the thread. */
export type Steps = Iterable<void>;

/** Steps between two looks at the clock: work of fewer is done at once, however slow the machine is. */
const stepsOfLook = 256;

/** Takes steps until a slice is over, in this turn, and the rest in later turns. Throws or rejects as they do. */
export function inSlices(steps: Steps): MaybePromise<void> {
  const slice = new Slice();
  const left = steps[Symbol.iterator]();
  while (takeSome(left)) if (slice.shouldYield()) return takeRest(left, slice);
}

async function takeRest(left: Iterator<void>, slice: Slice): Promise<void> {
  await slice.yieldNow();
  while (takeSome(left)) await slice.breathe();
}

/** True when there are more. */
function takeSome(left: Iterator<void>): boolean {
  for (let i = 0; i < stepsOfLook; i += 1) if (left.next().done === true) return false;
  return true;
}

/** Takes steps in slices; what they return. Rejects as they throw. */
export async function resultInSlices<T>(steps: Generator<void, T, void>): Promise<T> {
  const slice = new Slice();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await slice.breathe();
  }
}

/** Takes steps; what they return. Rejects as they throw. @param breathe called behind each, what it returns is awaited */
export async function resultOf<T>(
  steps: Generator<void, T, void>,
  breathe: () => MaybePromise<void>,
): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const pause = breathe();
    if (pause) await pause;
  }
}

/** All steps in this turn; what they return. */
export function atOnce<T>(steps: Generator<void, T, void>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Pieces of work that must not mix: each begins when those before it are done. */
export class SlicedWork {
  readonly #order = new InOrder();

  /** Takes the steps in slices: what fits into one is done when this returns, if no other piece is under way. */
  run(steps: () => Steps): MaybePromise<void> {
    return this.#order.run(() => inSlices(steps()));
  }
}
