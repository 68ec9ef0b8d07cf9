/** `controllers --kubeconfig FILE`: runs the controllers against an API that another process serves. */
import { controllerNames } from '../controllers/controller-names.ts';
import { controllersConfig, controllersFlags } from '../options/controllers/controller-manager-options.ts';
import { notifierOf, notifyOfWarnings, tellFaults, type CliIo } from './io.ts';
import { commandOf, parseFlags } from './parse-flags.ts';
import { stopOnSignals } from './signals.ts';

const about =
  `Runs the controllers (${controllerNames.join(', ')}) against an API. ` +
  'Several such processes may run; leader election chooses the active one.';

/** @throws StartError when the kubeconfig cannot be used */
export async function runControllersCommand(words: readonly string[], io: CliIo): Promise<number> {
  const command = commandOf('orch-apiserver controllers', about, controllersFlags);
  if (words.includes('--help') || words.includes('-h')) {
    io.out(command.helpInformation().trimEnd());
    return 0;
  }
  const { texts, faults } = parseFlags(command, controllersFlags, words);
  const { config, faults: wrong } = controllersConfig(texts);
  const all = [...faults, ...wrong];
  if (all.length > 0) return tellFaults(io, all);
  const notify = notifierOf(io);
  notifyOfWarnings(notify);
  const stop = stopOnSignals(notify);
  const { runControllersSupervised } = await import('../server/run-controllers.ts');
  try {
    await runControllersSupervised(config, { signal: stop.signal, notify });
    return 0;
  } finally {
    stop.close();
  }
}
