/**
 * The wall clock of a replica is set an hour forward, then an hour behind, then right: nothing hangs, ends or expires but
 * credentials whose time is over, and new timestamps are those of the clock.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient, EventStream } from '../support/client.ts';
import { startEtcdCluster } from '../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../support/replica.ts';
import { shiftedBy } from '../support/shifted-clock.ts';
import { makeTempFolder, type TempFolder } from '../support/temp-folder.ts';
import { waitFor } from '../support/wait-for.ts';

const hourMs = 3_600_000;
/** More than the longest turn of a busy machine, less than a step. */
const toleranceMs = 5 * 60_000;
const core = '/api/v1/namespaces/default';
const maps = `${core}/configmaps`;
const lease = '/apis/coordination.orch.io/v1/namespaces/orch-system/leases/orch-controller-manager';
const stack = new AsyncDisposableStack();
let folder: TempFolder;
let replica: Replica;
let watch: EventStream;
let offsetMs = 0;
let count = 0;

beforeAll(async () => {
  folder = await makeTempFolder('clock-steps');
  stack.defer(() => folder.remove());
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  writeFileSync(at('offset'), '0');
  writeFileSync(at('policy'), JSON.stringify({ ...policyHead, rules: [{ level: 'Metadata' }] }));
  replica = stack.use(
    await startReplica({
      etcd,
      nodeArgs: [shiftedBy(at('offset'))],
      args: [
        '--etcd-compaction-interval=1s',
        `--audit-policy-file=${at('policy')}`,
        `--audit-log-path=${at('audit')}`,
        '--audit-log-mode=blocking',
      ],
    }),
  );
}, 60_000);

afterAll(() => stack.disposeAsync());

const policyHead = { apiVersion: 'audit.orch.io/v1', kind: 'Policy', metadata: { name: 'all' } };
const at = (name: string): string => join(folder.path, name);
const serviceNow = (): number => Date.now() + offsetMs;
const statusOf = async (client: ApiClient): Promise<number> => (await client.get(maps)).status;

function expectNear(time: unknown): void {
  expect(Math.abs(Date.parse(String(time)) - serviceNow())).toBeLessThan(toleranceMs);
}

async function stepTo(offset: number): Promise<void> {
  offsetMs = offset;
  writeFileSync(at('offset'), String(offset));
  await waitFor('the step', async () => {
    const { metadata } = await replica.admin.ok('POST', maps, { metadata: { generateName: 'step-' } });
    return Math.abs(Date.parse(String(metadata.creationTimestamp)) - serviceNow()) < toleranceMs;
  });
}

/** A token for ten minutes. */
async function newToken(): Promise<ApiClient> {
  const body = { spec: { expirationSeconds: 600 } };
  const { status } = await replica.admin.ok('POST', `${core}/serviceaccounts/default/token`, body);
  const client = replica.client({ token: (status as { token?: string }).token ?? '' });
  stack.defer(() => client.close());
  return client;
}

async function election(): Promise<{ holder: string; transitions: unknown; renewed: string }> {
  const spec = (await replica.admin.ok('GET', lease))['spec'] as Record<string, string | undefined>;
  return {
    holder: spec['holderIdentity'] ?? '',
    transitions: spec['leaseTransitions'],
    renewed: String(spec['renewTime']),
  };
}

async function compactions(): Promise<number> {
  const { text } = await replica.admin.get('/metrics');
  return Number(/^apiserver_storage_compactions_total(?:\{\})? (\d+)$/m.exec(text)?.[1]);
}

/** Writes, watches, garbage collection, namespaces, events, compaction and audit go on. */
async function expectService(): Promise<void> {
  const { admin } = replica;
  const id = String((count += 1));
  const owner = await admin.ok('POST', maps, { metadata: { name: `owner-${id}` } });
  expectNear(owner.metadata.creationTimestamp);
  await watch.until(({ object }) => object.metadata.name === owner.metadata.name);
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${id}`, uid: owner.metadata.uid },
  ];
  await admin.ok('POST', maps, { metadata: { name: `dependent-${id}`, ownerReferences } });
  await admin.ok('POST', '/api/v1/namespaces', { metadata: { name: `n-${id}` } });
  await admin.ok('DELETE', `${maps}/owner-${id}`);
  expectNear((await admin.ok('DELETE', `/api/v1/namespaces/n-${id}`)).metadata.deletionTimestamp);
  const isGone = async (path: string): Promise<boolean> => (await admin.get(path)).status === 404;
  await waitFor('the dependent to go', () => isGone(`${maps}/dependent-${id}`));
  await waitFor('the namespace to go', () => isGone(`/api/v1/namespaces/n-${id}`));
  expect((await admin.get(`${core}/events/kept`)).status).toBe(200);
  const before = await compactions();
  await waitFor('a compaction', async () => (await compactions()) > before);
  // Another line may be half written.
  const lines = readFileSync(at('audit'), 'utf8').split('\n').slice(0, -1);
  const last = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
  expectNear(last['requestReceivedTimestamp']);
  expectNear(last['stageTimestamp']);
}

test('an hour forward, an hour behind and back', async () => {
  const { admin, pki } = replica;
  const { metadata } = await admin.list(maps);
  watch = await admin.watch(`${maps}?resourceVersion=${metadata.resourceVersion}`);
  const involvedObject = { kind: 'ConfigMap', namespace: 'default', name: 'x' };
  await admin.ok('POST', `${core}/events`, { metadata: { name: 'kept' }, involvedObject, type: 'Normal' });
  const name = { commonName: 'for-half-an-hour', organizations: ['system:masters'] };
  // Keeps its connection.
  const brief = replica.client(await pki.authority.client(name, hourMs / 2));
  stack.defer(() => brief.close());
  await waitFor(
    'the token controller',
    async () => (await admin.get(`${core}/serviceaccounts/default`)).status === 200,
  );
  const token = await newToken();
  await waitFor('a leader', async () => (await election()).holder);
  const { holder, transitions } = await election();
  // Known, but without permissions.
  expect([await statusOf(token), await statusOf(brief)]).toEqual([403, 200]);
  await expectService();

  for (const [offset, ofToken, ofBrief] of [
    [hourMs, 401, 401],
    [-hourMs, 401, 200],
    [0, 403, 200],
  ] as const) {
    await stepTo(offset);
    expect([await statusOf(token), await statusOf(brief)]).toEqual([ofToken, ofBrief]);
    expect(await statusOf(await newToken())).toBe(403);
    await expectService();
    const { renewed } = await election();
    await waitFor('a renewal', async () => (await election()).renewed !== renewed);
    const now = await election();
    expectNear(now.renewed);
    expect([now.holder, now.transitions]).toEqual([holder, transitions]);
  }
  expect(replica.logs()).not.toContain('watch cache is invalid');
}, 90_000);
