/** client-go of the newest release, told to speak CBOR, against a replica of the newest release that speaks it. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { untilPodsMayRun } from '../support/default-account.ts';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { repositoryRoot } from '../support/paths.ts';
import { startReplica, type Replica } from '../support/replica.ts';
import { makeTempFolder, type TempFolder } from '../support/temp-folder.ts';
import { findGo } from './support/go-modules.ts';
import { kubeconfigOf } from './support/kubectl.ts';

/** Packages are fetched and compiled, once for a machine. */
const limitMs = 600_000;

let etcd: EtcdCluster;
let replica: Replica;
let home: TempFolder;

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
  const args = ['--emulated-release=1.36', '--feature-gates=CBORServingAndStorage=true'];
  replica = await startReplica({ etcd, naming: 'kubernetes', args });
  await untilPodsMayRun(replica.admin);
  home = await makeTempFolder('cbor-clients');
  await writeFile(join(home.path, 'kubeconfig'), JSON.stringify(kubeconfigOf(replica)));
}, 60_000);
afterAll(async () => {
  await replica.close();
  await etcd.close();
  await home.remove();
});

const where = findGo() === undefined ? test.skip : test;

where(
  'all tests of clients in Go pass with it',
  async () => {
    const output = await goTest();
    for (const name of ['TypedClients', 'Patches', 'CustomResources'])
      expect(output).toContain(`--- PASS: TestCBOROf${name}`);
    expect(output).not.toContain('--- SKIP');
  },
  limitMs,
);

/** @returns what was printed @throws Error with it unless all pass */
function goTest(): Promise<string> {
  const options = {
    cwd: join(repositoryRoot, 'test', 'clients', 'go'),
    env: {
      ...process.env,
      KUBECONFIG: join(home.path, 'kubeconfig'),
      KUBE_FEATURE_ClientsAllowCBOR: 'true',
      KUBE_FEATURE_ClientsPreferCBOR: 'true',
    },
    ...{ timeout: limitMs, maxBuffer: 16 * 1024 * 1024 },
  };
  return new Promise((resolve, reject) => {
    execFile(
      findGo() ?? '',
      ['test', '-count=1', '-v', '-vet=off', './...'],
      options,
      (error, stdout, stderr) => {
        const output = stdout + stderr;
        if (error === null) resolve(output);
        else reject(new Error(`${error.message}\n${output.slice(-10_000)}`));
      },
    );
  });
}
