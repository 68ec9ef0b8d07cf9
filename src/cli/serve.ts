/** `serve`, the default command: flags → configuration → a replica that runs until a signal stops it. */
import type { StartErrorDetail } from '../base/start-error.ts';
import { describeGates } from '../observe/feature-gates.ts';
import { completeConfig, type CompletedConfig } from '../options/complete-config.ts';
import { configFromFlags } from '../options/config-from-flags.ts';
import { takenFlags, type FlagTexts } from '../options/serve-flags.ts';
import { runCommand } from './command.ts';
import type { CliIo } from './io.ts';
import { runService, type ServiceContext } from './until-signal.ts';

const about =
  'Serves the resource API, stored in etcd. Other commands: "controllers" runs only the controllers, "convert" converts manifests, "pki" creates certificates, "backup" and "restore" save and restore etcd, "testing" serves tests from memory, "version" prints the version.';

/** @throws StartError when the replica cannot start */
export function runServe(words: readonly string[], io: CliIo): Promise<number> {
  return runCommand(words, io, {
    name: 'orch-apiserver',
    about,
    flags: takenFlags,
    helpEnd: [
      '',
      'Feature gates (--feature-gates; AllAlpha and AllBeta stand for all gates of a stage):',
      ...describeGates().map((line) => `  ${line}`),
    ],
    read,
    run: async (config) => {
      const { runServer } = await import('../server/run.ts');
      const serve = (context: ServiceContext): Promise<void> =>
        runServer(config, { ...context, supervised: true });
      return runService(io, serve, config.logFormat);
    },
  });
}

/** Errors of flags, then those of files. */
async function read(
  texts: FlagTexts,
): Promise<{ config: CompletedConfig; errors: readonly StartErrorDetail[] }> {
  const { config, errors } = await configFromFlags(texts);
  const { completed, errors: fileErrors } = await completeConfig(config);
  return { config: completed, errors: [...errors, ...fileErrors] };
}
