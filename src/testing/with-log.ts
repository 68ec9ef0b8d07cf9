/** Errors of waits that end with what the service logged meanwhile. */
import { SettleTimeout } from './settled.ts';
import { UntilTimeout } from './until.ts';

/** The log of a control plane. */
export interface LogSource {
  readonly position: () => Promise<number>;
  readonly after: (position: number) => Promise<string>;
}

const mostLines = 20;

/** Settles as the wait; the error of one that took too long has the last lines of the log since its begin. */
export async function withLog<T>(wait: Promise<T>, log: LogSource): Promise<T> {
  // A control plane that has stopped has no log; the wait says so itself.
  const begin = log.position().catch(() => undefined);
  try {
    return await wait;
  } catch (error) {
    const position = await begin;
    const text = position === undefined ? '' : await log.after(position).catch(() => '');
    throw text === '' ? error : withText(error, text);
  }
}

/** Another error, as the stack of this one has its text already. */
function withText(error: unknown, log: string): unknown {
  const lines = log.trimEnd().split('\n').slice(-mostLines);
  const text = (message: string): string => [message, 'The service logged meanwhile:', ...lines].join('\n');
  if (error instanceof UntilTimeout) return new UntilTimeout(text(error.message), error.last);
  if (error instanceof SettleTimeout) return new SettleTimeout(text(error.message), error.left);
  return error;
}
