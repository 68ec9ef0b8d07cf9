/** Flags of `pki` and their typed configuration. */
import type { StartErrorDetail } from '../../base/start-error.ts';
import type { PkiShare } from '../../pki/types.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import { FlagErrors, FlagReader, type FlagValues } from '../flag-reader.ts';

export const pkiFlags = [
  {
    name: 'out',
    value: 'FOLDER',
    default: '',
    description: 'Folder to write to; created if it is missing. Required.',
  },
  {
    name: 'host',
    value: 'NAMES',
    default: '',
    description: 'Additional DNS names and IP addresses of the servers, comma-separated.',
    repeatable: true,
  },
  {
    name: 'server',
    value: 'URL',
    default: '',
    description: 'HTTPS URL of the API. If given, NAME.kubeconfig is written for each client certificate.',
  },
  {
    name: 'share',
    value: 'FOLDER=FILES',
    default: '',
    description: 'Folder that gets copies of the given files only, as FOLDER=FILE+FILE. May be repeated.',
    repeatable: true,
  },
] as const satisfies readonly FlagDefinition[];

type PkiFlags = FlagReader<(typeof pkiFlags)[number]['name']>;

export interface PkiConfig {
  readonly folder: string;
  readonly hosts: readonly string[];
  /** URL of the API in the kubeconfigs of clients; '': none are written. */
  readonly server: string;
  readonly shares: readonly PkiShare[];
}

/** Reads flags by name. The configuration is complete even if there are errors. */
export function pkiConfig(texts: FlagValues): { config: PkiConfig; errors: readonly StartErrorDetail[] } {
  const errors = new FlagErrors();
  const flags = new FlagReader(pkiFlags, texts, errors);
  if (!flags.isGiven('out')) flags.add('--out is missing', 'use pki --out=FOLDER');
  const config: PkiConfig = {
    folder: flags.text('out'),
    hosts: flags.list('host'),
    server: readServer(flags),
    shares: flags.list('share').flatMap((word) => readShare(flags, word)),
  };
  return { config, errors: errors.all() };
}

function readServer(flags: PkiFlags): string {
  const server = flags.text('server');
  if (server !== '' && URL.parse(server)?.protocol !== 'https:')
    flags.invalid('server', 'use a URL such as https://api.example.test:6443');
  return server;
}

/** Parses `/share/one=ca.crt+server.crt`. */
function readShare(flags: PkiFlags, word: string): PkiShare[] {
  const [, folder, files] = /^([^=]+)=(.+)$/.exec(word) ?? [];
  if (folder !== undefined && files !== undefined)
    return [{ folder, files: files.split('+').map((file) => file.trim()) }];
  flags.add(`flag --share has the value ${JSON.stringify(word)}`, 'use FOLDER=FILE+FILE');
  return [];
}
