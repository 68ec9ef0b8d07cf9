/** `pki --out FOLDER --host NAME…`: makes the certificates of a deployment; good ones that are there stay. */
import { ensurePki } from '../server/pki/folder.ts';
import type { FlagDefinition } from './flags.ts';
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
];

const about =
  'Makes ca, server and admin (for the API), etcd-ca and etcd (for etcd), each as .crt and .key. ' +
  'What is there stays unless it expires within 30 days, has another authority or lacks a host.';

/** @throws StartError when the folder or a file in it cannot be used */
export async function runPki(words: readonly string[], io: CliIo): Promise<number> {
  const command = commandOf('orch-apiserver pki', about, pkiFlags);
  if (words.includes('--help') || words.includes('-h')) {
    io.out(command.helpInformation().trimEnd());
    return 0;
  }
  const { texts, faults } = parseFlags(command, pkiFlags, words);
  if (faults.length > 0) return tellFaults(io, faults);
  if (!texts['out']) {
    return tellFaults(io, [
      { code: 'FLAG_VALUE', cause: 'no --out is given', remedy: 'name a folder: pki --out=FOLDER' },
    ]);
  }
  const hosts = (texts['host'] ?? '').split(',').map((host) => host.trim());
  const { made, kept } = await ensurePki({ folder: texts['out'], hosts: hosts.filter(Boolean) });
  io.out(`${texts['out']}: made ${listOf(made)}; kept ${listOf(kept)}`);
  return 0;
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.join(', ');
}
