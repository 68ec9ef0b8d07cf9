/** The precondition of a create on another object that admission has read. The transaction checks it. */
import type { Condition } from '../../storage/types.ts';
import { StorageError } from '../../storage/types.ts';
import type { DependedState } from '../types.ts';

/** Maximum attempts if that object keeps changing. */
const maxAttempts = 30;

export class CreatePrecondition {
  private state: DependedState | undefined;

  /** The create takes effect only while `state` holds. */
  dependOn(state: DependedState): void {
    this.state = state;
  }

  /**
   * Runs a write with the precondition, and retries it while the newest state allows it.
   * @throws StatusError if it does not, otherwise StorageError of the write
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
