/** Errors of writes that another writer came before. Who writes what it has observed looks again, and sees what that one wrote. */
import { StatusError } from './status.ts';

/** An object that exists was changed or removed. */
const ofChanges: ReadonlySet<string> = new Set(['Conflict', 'NotFound']);

/** Whether another writer changed or removed the object first. */
export function isLostChange(error: unknown): boolean {
  return error instanceof StatusError && ofChanges.has(error.reason);
}

/** Whether another writer changed, removed or created the object first. */
export function isLostRace(error: unknown): boolean {
  return isLostChange(error) || (error instanceof StatusError && error.reason === 'AlreadyExists');
}

/** Settles as the write does, but for a race that it lost. @param isLost which errors say so */
export async function unlessLost(write: Promise<unknown>, isLost = isLostRace): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isLost(error)) throw error;
  }
}
