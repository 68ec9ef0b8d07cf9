/** `pki --out FOLDER --host NAME…`: makes the certificates of a deployment; good ones that are there stay. */
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
  { name: 'out', value: 'FOLDER', default: '', description: 'folder to write to; made when it is missing' },
  {
    name: 'host',
    value: 'NAMES',
    default: '',
    description: 'further DNS names and addresses of the servers, comma-separated',
    repeatable: true,
  },
  {
    name: 'server',
    value: 'URL',
    default: '',
    description: 'where clients find the API; writes NAME.kubeconfig for each client certificate',
  },
  {
    name: 'share',
    value: 'FOLDER=FILES',
    default: '',
    description: 'folder that gets copies of these files, joined by +, and of no others',
    repeatable: true,
  },
];

const about =
  'Makes ca, server, admin, controller-manager and prometheus (for the API), etcd-ca and etcd (for etcd), each as .crt and .key, ' +
  'and service-account.key, which signs tokens. ' +
  'What is there stays unless it expires within 30 days, has another authority or subject, or lacks a host.';

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

/** `/share/one=ca.crt+server.crt`, several by commas. */
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

/** Always anew, for certificates and address may have changed. */
async function writeKubeconfigs(folder: string, server: string): Promise<void> {
  for (const client of clientNames) {
    await writeKubeconfig({ path: join(folder, `${client}.kubeconfig`), pkiFolder: folder, server, client });
  }
}

function valueFaults(folder: string, server: string): Fault[] {
  const faults: Fault[] = [];
  if (folder === '') {
    const remedy = 'name a folder: pki --out=FOLDER';
    faults.push({ code: 'FLAG_VALUE', cause: 'no --out is given', remedy });
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
