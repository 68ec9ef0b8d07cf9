/** `pki --out FOLDER --host NAME…`: creates the certificates of a deployment; valid existing ones are kept. */
import { join } from 'node:path';
import { pkiConfig, pkiFlags, type PkiConfig } from '../options/commands/pki-options.ts';
import { ensurePki } from '../pki/folder.ts';
import { writeKubeconfig } from '../pki/kubeconfig-writer.ts';
import { clientNames } from '../pki/plan.ts';
import { sharePki } from '../pki/shares.ts';
import { runCommand } from './command.ts';
import type { CliIo } from './io.ts';

const about =
  'Creates ca, server, admin, controller-manager and prometheus (for the API), etcd-ca and etcd (for etcd), each as .crt and .key, ' +
  'and service-account.key, which signs tokens. ' +
  'Existing files are kept unless they expire within 30 days, have another CA or subject, or lack a host. ' +
  'The renewed certificate of a CA has the same key: clients with the former one go on.';

/** @throws StartError when the folder or a file in it cannot be used */
export function runPki(words: readonly string[], io: CliIo): Promise<number> {
  const run = async (config: PkiConfig): Promise<number> => {
    io.out(await make(config));
    return 0;
  };
  return runCommand(words, io, { name: 'orch-apiserver pki', about, flags: pkiFlags, read: pkiConfig, run });
}

/** @returns a line about what was created */
async function make({ folder, hosts, server, shares }: PkiConfig): Promise<string> {
  const { made, kept, renewed } = await ensurePki({ folder, hosts });
  if (server !== '') await writeKubeconfigs(folder, server);
  for (const share of shares) await sharePki(folder, share);
  const reasons = renewed.map(({ name, why }) => `; ${name} is renewed: ${why}`).join('');
  return `${folder}: made ${listOf(made)}; kept ${listOf(kept)}${reasons}`;
}

/** Always overwrites the files, as certificates and address may have changed. */
async function writeKubeconfigs(folder: string, server: string): Promise<void> {
  for (const client of clientNames) {
    await writeKubeconfig({ path: join(folder, `${client}.kubeconfig`), pkiFolder: folder, server, client });
  }
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.join(', ');
}
