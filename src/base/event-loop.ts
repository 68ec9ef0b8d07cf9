/**
 * The event loop of the process: its turns, and the time that work holds the thread. There is one thread, so there is
 * one event loop; a simulation replaces it, so that turns come in an order of its choice and no slice of work depends
 * on the speed of the machine.
 */
export interface EventLoop {
  /** Monotonic time in milliseconds, to measure how long work holds the thread. Not for deadlines: those have a clock. */
  now(): number;
  /** Calls back in a later turn, after connections have sent and received. */
  nextTurn(callback: () => void): void;
}

const systemEventLoop: EventLoop = {
  now: () => performance.now(),
  nextTurn: (callback) => {
    setImmediate(callback);
  },
};

let current: EventLoop = systemEventLoop;

/** The event loop in use. */
export function eventLoop(): EventLoop {
  return current;
}

/** Uses another event loop in the whole process; undefined: that of the machine. */
export function useEventLoop(other: EventLoop | undefined): void {
  current = other ?? systemEventLoop;
}
