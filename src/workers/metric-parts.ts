/** Sends metrics to another process in messages of bounded size. */
import { laterTurn } from '../base/cooperate.ts';
import { partsOf, type MetricSnapshot } from '../observe/metric-snapshot.ts';

/** Each part in a turn of its own; the next one when the one before it was sent. */
export async function sendParts(
  snapshot: MetricSnapshot,
  send: (part: MetricSnapshot, isLast: boolean) => Promise<void>,
): Promise<void> {
  for (const part of partsOf(snapshot)) {
    await send(part, false);
    await laterTurn();
  }
  await send([], true);
}
