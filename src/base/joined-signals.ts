/** A signal that is aborted with the first of several others. */

/** To be disposed (`using`) when what it ends is over, so that the others forget it. */
export interface JoinedSignals extends Disposable {
  readonly signal: AbortSignal;
  /** Aborts it with a reason of its own. */
  readonly end: (reason: unknown) => void;
}

/**
 * A signal that is aborted with one of the others, by its reason. AbortSignal.any() makes a signal that lives long look
 * at all that depend on it for each that was collected.
 */
export function joinedSignals(...others: readonly AbortSignal[]): JoinedSignals {
  const joined = new AbortController();
  const onAbort = ({ target }: Event): void => end((target as AbortSignal).reason);
  const forget = (): void => {
    for (const other of others) other.removeEventListener('abort', onAbort);
  };
  const end = (reason: unknown): void => {
    forget();
    joined.abort(reason);
  };
  for (const other of others) other.addEventListener('abort', onAbort);
  const aborted = others.find((other) => other.aborted);
  if (aborted) end(aborted.reason);
  return { signal: joined.signal, end, [Symbol.dispose]: forget };
}
