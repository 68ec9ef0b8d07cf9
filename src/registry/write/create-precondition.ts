/** State of another object that a create depends on, as admission saw it. The transaction makes sure that it still holds. */
import type { Condition } from '../../storage/types.ts';
import { StorageError } from '../../storage/types.ts';
import type { DependedState } from '../types.ts';

/** How often that state may change under the write before the client gets an error. */
const maxAttempts = 30;

export class CreatePrecondition {
  private state: DependedState | undefined;

  /** The create takes effect only while `state` holds. */
  dependOn(state: DependedState): void {
    this.state = state;
  }

  /**
   * Runs a write under the condition, and again while that fails although the newest state allows the write.
   * @throws StatusError when the newest state does not, StorageError of the write otherwise
   */
  async under<T>(write: (condition: Condition | undefined) => Promise<T>): Promise<T> {
    let condition = this.state?.condition;
    for (let attempt = 1; ; attempt++) {
      try {
        return await write(condition);
      } catch (error) {
        const isRenewable = error instanceof StorageError && error.code === 'conditionFailed';
        if (!isRenewable || attempt >= maxAttempts) throw error;
        condition = await this.state?.renew();
      }
    }
  }
}
