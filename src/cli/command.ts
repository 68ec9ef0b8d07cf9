/** What all commands have in common: help, flags read into a configuration, and all their errors at once. */
import type { StartErrorDetail } from '../base/start-error.ts';
import type { FlagDefinition } from '../options/flag-definition.ts';
import { printErrors, printResult, type CliIo } from './io.ts';
import { commandOf, parseFlags, type ParsedFlags } from './parse-flags.ts';

/** A configuration, whole when there are no errors. */
interface Read<C> {
  readonly config: C;
  readonly errors: readonly StartErrorDetail[];
}

export interface CommandDefinition<C> {
  /** As help shows it. */
  readonly name: string;
  readonly about: string;
  readonly flags: readonly FlagDefinition[];
  /** Printed at the end of the help. */
  readonly helpEnd?: readonly string[];
  readonly read: (texts: ParsedFlags['texts']) => Read<C> | Promise<Read<C>>;
  /** Gives the exit code. */
  readonly run: (config: C) => Promise<number>;
}

/** Prints help if requested, or all errors of the flags if there are any; runs the command otherwise. @returns exit code */
export async function runCommand<C>(
  words: readonly string[],
  io: CliIo,
  { name, about, flags, helpEnd = [], read, run }: CommandDefinition<C>,
): Promise<number> {
  const command = commandOf(name, about, flags);
  if (words.includes('--help') || words.includes('-h'))
    return printResult(io, [command.helpInformation().trimEnd(), ...helpEnd].join('\n'));
  const parsed = parseFlags(command, flags, words);
  const { config, errors } = await read(parsed.texts);
  const all = [...parsed.errors, ...errors];
  return all.length > 0 ? printErrors(io, all) : run(config);
}
