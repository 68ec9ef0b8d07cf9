/** Entry point of the thread in which the control planes of a process run; started by `src/testing/host-thread.ts`. */
import '../../base/older-node.ts';
import { parentPort, type MessagePort } from 'node:worker_threads';
import { messageOf } from '../../base/errors.ts';
import { keepCompiledCode, storeCompiledCode } from '../../base/prepare-process.ts';
import { StartError } from '../../base/start-error.ts';
import { ApiError } from '../api-error.ts';
import type { FromHost, HostError, ToHost } from './protocol.ts';

keepCompiledCode();
const { Host } = await import('./host.ts');
const host = new Host();
let isStored = false;

parentPort?.on('message', ({ port }: { readonly port: MessagePort }) => {
  port.on('message', (message: ToHost) => {
    void answer(message).then((response) => {
      port.postMessage(response);
      if (message.call === 'start') storeOnce();
    });
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
    refusal: error instanceof ApiError ? { request: error.request, status: error.status } : undefined,
    stack: error instanceof Error ? error.stack : undefined,
  };
}

/** After the first start all code is there that the next process will want. */
function storeOnce(): void {
  if (isStored) return;
  isStored = true;
  storeCompiledCode();
}
