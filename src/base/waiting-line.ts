/** Work that waits in a line for its turn. */

/**
 * Waits until the owner of the line calls the function that was added to it; that leaves the line and acts at once.
 * @throws the reason of the signal, and what the act throws
 */
export function waitInLine(
  line: Set<() => void>,
  signal: AbortSignal,
  act: () => void | Promise<void> = () => undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      line.delete(go);
      signal.removeEventListener('abort', stop);
    };
    const stop = (): void => {
      leave();
      reject(signal.reason as Error);
    };
    const go = (): void => {
      leave();
      Promise.try(act).then(resolve, reject);
    };
    line.add(go);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
}
