/** Each option of a start does what it says: what is asked of two control planes differs by that option alone. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ApiError,
  startControlPlane,
  type ApiObject,
  type ControlPlane,
  type ControlPlaneOptions,
} from '../../../src/testing/index.ts';
import { freePort } from '../../support/free-port.ts';
import { nodeBinary } from '../../support/paths.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const maps = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const accounts = { apiVersion: 'v1', kind: 'ServiceAccount' } as const;
const account = { ...accounts, metadata: { name: 'default' } };
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'one' },
  spec: { containers: [{ name: 'main', image: 'busybox:1', imagePullPolicy: 'IfNotPresent' }] },
};
const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shirts.shop.test }
spec:
  group: shop.test
  scope: Namespaced
  names: { plural: shirts, singular: shirt, kind: Shirt }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;
const shirt = 'apiVersion: shop.test/v1\nkind: Shirt\nmetadata: { name: blue, namespace: shop }\n';
const shop = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: shop }\n';

let folder: TempFolder;
/** What a start without options gives. */
let usual: ControlPlane;

beforeAll(async () => {
  folder = await makeTempFolder('options');
  usual = await startControlPlane();
});

afterAll(async () => {
  await usual.stop();
  await folder.remove();
});

function written(name: string, text: string): string {
  writeFileSync(join(folder.path, name), text);
  return join(folder.path, name);
}

function get(plane: ControlPlane, path: string): Promise<unknown> {
  return plane.admin.request({ method: 'GET', path }).catch((error: unknown) => error);
}

/** What both answer: the usual control plane, and one with these options. */
async function both<T>(
  options: ControlPlaneOptions,
  ask: (plane: ControlPlane) => Promise<T>,
): Promise<[usual: T, other: T]> {
  await using other = await startControlPlane(options);
  return [await ask(usual), await ask(other)];
}

test('naming: groups of the service itself', async () => {
  const [usually, own] = await both({ naming: 'orch' }, (plane) => get(plane, '/apis'));
  expect(JSON.stringify(usually)).toContain('rbac.authorization.k8s.io');
  expect(JSON.stringify(own)).toContain('rbac.authorization.orch.io');
});

test('release: its versions of the API', async () => {
  const ask = async (plane: ControlPlane): Promise<unknown[]> => {
    const version = (await get(plane, '/version')) as { minor: string };
    return [version.minor, (await get(plane, '/apis/policy/v1beta1')) instanceof Error];
  };
  expect(await both({ release: '1.30' }, ask)).toEqual([
    ['21', false],
    ['30', true],
  ]);
});

test('a release that is not there is said', async () => {
  await expect(startControlPlane({ release: '1.99' })).rejects.toThrow(
    /option `release` \(--emulated-release\).*1\.99/,
  );
});

test('admission: plugins beside the default ones, and without some of them', async () => {
  const ask = async (plane: ControlPlane): Promise<unknown[]> => {
    await plane.until(account, (found) => found !== undefined);
    interface Made extends ApiObject {
      readonly spec: {
        readonly containers: readonly { readonly imagePullPolicy?: string }[];
        readonly serviceAccountName?: string;
      };
    }
    const { spec } = await plane.admin.create<Made>(pod);
    await plane.admin.delete(pod, { gracePeriodSeconds: 0 });
    return [spec.containers[0]?.imagePullPolicy, spec.serviceAccountName];
  };
  const admission = { enable: ['AlwaysPullImages'], disable: ['ServiceAccount'] };
  expect(await both({ admission }, ask)).toEqual([
    ['IfNotPresent', 'default'],
    ['Always', undefined],
  ]);
});

test('controllers: only those that are named', async () => {
  await usual.until(account, (found) => found !== undefined);
  await using other = await startControlPlane({ controllers: ['namespace'] });
  await other.settled();
  expect((await other.admin.list(accounts)).items).toEqual([]);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gone' } };
  await other.admin.create(namespace);
  await other.admin.delete(namespace);
  await other.until(namespace, (found) => found === undefined);
});

test('featureGates', async () => {
  const ask = async (plane: ControlPlane): Promise<boolean> =>
    JSON.stringify(await get(plane, '/api/v1/namespaces?limit=1')).includes('"continue"');
  expect(await both({ featureGates: { APIListChunking: false } }, ask)).toEqual([true, false]);
});

test('flags: what no option has', async () => {
  const ask = async (plane: ControlPlane): Promise<boolean> =>
    (await get(plane, '/debug/pprof/')) instanceof ApiError;
  expect(await both({ flags: { profiling: false } }, ask)).toEqual([false, true]);
});

test('crds and objects: files and folders, whatever their order, and objects', async () => {
  mkdirSync(join(folder.path, 'manifests'));
  writeFileSync(join(folder.path, 'manifests', 'a-shirt.yaml'), shirt);
  writeFileSync(join(folder.path, 'manifests', 'b-shop.yml'), shop);
  const map = { ...maps, metadata: { name: 'one' } };
  await using other = await startControlPlane({
    crds: [written('shirts.yaml', definition)],
    objects: [
      join(folder.path, 'manifests'),
      map,
      written('two.json', JSON.stringify({ ...maps, metadata: { name: 'two' } })),
    ],
  });
  await other.admin.get({
    apiVersion: 'shop.test/v1',
    kind: 'Shirt',
    metadata: { name: 'blue', namespace: 'shop' },
  });
  for (const name of ['one', 'two']) await other.admin.get({ ...maps, metadata: { name } });
  // They belong to the start.
  await other.admin.delete(map);
  await other.reset();
  await other.admin.get(map);
});

test('seed: what faults are decided by', async () => {
  await using other = await startControlPlane({ seed: 4711 });
  expect(other.faults.seed).toBe(4711);
  expect(usual.faults.seed).not.toBe(4711);
});

test('port: the one that is asked for; a fork has another', async () => {
  const [port, forked] = [await freePort(), await freePort()];
  await using other = await startControlPlane({ port });
  expect(other.url).toBe(`https://127.0.0.1:${String(port)}`);
  await using fork = await other.fork();
  expect(fork.port).not.toBe(port);
  await using chosen = await other.fork(undefined, { port: forked, advertisePort: 16_445 });
  expect([chosen.port, chosen.url]).toEqual([forked, 'https://127.0.0.1:16445']);
  await chosen.admin.list(maps);
});

test('clock: only a virtual one is advanced', async () => {
  await expect(usual.advance('1h')).rejects.toThrow(/virtual/);
  await using other = await startControlPlane({ clock: 'virtual' });
  const before = Date.now();
  expect((await other.advance('1h')).getTime()).toBeGreaterThanOrEqual(before + 3_600_000);
});

test.each([
  ['printed', true],
  ['attached', false],
  ['quiet', false],
])('logs: %s', (logs, isPrinted) => {
  const program = join(import.meta.dirname, 'support', 'options-of-logs.ts');
  const ended = spawnSync(nodeBinary(), [program, logs], { encoding: 'utf8', timeout: 50_000 });
  expect({ status: ended.status, stdout: ended.stdout }).toEqual({ status: 0, stdout: 'a log\n' });
  expect(ended.stderr.includes('"level":')).toBe(isPrinted);
});

test('users: with their groups, by token', async () => {
  await using other = await startControlPlane({
    users: [{ name: 'jane', groups: ['system:masters'] }, { name: 'joe' }],
  });
  await other.as('jane').list(maps);
  await expect(other.as('joe').list(maps)).rejects.toMatchObject({ code: 403 });
});
