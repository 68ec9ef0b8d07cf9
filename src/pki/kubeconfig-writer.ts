/** Writes a kubeconfig with inline certificates. */
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { dump } from 'js-yaml';
import { writeWhole } from './pair-files.ts';
import { kubeconfigOf } from './kubeconfig.ts';
import type { ClientName } from './plan.ts';

export interface KubeconfigOptions {
  readonly path: string;
  readonly pkiFolder: string;
  /** `https://host:port` */
  readonly server: string;
  /** The client whose certificate it contains. */
  readonly client: ClientName;
}

/** Writes the file with mode 0600. */
export async function writeKubeconfig({ path, pkiFolder, server, client }: KubeconfigOptions): Promise<void> {
  const read = (name: string): Promise<string> => readFile(join(pkiFolder, name), 'utf8');
  const credentials = { certificate: await read(`${client}.crt`), key: await read(`${client}.key`) };
  const config = kubeconfigOf({ server, ca: await read('ca.crt'), user: { name: client, credentials } });
  await writeWhole(path, dump(config, { lineWidth: -1 }), 0o600);
}
