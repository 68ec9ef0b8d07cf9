/** Sends metrics to another process or thread in messages of bounded size. */
import { laterTurn } from '../base/cooperate.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { partsOf, type MetricSnapshot } from './metric-snapshot.ts';

/** Each part in a turn of its own, when the one before it was sent; the last one is empty. */
export async function sendParts(
  snapshot: MetricSnapshot,
  send: (part: MetricSnapshot, isLast: boolean) => MaybePromise<void>,
): Promise<void> {
  for (const part of partsOf(snapshot)) {
    await send(part, false);
    await laterTurn();
  }
  await send([], true);
}
