/** An etcd that comes back with another past under the storage that follows it. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findEtcdTools } from '../../../src/restore/etcd-tools.ts';
import { restoreSnapshot } from '../../../src/restore/prepare-snapshot.ts';
import { PrivateMember } from '../../../src/restore/private-member.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { forever, json, mostRecent, pods, startStorage, watchAfter } from '../../support/storage.ts';

let temporary: TempFolder;
let cluster: EtcdCluster;

beforeEach(async () => {
  temporary = await makeTempFolder('replaced-etcd');
  cluster = await startEtcdCluster({ how: 'process' });
});
afterEach(async () => {
  await cluster.close();
  await temporary.remove();
});

test('one that was restored by other means and has overtaken the view is loaded again, and watches end', async () => {
  const [member] = cluster.members;
  const { dataDir = '', args = [] } = member?.local ?? {};
  const tools = await findEtcdTools(temporary.path, forever);
  const snapshot = join(temporary.path, 'backup.db');
  await using storage = Object.assign(await startStorage(cluster.endpoints), {
    async [Symbol.asyncDispose](this: { close(): Promise<void> }) {
      await this.close();
    },
  });
  await storage.create(pods, 'a/kept', json({ round: 1 }));
  await member?.stop();
  await saveFrom(dataDir, snapshot);
  await member?.start();
  await cluster.healthy();
  const { revision } = await storage.create(pods, 'a/lost', json({ round: 2 }));
  const before = await storage.snapshot(pods, mostRecent, forever);
  expect(await storage.get(pods, 'a/lost', mostRecent, forever)).toBeDefined();
  const watch = watchAfter(storage, revision);
  await waitFor('the watch', () => watch.established > 0);

  await member?.stop();
  await rm(dataDir, { recursive: true });
  const urls =
    args
      .find((word) => word.startsWith('--initial-cluster='))
      ?.split('=')
      .slice(1)
      .join('=') ?? '';
  const [name = '', url = ''] = urls.split('=');
  const identity = {
    name,
    initialCluster: urls,
    initialClusterToken: 'another',
    initialAdvertisePeerUrls: url,
  };
  await restoreSnapshot({ tools, snapshot, skipHashCheck: false, dataDir, identity, signal: forever });
  await overtake(dataDir, revision);
  await member?.start();
  await cluster.healthy();

  await waitFor('the watch to end', () => watch.ended);
  expect(watch.ended).toMatchObject({ code: 'compacted' });
  expect(await storage.get(pods, 'a/lost', mostRecent, forever)).toBeUndefined();
  expect(await storage.get(pods, 'a/kept', mostRecent, forever)).toBeDefined();
  const { past } = before;
  const now = await storage.snapshot(pods, mostRecent, forever);
  expect([typeof past, typeof now.past, past === now.past]).toEqual(['string', 'string', false]);
  const ofOtherPast = { kind: 'exact', revision, past } as const;
  await expect(storage.snapshot(pods, ofOtherPast, forever)).rejects.toMatchObject({ code: 'compacted' });

  async function saveFrom(from: string, to: string): Promise<void> {
    await using own = await PrivateMember.start({ tools, dataDir: from, signal: forever });
    await own.etcdctl('snapshot', 'save', to);
  }

  async function overtake(at: string, served: number): Promise<void> {
    await using own = await PrivateMember.start({ tools, dataDir: at, signal: forever });
    for (let i = 0; i < served + 10; i += 1)
      await own.client.put({ key: Buffer.from('/registry/other'), value: Buffer.from(String(i)) });
  }
});
