/** Yielding: long loops give the thread back before they hold it for too long. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest time that a loop works before it yields, in milliseconds; well under the 20 ms that nobody may exceed. */
const sliceMs = 8;

/** A loop asks `shouldYield()` often (cheap) and awaits `yieldNow()` when told so. */
export class Slice {
  private deadline = performance.now() + sliceMs;

  shouldYield(): boolean {
    return performance.now() > this.deadline;
  }

  async yieldNow(): Promise<void> {
    await nextTurn();
    this.deadline = performance.now() + sliceMs;
  }
}
