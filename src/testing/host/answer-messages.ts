/** What the thread of control planes answers, over the ports that it is given. */
import '../../base/older-node.ts';
import { parentPort, type MessagePort } from 'node:worker_threads';
import { messageOf } from '../../base/errors.ts';
import { StartError } from '../../base/start-error.ts';
import { ApiError } from '../api-error.ts';
import { Host } from './host.ts';
import type { FromHost, HostError, ToHost } from './protocol.ts';

/** @param startedFirst called after the first start: all code has run that the next process will want */
export function answerMessages(startedFirst: () => void): void {
  const host = new Host();
  let hasStarted = false;
  parentPort?.on('message', ({ port }: { readonly port: MessagePort }) => {
    port.on('message', (message: ToHost) => {
      void answer(host, message).then((response) => {
        port.postMessage(response);
        if (message.call !== 'start' || hasStarted) return;
        hasStarted = true;
        startedFirst();
      });
    });
  });
}

async function answer(host: Host, { id, call, args }: ToHost): Promise<FromHost> {
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
