/**
 * SIGINT, SIGTERM and SIGHUP: the first stops gracefully, the second exits at once. The exit of the start script also
 * stops gracefully.
 */
import type { Notify } from '../observe/notice.ts';

export interface StopSignals {
  readonly signal: AbortSignal;
  /** Removes the signal handlers. */
  close(): void;
}

/**
 * A terminal sends Ctrl-C to all its processes, and some forward it: a signal within this time of the first one is a
 * duplicate, not a second Ctrl-C.
 */
const echoMs = 400;

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function stopOnSignals(notify: Notify): StopSignals {
  const controller = new AbortController();
  let firstAt = 0;
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) {
      if (performance.now() - firstAt < echoMs) return;
      notify({ message: `Second ${name}, exiting at once.`, fields: { signal: name } });
      process.exit(130);
    }
    notify({
      message: `Stopping gracefully (${name}); repeat the signal to exit at once.`,
      fields: { signal: name },
    });
    firstAt = performance.now();
    controller.abort();
  };
  const onDisconnect = (): void => {
    if (controller.signal.aborted) return;
    notify({ message: 'Stopping gracefully (the parent process has exited).' });
    controller.abort();
  };
  for (const name of names) process.on(name, onSignal);
  // A parent with an IPC channel, such as the start script, expects this process to exit with it.
  if (process.connected) process.on('disconnect', onDisconnect);
  return {
    signal: controller.signal,
    close: () => {
      for (const name of names) process.off(name, onSignal);
      process.off('disconnect', onDisconnect);
    },
  };
}
