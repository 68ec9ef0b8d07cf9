/** Ctrl-C and SIGTERM: the first stops in order, the second ends at once. */
import type { CliIo } from './io.ts';

export interface StopSignals {
  readonly signal: AbortSignal;
  /** Gives the signals back. */
  close(): void;
}

const names = ['SIGINT', 'SIGTERM'] as const;

export function stopOnSignals(io: CliIo): StopSignals {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) {
      io.err(`orch-apiserver: ${name} again, ending at once`);
      process.exit(130);
    }
    io.out(`Stopping (${name}); once more ends at once.`);
    controller.abort();
  };
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    close: () => {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
