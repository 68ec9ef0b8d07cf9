/** The command `controllers`: runs controllers in a worker under the supervisor. */
import { refuseFewFiles } from './open-files.ts';
import type { ControllersConfig } from '../options/controllers/controller-manager-options.ts';
import { superviseControllers, type ControllersOptions } from '../workers/supervise.ts';
import { workerProgram } from './programs.ts';

/**
 * Runs controllers until the signal.
 * @throws StartError if they cannot start
 */
export async function runControllersSupervised(
  config: ControllersConfig,
  options: Omit<ControllersOptions, 'program'>,
): Promise<void> {
  refuseFewFiles();
  return superviseControllers(config, { ...options, program: workerProgram });
}
