/** `controllers --kubeconfig FILE`: runs the controllers against an API that another process serves. */
import { controllerNames } from '../controllers/controller-names.ts';
import { controllersConfig, controllersFlags } from '../options/controllers/controller-manager-options.ts';
import { runCommand } from './command.ts';
import type { CliIo } from './io.ts';
import { runService } from './until-signal.ts';

const about =
  `Runs the controllers (${controllerNames.join(', ')}) against an API. ` +
  'Several such processes may run; leader election chooses the active one.';

/** @throws StartError when the kubeconfig cannot be used */
export function runControllersCommand(words: readonly string[], io: CliIo): Promise<number> {
  return runCommand(words, io, {
    name: 'orch-apiserver controllers',
    about,
    flags: controllersFlags,
    read: controllersConfig,
    run: async (config) => {
      const { runControllersSupervised } = await import('../server/run-controllers.ts');
      return runService(io, (context) => runControllersSupervised(config, context));
    },
  });
}
