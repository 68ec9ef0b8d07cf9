/** The command line: finds the command, turns every error into lines and an exit code. */
import { startErrorDetails } from '../base/start-error.ts';
import { processIo, printErrors, type CliIo } from './io.ts';
import { runVersion } from './version.ts';

type Run = (words: readonly string[], io: CliIo) => number | Promise<number>;

const serve: Run = async (words, io) => (await import('./serve.ts')).runServe(words, io);

/** Each command loads its code on demand. */
const commands: Readonly<Record<string, Run>> = {
  serve,
  controllers: async (words, io) => (await import('./controllers.ts')).runControllersCommand(words, io),
  convert: async (words, io) => (await import('./convert.ts')).runConvert(words, io),
  pki: async (words, io) => (await import('./pki.ts')).runPki(words, io),
  backup: async (words, io) => (await import('./backup.ts')).runBackupCommand(words, io),
  restore: async (words, io) => (await import('./restore.ts')).runRestoreCommand(words, io),
  testing: async (words, io) => (await import('./testing.ts')).runTesting(words, io),
  version: (_words, io) => runVersion(io),
};

/** Runs the command of the arguments and resolves with the exit code; never throws. */
export async function runCli(words: readonly string[], io: CliIo = processIo): Promise<number> {
  const name = words[0] ?? '';
  const isNamed = Object.hasOwn(commands, name);
  const run = wantsVersion(words) ? commands['version'] : isNamed ? commands[name] : serve;
  try {
    return (await run?.(isNamed ? words.slice(1) : words, io)) ?? 1;
  } catch (error) {
    return printErrors(io, startErrorDetails(error));
  }
}

/** `--version` is accepted at any position, as in kube-apiserver. */
function wantsVersion(words: readonly string[]): boolean {
  return words.some((word) => ['--version', '--version=true'].includes(word));
}
