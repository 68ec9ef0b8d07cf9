/** What the thread of control planes answers, over the ports that it is given. */
import '../../base/older-node.ts';
import { parentPort, type MessagePort } from 'node:worker_threads';
import { messageOf } from '../../base/errors.ts';
import { StartError } from '../../base/start-error.ts';
import { ApiError } from '../api-error.ts';
import { Host } from './host.ts';
import type { FromHost, HostError, StartedPlane, StartOrder, ToHost } from './protocol.ts';

/** What the first start is followed by. */
interface Hooks {
  /** All code of a start has run, which the next process will want. */
  readonly started: () => void;
  /** Absent: nothing is rehearsed. Else that of a fork and a reset has run, too. */
  readonly rehearsed?: () => void;
}

/** @param hooks called once in this thread */
export function answerMessages(hooks: Hooks): void {
  const host = new Host();
  let hasStarted = false;
  parentPort?.on('message', ({ port }: { readonly port: MessagePort }) => {
    port.on('message', (message: ToHost) => {
      void answer(host, message).then((response) => {
        port.postMessage(response);
        if (message.call !== 'start' || hasStarted) return;
        hasStarted = true;
        void followUp(host, response, { ...hooks, order: message.args[0] as StartOrder });
      });
    });
  });
}

/** Only behind a start that worked is there anything to rehearse on. */
async function followUp(
  host: Host,
  { value }: FromHost & { readonly value?: unknown },
  { started, rehearsed, order }: Hooks & { readonly order: StartOrder },
): Promise<void> {
  started();
  if (rehearsed === undefined || value === undefined) return;
  if (await host.rehearse((value as StartedPlane).plane, order)) rehearsed();
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
