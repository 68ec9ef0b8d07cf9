/** Steps of work, counted by the turn of the event loop that they fall into; time goes by in them alone. */
import { laterTurn } from '../../src/base/cooperate.ts';
import { useEventLoop } from '../../src/base/event-loop.ts';

export interface CountedTurns {
  /** A step that takes so many milliseconds. */
  step(ms: number): void;
  /** The most steps that one turn had in this test. */
  most(): number;
}

/** For all tests of the file that calls it. */
export function countedTurns(): CountedTurns {
  let now = 0;
  let inTurn = 0;
  let mostInTurn = 0;
  beforeEach(async () => {
    // The share of the turn before is over.
    await laterTurn();
    inTurn = mostInTurn = 0;
    useEventLoop({
      now: () => now,
      nextTurn: (callback) => {
        setImmediate(callback);
      },
    });
  });
  afterEach(() => {
    useEventLoop(undefined);
  });
  return {
    step(ms) {
      if (inTurn === 0) setImmediate(() => (inTurn = 0));
      inTurn += 1;
      mostInTurn = Math.max(mostInTurn, inTurn);
      now += ms;
    },
    most: () => mostInTurn,
  };
}
