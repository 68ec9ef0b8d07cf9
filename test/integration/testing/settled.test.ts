/** Waiting until the controllers of a control plane have no work left. */
import {
  SettleTimeout,
  startControlPlane,
  type ApiObject,
  type ControlPlane,
} from '../../../src/testing/index.ts';

const maps = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

let controlPlane: ControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});

afterAll(async () => {
  await controlPlane.stop();
});

afterEach(async () => {
  await controlPlane.reset();
});

test('garbage is collected, to the last generation', async () => {
  const owned = async (name: string, owner?: ApiObject): Promise<ApiObject> => {
    const ownerReferences = owner && [
      { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid },
    ];
    return controlPlane.admin.create<ApiObject>({ ...maps, metadata: { name, ownerReferences } });
  };
  const first = await owned('generation-0');
  let owner = first;
  for (let i = 1; i <= 10; i += 1) owner = await owned(`generation-${String(i)}`, owner);
  await controlPlane.admin.delete({ ...maps, metadata: { name: 'generation-0' } });
  await controlPlane.settled();
  const left = (await controlPlane.admin.list(maps, { namespace: 'default' })).items;
  expect(left.filter(({ metadata }) => metadata.name?.startsWith('generation') === true)).toEqual([]);
});

test('namespaces have what they get, and are gone when they were deleted', async () => {
  const names = Array.from({ length: 10 }, (_, i) => `many-${String(i)}`);
  await Promise.all(names.map((name) => controlPlane.admin.create(namespace(name))));
  await controlPlane.settled();
  for (const name of names) {
    const about = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace: name },
    };
    expect(await controlPlane.admin.get(about)).toMatchObject({ secrets: [{}] });
  }
  await Promise.all(names.map((name) => controlPlane.admin.delete(namespace(name))));
  await controlPlane.settled();
  const left = (await controlPlane.admin.list({ apiVersion: 'v1', kind: 'Namespace' })).items;
  expect(left.filter(({ metadata }) => metadata.name?.startsWith('many') === true)).toEqual([]);
});

test('who is still at work is named, with the key and why', async () => {
  await controlPlane.admin.create({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'refusing' },
    webhooks: [
      {
        name: 'refusing.shop.test',
        clientConfig: { url: 'https://127.0.0.1:1/' },
        rules: [
          { apiGroups: [''], apiVersions: ['v1'], resources: ['serviceaccounts'], operations: ['CREATE'] },
        ],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy: 'Fail',
      },
    ],
  });
  await controlPlane.admin.create(namespace('refused'));
  const error: unknown = await controlPlane.settled({ timeoutMs: 300 }).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(SettleTimeout);
  expect((error as SettleTimeout).left).toContainEqual(
    expect.objectContaining({ queue: 'serviceaccount', key: 'refused' }),
  );
  expect(String(error)).toMatch(/The service logged meanwhile:\n[\s\S]*work failed, trying again/);
  const until = controlPlane.until(namespace('refused'), (found) => found === undefined, { timeoutMs: 300 });
  await expect(until).rejects.toThrow(
    /"name": "refused"[\s\S]*The service logged meanwhile:\n[\s\S]*work failed/,
  );
  expect(String(error)).toMatch(
    /did not settle within 300 ms.\nControllers still have work:\n[\s\S]* {2}serviceaccount: refused, (failed, and is tried again in \d+ ms|is worked on)/,
  );
});

test('a control plane without work has settled at once, and one that is written to all the time does not', async () => {
  await controlPlane.settled({ timeoutMs: 5_000 });
  let isOver = false;
  const writing = (async () => {
    const { admin } = controlPlane;
    for (let i = 0; !isOver; i += 1)
      await Promise.all(
        [1, 2, 3, 4].map((n) =>
          admin.apply({ ...maps, metadata: { name: `busy-${String(n)}` }, data: { i: String(i) } }),
        ),
      );
  })();
  const error: unknown = await controlPlane.settled({ timeoutMs: 100 }).catch((e: unknown) => e);
  isOver = true;
  await writing;
  if (error !== undefined) expect(error).toBeInstanceOf(SettleTimeout);
  await controlPlane.settled();
});

test('a quiet control plane keeps its log to itself', async () => {
  await using other = await startControlPlane({ logs: 'quiet' });
  const missing = { ...maps, metadata: { name: 'missing' } };
  const error: unknown = await other.until(missing, Boolean, { timeoutMs: 1_000 }).catch((e: unknown) => e);
  expect(String(error)).toMatch(/ConfigMap missing did not become[\s\S]*It does not exist/);
  expect(String(error)).not.toContain('The service logged');
  expect(await other.logs()).toContain('"level":');
});
