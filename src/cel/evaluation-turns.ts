/** How long expressions hold the thread at a time: the evaluations of all requests share a part of each turn. */
import { SharedSlice } from '../base/cooperate.ts';
import { eventLoop } from '../base/event-loop.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { AwaitedAnswer } from './language/errors.ts';

/** Those that wait. */
const turns = new SharedSlice();
const sliceMs = 3;
/** When evaluations have had their share of this turn of the event loop; undefined: none has begun in it. */
let shareEnd: number | undefined;

function isShareOver(): boolean {
  const now = eventLoop().now();
  if (shareEnd === undefined) {
    shareEnd = now + sliceMs;
    eventLoop().nextTurn(() => (shareEnd = undefined));
  }
  return now > shareEnd;
}

/** The evaluations of one request. */
export class EvaluationTurns {
  /**
   * Does a step when there is time in this turn of the event loop, else in a later one. Nothing is awaited between the look
   * at the time and the step: others that begin in this turn would all find time left.
   */
  inTurn<T>(step: () => MaybePromise<T>): MaybePromise<T> {
    return isShareOver() ? turns.yieldNow().then(step) : step();
  }

  /**
   * The result of a step that evaluates, in its turn. It is repeated as long as it asks what is not known, each time in a
   * turn of its own. Costs bound the questions.
   */
  answered<T>(step: () => T): MaybePromise<T> {
    return this.inTurn(() => {
      try {
        return step();
      } catch (error) {
        if (!(error instanceof AwaitedAnswer)) throw error;
        return error.answered.then(() => this.answered(step));
      }
    });
  }
}
