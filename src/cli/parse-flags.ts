/** Parses the command line into flag texts; reports all unknown flags and unexpected arguments together. */
import { Command, CommanderError, Option } from 'commander';
import type { StartErrorDetail } from '../base/start-error.ts';
import type { FlagDefinition } from '../options/serve-flags.ts';
import { nearest } from './nearest.ts';

export interface ParsedFlags {
  readonly texts: Readonly<Record<string, string>>;
  readonly errors: readonly StartErrorDetail[];
}

/** A command with these flags; it prints help but never exits the process. */
export function commandOf(name: string, description: string, flags: readonly FlagDefinition[]): Command {
  const command = new Command(name).description(description).exitOverride();
  command.configureOutput({ writeErr: () => undefined }).configureHelp({ showGlobalOptions: false });
  for (const flag of flags) command.addOption(optionOf(flag));
  return command;
}

/** The long name of every option is the flag name, not the camel-cased form of the library. */
function optionOf(flag: FlagDefinition): Option {
  const value = flag.value === '' ? ' [true|false]' : ` <${flag.value}>`;
  const about = flag.default === '' ? '' : ` (default ${flag.default})`;
  const option = new Option(
    `${flag.short === undefined ? '' : `-${flag.short}, `}--${flag.name}${value}`,
    flag.description + about,
  );
  if (flag.repeatable !== true) return option;
  return option.argParser((next: string, earlier?: string) =>
    earlier === undefined ? next : `${earlier}${flag.separator ?? ','}${next}`,
  );
}

/** Parses the arguments after the name of the command. */
export function parseFlags(
  command: Command,
  flags: readonly FlagDefinition[],
  words: readonly string[],
): ParsedFlags {
  try {
    const { operands, unknown } = command.parseOptions([...words]);
    const values: Record<string, unknown> = command.opts();
    return { texts: textsOf(command, values), errors: strayErrors([...operands, ...unknown], flags) };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const cause = error.message.replace(/^error: /, '');
    return { texts: {}, errors: [{ code: 'FLAG_VALUE', cause, remedy: 'use --flag=value' }] };
  }
}

function textsOf(command: Command, values: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const option of command.options) {
    const value = values[option.attributeName()];
    if (typeof value === 'string' || value === true) texts[option.long?.slice(2) ?? ''] = String(value);
  }
  return texts;
}

/**
 * Arguments that the library does not accept: unknown flags (the next word may be their value) and unexpected
 * arguments.
 */
function strayErrors(words: readonly string[], flags: readonly FlagDefinition[]): StartErrorDetail[] {
  return words.flatMap((word, i) => {
    if (word.startsWith('-') && word !== '-') return [unknownFlag(word, flags)];
    const before = words[i - 1];
    const isValue = before !== undefined && before.startsWith('-') && !before.includes('=');
    return isValue ? [] : [strayWord(word)];
  });
}

function unknownFlag(word: string, flags: readonly FlagDefinition[]): StartErrorDetail {
  const name = word.replace(/^-+/, '').replace(/=.*$/s, '');
  const near = nearest(
    name,
    flags.map((flag) => flag.name),
  );
  const remedy = near === undefined ? 'see --help for the available flags' : `did you mean --${near}?`;
  return { code: 'FLAG_UNKNOWN', cause: `unknown flag --${name}`, remedy };
}

function strayWord(word: string): StartErrorDetail {
  return {
    code: 'ARGUMENT_UNEXPECTED',
    cause: `${JSON.stringify(word)} is neither a command nor a flag`,
    remedy:
      'the commands are serve, controllers, convert, pki, backup, restore and version; values of flags are written --flag=value',
  };
}
