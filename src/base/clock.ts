/**
 * Time as a dependency: of a replica, not of the process, so that tests, and simulations of several replicas in one
 * process, can drive it. Code that waits, measures or dates takes a clock; `unit/architecture` looks for what does not.
 */

/** A timer of a clock, to be given to `clear`. */
export interface Timer {
  /** The process may end before it is due. */
  unref(): unknown;
}

/** For what only reads the time. */
export interface PassiveClock {
  /** Wall-clock time in milliseconds since 1970. It may go back. */
  now(): number;
  /** Monotonic time in milliseconds, for durations. */
  monotonic(): number;
}

export interface Clock extends PassiveClock {
  /** Calls back once, after at least so many milliseconds, or after `longestTimerMs`. */
  setTimeout(callback: () => void, ms: number): Timer;
  /** Calls back every so many milliseconds, or every `longestTimerMs`. */
  setInterval(callback: () => void, ms: number): Timer;
  /** Stops a timer; does nothing for one that is over, or for undefined. */
  clear(timer: Timer | undefined): void;
  /**
   * The same clock without the leaps of one that is moved on by hand: for limits of work that is under way, and for
   * signs of life of a process. During a leap no work was done, and no process was away. Absent: this one does not leap.
   */
  readonly steady?: Clock;
}

/** The clock for limits of work and signs of life, see `Clock.steady`. */
export function steadyOf(clock: Clock): Clock {
  return clock.steady ?? clock;
}

/** Almost 25 days. Node's timers call back at once where they are to wait for longer. */
export const longestTimerMs = 2 ** 31 - 1;

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (callback, ms) => setTimeout(callback, Math.min(ms, longestTimerMs)),
  setInterval: (callback, ms) => setInterval(callback, Math.min(ms, longestTimerMs)),
  clear: (timer) => {
    clearTimeout(timer as NodeJS.Timeout | undefined);
  },
};
