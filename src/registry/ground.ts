/** What a creation rests on: another object, as admission saw it. The transaction makes sure that it is still so. */
import type { Condition } from '../storage/types.ts';
import { StorageError } from '../storage/types.ts';
import type { Footing } from './types.ts';

/** How often it may change under the write before the client is told. */
const maxFootings = 30;

export class Ground {
  footing: Footing | undefined;

  /**
   * Runs a write under the condition, and again while that fails although the newest state allows the write.
   * @throws StatusError when the newest state does not, StorageError of the write otherwise
   */
  async under<T>(write: (condition: Condition | undefined) => Promise<T>): Promise<T> {
    let condition = this.footing?.condition;
    for (let attempt = 1; ; attempt++) {
      try {
        return await write(condition);
      } catch (error) {
        const isRenewable = error instanceof StorageError && error.code === 'conditionFailed';
        if (!isRenewable || attempt >= maxFootings) throw error;
        condition = await this.footing?.renew();
      }
    }
  }
}
