/** The command line: finds the command, turns every failure into lines and an exit code. */
import { faultsOf } from '../server/faults.ts';
import { runControllersCommand } from './controllers.ts';
import { processIo, tellFaults, type CliIo } from './io.ts';
import { runPki } from './pki.ts';
import { runServe } from './serve.ts';
import { runVersion } from './version.ts';

type Run = (words: readonly string[], io: CliIo) => number | Promise<number>;

const commands: Readonly<Record<string, Run>> = {
  serve: runServe,
  controllers: runControllersCommand,
  // Only this one needs the whole catalogue and nothing else.
  convert: async (words, io) => (await import('./convert.ts')).runConvert(words, io),
  pki: runPki,
  backup: async (words, io) => (await import('./backup.ts')).runBackupCommand(words, io),
  restore: async (words, io) => (await import('./restore.ts')).runRestoreCommand(words, io),
  version: (_words, io) => runVersion(io),
};

/** Runs the words after the program's name and resolves with the exit code; never throws. */
export async function runCli(words: readonly string[], io: CliIo = processIo): Promise<number> {
  const name = words[0] ?? '';
  const isNamed = Object.hasOwn(commands, name);
  const run = isNamed ? commands[name] : runServe;
  try {
    return (await run?.(isNamed ? words.slice(1) : words, io)) ?? 1;
  } catch (error) {
    return tellFaults(io, faultsOf(error));
  }
}
