/** Entry point of the thread in which the control planes of a process run; started by `src/testing/host-thread.ts`. */
import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../base/errors.ts';
import { StartError } from '../../base/start-error.ts';
import { Host } from './host.ts';
import type { FromHost, HostError, ToHost } from './protocol.ts';

const host = new Host();

parentPort?.on('message', (message: ToHost) => {
  void answer(message).then((response) => {
    parentPort?.postMessage(response);
  });
});

async function answer({ id, call, args }: ToHost): Promise<FromHost> {
  try {
    const methods = host as unknown as Record<string, (...given: readonly unknown[]) => unknown>;
    return { id, value: await methods[call]?.(...args) };
  } catch (error) {
    return { id, error: plain(error) };
  }
}

function plain(error: unknown): HostError {
  return {
    message: messageOf(error),
    details: error instanceof StartError ? error.errors : undefined,
    stack: error instanceof Error ? error.stack : undefined,
  };
}
