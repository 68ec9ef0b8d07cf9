/** Removes what a command leaves behind. */
import { reasonOf } from '../base/start-error.ts';
import type { RestoreContext } from './config.ts';

/**
 * Runs a removal after the work is done or has failed. If it fails, that is told: it neither turns a success into a
 * failure, of which operators would believe that nothing was changed, nor hides the first error. Later runs replace what
 * stays.
 */
export async function tidy(
  path: string,
  { print }: Pick<RestoreContext, 'print'>,
  remove: () => Promise<void>,
): Promise<void> {
  try {
    await remove();
  } catch (error) {
    print(`${path} cannot be removed (${reasonOf(error)}); this changes nothing else: remove it by hand.`);
  }
}
