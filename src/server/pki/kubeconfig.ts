/** The client configuration of the administrator, with all certificates inside. */
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { dump } from 'js-yaml';
import { writeWhole } from './folder.ts';

export interface KubeconfigOptions {
  readonly path: string;
  readonly pkiFolder: string;
  /** `https://host:port` */
  readonly server: string;
}

/** Writes the file, readable by its owner only. */
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
        name: 'admin',
        user: {
          'client-certificate-data': await read('admin.crt'),
          'client-key-data': await read('admin.key'),
        },
      },
    ],
    contexts: [{ name: 'orch', context: { cluster: 'orch', user: 'admin' } }],
    'current-context': 'orch',
  };
  await writeWhole(options.path, dump(config, { lineWidth: -1 }), 0o600);
}
