/** `pki --out FOLDER --host NAME…`: creates the certificates of a deployment; valid existing ones are kept. */
import { join } from 'node:path';
import { ensurePki } from '../pki/folder.ts';
import { writeKubeconfig } from '../pki/kubeconfig-writer.ts';
import { clientNames } from '../pki/plan.ts';
import { sharePki, type PkiShare } from '../pki/shares.ts';
import type { Fault } from '../base/start-error.ts';
import type { FlagDefinition } from '../options/serve-flags.ts';
import { tellFaults, type CliIo } from './io.ts';
import { commandOf, parseFlags } from './parse-flags.ts';

export const pkiFlags: readonly FlagDefinition[] = [
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
];

const about =
  'Creates ca, server, admin, controller-manager and prometheus (for the API), etcd-ca and etcd (for etcd), each as .crt and .key, ' +
  'and service-account.key, which signs tokens. ' +
  'Existing files are kept unless they expire within 30 days, have another CA or subject, or lack a host.';

/** @throws StartError when the folder or a file in it cannot be used */
export async function runPki(words: readonly string[], io: CliIo): Promise<number> {
  const command = commandOf('orch-apiserver pki', about, pkiFlags);
  if (words.includes('--help') || words.includes('-h')) {
    io.out(command.helpInformation().trimEnd());
    return 0;
  }
  const { texts, faults } = parseFlags(command, pkiFlags, words);
  const [folder, server] = [texts['out'] ?? '', texts['server'] ?? ''];
  const shares = sharesOf(texts['share'] ?? '');
  const all = [...faults, ...valueFaults(folder, server), ...shares.faults];
  if (all.length > 0) return tellFaults(io, all);
  const hosts = (texts['host'] ?? '').split(',').map((host) => host.trim());
  const { made, kept } = await ensurePki({ folder, hosts: hosts.filter(Boolean) });
  io.out(`${folder}: made ${listOf(made)}; kept ${listOf(kept)}`);
  if (server !== '') await writeKubeconfigs(folder, server);
  for (const share of shares.all) await sharePki(folder, share);
  return 0;
}

/** Parses `/share/one=ca.crt+server.crt`, comma-separated. */
function sharesOf(text: string): { readonly all: PkiShare[]; readonly faults: Fault[] } {
  const all: PkiShare[] = [];
  const faults: Fault[] = [];
  for (const word of text.split(',').filter(Boolean)) {
    const [, folder = '', files = ''] = /^([^=]+)=(.+)$/.exec(word.trim()) ?? [];
    if (folder !== '') all.push({ folder, files: files.split('+').map((file) => file.trim()) });
    else {
      const cause = `flag --share has the value ${JSON.stringify(word)}`;
      faults.push({ code: 'FLAG_VALUE', cause, remedy: 'use FOLDER=FILE+FILE' });
    }
  }
  return { all, faults };
}

/** Always overwrites the files, as certificates and address may have changed. */
async function writeKubeconfigs(folder: string, server: string): Promise<void> {
  for (const client of clientNames) {
    await writeKubeconfig({ path: join(folder, `${client}.kubeconfig`), pkiFolder: folder, server, client });
  }
}

function valueFaults(folder: string, server: string): Fault[] {
  const faults: Fault[] = [];
  if (folder === '') {
    const remedy = 'use pki --out=FOLDER';
    faults.push({ code: 'FLAG_VALUE', cause: '--out is missing', remedy });
  }
  if (server !== '' && URL.parse(server)?.protocol !== 'https:') {
    const cause = `flag --server has the value ${JSON.stringify(server)}`;
    faults.push({ code: 'FLAG_VALUE', cause, remedy: 'use a URL such as https://api.example.test:6443' });
  }
  return faults;
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.join(', ');
}
