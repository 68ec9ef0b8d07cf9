/** Flags of `convert` and their typed configuration. */
import type { StartErrorDetail } from '../../base/start-error.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { currentRelease, type Release } from '../../observe/release.ts';
import { readRelease } from '../api/served-versions.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import { FlagErrors, FlagReader, type FlagValues } from '../flag-reader.ts';

export const convertFlags = [
  {
    name: 'filename',
    short: 'f',
    value: 'FILES',
    default: '',
    description: 'Manifest files to convert, YAML or JSON, comma-separated. - reads standard input.',
    repeatable: true,
  },
  {
    name: 'output-version',
    value: 'GROUP/VERSION',
    default: '',
    description: 'API version to convert to. If empty, the newest stable version of each kind.',
  },
  {
    name: 'output',
    short: 'o',
    value: 'FORMAT',
    default: 'yaml',
    description: 'Output format: yaml or json.',
  },
  {
    name: 'naming',
    value: 'PROFILE',
    default: 'orch',
    description: 'Naming profile of the API: orch or kubernetes.',
  },
  {
    name: 'emulated-release',
    value: 'RELEASE',
    default: '1.21',
    description: 'Kubernetes release, 1.21 to 1.36, whose kinds, versions, fields and defaults count.',
  },
] as const satisfies readonly FlagDefinition[];

export interface ConvertConfig {
  /** Paths; `-` is standard input. */
  readonly files: readonly string[];
  /** '' : the newest stable version of each kind. */
  readonly outputVersion: string;
  readonly output: 'yaml' | 'json';
  readonly naming: NamingProfile['name'];
  readonly emulatedRelease: Release;
}

/**
 * Reads flags by name. The configuration is complete even if there are errors.
 * @param versionsOf the versions that a kind of the profile and the release may be converted to
 */
export function convertConfig(
  texts: FlagValues,
  versionsOf: (api: Pick<ConvertConfig, 'naming' | 'emulatedRelease'>) => readonly string[],
): { config: ConvertConfig; errors: readonly StartErrorDetail[] } {
  const errors = new FlagErrors();
  const flags = new FlagReader(convertFlags, texts, errors);
  const config: ConvertConfig = {
    files: flags.list('filename'),
    outputVersion: flags.text('output-version'),
    output: flags.choice('output', ['yaml', 'json']),
    naming: flags.choice('naming', ['orch', 'kubernetes']),
    emulatedRelease: flags.parsed('emulated-release', readRelease, currentRelease),
  };
  if (config.files.length === 0) flags.add('--filename is missing', 'use convert -f FILE');
  const versions = flags.isGiven('output-version') ? versionsOf(config) : [''];
  if (!versions.includes(config.outputVersion))
    flags.invalid('output-version', `use one of ${versions.join(', ')}`);
  return { config, errors: errors.all() };
}
