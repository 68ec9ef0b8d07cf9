/** `serve`, the default command: flags → configuration → a replica that runs until a signal stops it. */
import { completeConfig } from '../options/complete-config.ts';
import { configFromFlags } from '../options/config-from-flags.ts';
import { serveFlags } from '../options/serve-flags.ts';
import { notifierOf, notifyOfWarnings, tellFaults, type CliIo } from './io.ts';
import { commandOf, parseFlags } from './parse-flags.ts';
import { stopOnSignals } from './signals.ts';

const about =
  'Serves the resource API, stored in etcd. Other commands: "controllers" runs only the controllers, "convert" converts manifests, "pki" creates certificates, "backup" and "restore" save and restore etcd, "version" prints the version.';

/** @throws StartError when the replica cannot start */
export async function runServe(words: readonly string[], io: CliIo): Promise<number> {
  const command = commandOf('orch-apiserver', about, serveFlags);
  if (words.includes('--help') || words.includes('-h')) {
    io.out(command.helpInformation().trimEnd());
    return 0;
  }
  const parsed = parseFlags(command, serveFlags, words);
  const { config, faults } = await configFromFlags(parsed.texts);
  const { completed, faults: fileFaults } = await completeConfig(config);
  const all = [...parsed.faults, ...faults, ...fileFaults];
  if (all.length > 0) return tellFaults(io, all);
  const { runServer } = await import('../server/run.ts');
  const notify = notifierOf(io);
  notifyOfWarnings(notify);
  const stop = stopOnSignals(notify);
  try {
    await runServer(completed, { signal: stop.signal, notify, supervised: true });
    return 0;
  } finally {
    stop.close();
  }
}
