/** Ctrl-C, SIGTERM and a terminal that closes (SIGHUP): the first stops in order, the second ends at once. The end of the start script stops in order, too. */
import type { Notify } from '../observe/notice.ts';

export interface StopSignals {
  readonly signal: AbortSignal;
  /** Gives the signals back. */
  close(): void;
}

/**
 * A terminal sends Ctrl-C to all its programs and some of them hand it on: what comes within this time of the first
 * signal is its echo, not somebody's second thought.
 */
const echoMs = 400;

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function stopOnSignals(notify: Notify): StopSignals {
  const controller = new AbortController();
  let firstAt = 0;
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) {
      if (performance.now() - firstAt < echoMs) return;
      notify({ message: `${name} again, ending at once.`, fields: { signal: name } });
      process.exit(130);
    }
    notify({ message: `Stopping (${name}); once more ends at once.`, fields: { signal: name } });
    firstAt = performance.now();
    controller.abort();
  };
  const onDisconnect = (): void => {
    if (controller.signal.aborted) return;
    notify({ message: 'Stopping (the program that started this one is gone).' });
    controller.abort();
  };
  for (const name of names) process.on(name, onSignal);
  // Whoever starts this process with a channel of Node, as the start script does, wants it to end with them.
  if (process.connected) process.on('disconnect', onDisconnect);
  return {
    signal: controller.signal,
    close: () => {
      for (const name of names) process.off(name, onSignal);
      process.off('disconnect', onDisconnect);
    },
  };
}
