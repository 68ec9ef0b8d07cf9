/** etcd at its quota: clients and the operator learn what is wrong, reads go on, and the documented way out leads out. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toStatusError } from '../../../src/registry/storage-errors.ts';
import type { StatusError } from '../../../src/meta/status.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import type { StorageError } from '../../../src/storage/types.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { repositoryRoot } from '../../support/paths.ts';
import { forever, json, mostRecent, pods, recordingLogger, startStorage } from '../../support/storage.ts';

let cluster: EtcdCluster;
let storage: EtcdStorage;
const lines: string[] = [];

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process', extraArgs: ['--quota-backend-bytes=16777216'] });
  storage = await startStorage(cluster.endpoints, { logger: recordingLogger(lines) });
});
afterAll(async () => {
  await storage.close();
  await cluster.close();
});

/** Writes one object again and again, so that history fills the database. */
async function fill(): Promise<StorageError> {
  let { revision } = await storage.create(pods, 'large', json('x'.repeat(1_000_000)));
  for (let i = 0; i < 40; i++)
    try {
      ({ revision } = await storage.update(pods, 'large', json(`${'x'.repeat(1_000_000)}${i}`), revision));
    } catch (error) {
      return error as StorageError;
    }
  throw new Error('the quota was never met');
}

/** The commands of the runbook, against this etcd. */
function followRunbook(): void {
  const text = readFileSync(join(repositoryRoot, 'deploy/README.md'), 'utf8');
  const block = /### etcd is full[\s\S]*?```sh\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  expect(block).toContain('alarm disarm');
  const commands = block
    .split('\n')
    .filter((line) => !line.startsWith('etcdctl() '))
    .join('\n');
  const own = `set -e\netcdctl() { ETCDCTL_API=3 command etcdctl --endpoints=${cluster.endpoints.join()} "$@"; }\n`;
  execFileSync('/bin/bash', ['-c', own + commands], { timeout: 60_000 });
}

test('a full etcd is named to clients and, once, in the log; reads go on; the runbook makes it take writes again', async () => {
  const small = await storage.create(pods, 'small', json(1));
  const error = await fill();
  expect(error.code).toBe('noSpace');
  const status = toStatusError(error, {
    resource: { group: '', resource: 'pods' },
    name: 'large',
  }) as StatusError;
  expect(status.code).toBe(503);
  expect(status.message).toContain('the database of the store is full');
  await expect(storage.delete(pods, 'small', small.revision)).rejects.toMatchObject({ code: 'noSpace' });
  expect(lines.filter((line) => line.includes('NOSPACE'))).toHaveLength(1);
  expect((await storage.snapshot(pods, mostRecent, forever)).size).toBe(2);

  followRunbook();
  await storage.delete(pods, 'small', small.revision);
  await storage.create(pods, 'next', json(2));
}, 60_000);
