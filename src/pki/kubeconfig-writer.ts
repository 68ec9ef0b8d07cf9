/** Writes a kubeconfig with inline certificates. */
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { dump } from 'js-yaml';
import { writeWhole } from './folder.ts';
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
export async function writeKubeconfig(options: KubeconfigOptions): Promise<void> {
  const read = async (name: string): Promise<string> =>
    (await readFile(join(options.pkiFolder, name))).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'orch',
        cluster: { server: options.server, 'certificate-authority-data': await read('ca.crt') },
      },
    ],
    users: [
      {
        name: options.client,
        user: {
          'client-certificate-data': await read(`${options.client}.crt`),
          'client-key-data': await read(`${options.client}.key`),
        },
      },
    ],
    contexts: [{ name: 'orch', context: { cluster: 'orch', user: options.client } }],
    'current-context': 'orch',
  };
  await writeWhole(options.path, dump(config, { lineWidth: -1 }), 0o600);
}
