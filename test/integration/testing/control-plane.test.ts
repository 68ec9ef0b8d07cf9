/** A control plane in the process of a test. */
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

import {
  ApiError,
  startControlPlane,
  UntilTimeout,
  type ApiObject,
  type ControlPlane,
} from '../../../src/testing/index.ts';
import { nodeBinary } from '../../support/paths.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const map = (name: string, level = 'low') => ({ ...maps, metadata: { name }, data: { level } });
const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'busybox' }] },
});
const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

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

let folder: TempFolder;
let controlPlane: ControlPlane;

beforeAll(async () => {
  folder = await makeTempFolder('testing');
  mkdirSync(join(folder.path, 'crds'));
  writeFileSync(join(folder.path, 'crds', 'shirts.yaml'), definition);
  writeFileSync(join(folder.path, 'crds', 'README.md'), 'no manifest');
  controlPlane = await startControlPlane({
    users: [{ name: 'jane', groups: ['developers'] }],
    crds: [join(folder.path, 'crds')],
    objects: [
      { apiVersion: 'shop.test/v1', kind: 'Shirt', metadata: { name: 'blue', namespace: 'shop' } },
      namespace('shop'),
    ],
  });
});

afterAll(async () => {
  await controlPlane.stop();
  await folder.remove();
});

afterEach(async () => {
  await controlPlane.reset();
});

test('users may do what RBAC says, also those that come later', async () => {
  const binding = (name: string) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'developers' }],
  });
  const jane = controlPlane.as('jane');
  await expect(jane.list(maps)).rejects.toMatchObject({ code: 403 });
  await controlPlane.admin.create(binding('developers'));
  await waitFor('the binding', async () => {
    const answer = await jane.list(maps).catch((error: unknown) => error);
    return !(answer instanceof ApiError);
  });
  await controlPlane.addUser({ name: 'joe', groups: ['developers'] });
  expect((await controlPlane.as('joe').list(maps)).items.length).toBeGreaterThan(0);
  expect(() => controlPlane.as('nobody')).toThrow('there is no user nobody');
});

test('what does not come is told with the last state and the events', async () => {
  await controlPlane.admin.create(map('one'));
  await controlPlane.admin.create({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'one.1' },
    type: 'Warning',
    reason: 'Tired',
    message: 'no level today',
    involvedObject: { kind: 'ConfigMap', name: 'one', namespace: 'default' },
  });
  const isHigh = (found: ApiObject | undefined): boolean => JSON.stringify(found).includes('"level":"high"');
  const error: unknown = await controlPlane
    .until(map('one'), isHigh, { timeoutMs: 50 })
    .catch((e: unknown) => e);
  expect(error).toBeInstanceOf(UntilTimeout);
  expect((error as UntilTimeout).last).toMatchObject({ data: { level: 'low' } });
  expect(String(error)).toMatch(
    /ConfigMap one did not become[\s\S]*"level": "low"[\s\S]*Warning Tired no level today/,
  );
  const waiting = controlPlane.until(map('one'), isHigh);
  await controlPlane.admin.patch(map('one'), { data: { level: 'high' } });
  expect(await waiting).toMatchObject({ data: { level: 'high' } });
});

test('control planes of equal options begin with the same objects, with UIDs and times of their own', async () => {
  const roles = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' } as const;
  const schemas = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta1', kind: 'FlowSchema' } as const;
  const namespaces = { apiVersion: 'v1', kind: 'Namespace' } as const;
  const begun = Math.floor(Date.now() / 1000) * 1000;
  await using first = await startControlPlane({ controllers: ['*', '-bootstrapsigner'] });
  await using second = await startControlPlane({ controllers: ['*', '-bootstrapsigner'] });
  const all = async (plane: ControlPlane): Promise<ApiObject[]> =>
    (await Promise.all([roles, schemas, namespaces].map((kind) => plane.admin.list(kind)))).flatMap(
      ({ items }) => items,
    );
  await Promise.all([first.settled(), second.settled()]);
  const [made, given] = [await all(first), await all(second)];
  const content = ({ metadata, ...object }: ApiObject) => JSON.stringify({ ...object, name: metadata.name });
  const timeless = (objects: ApiObject[]) =>
    objects.map((object) => content(object).replaceAll(/\d\d:\d\d:\d\d/g, ''));
  expect(timeless(given)).toEqual(timeless(made));
  const ids = [...made, ...given].map(({ metadata }) => metadata.uid);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { metadata } of given)
    expect(Date.parse(metadata.creationTimestamp ?? '')).toBeGreaterThanOrEqual(begun);
  // It got them at once.
  const versions = given.filter(({ metadata }) => metadata.name?.startsWith('system:controller:'));
  expect(versions.length).toBeGreaterThan(10);
  expect(new Set(versions.map(({ metadata }) => metadata.resourceVersion)).size).toBe(1);
});

test('kubeconfigs: object, text and a file that goes with the control plane', async () => {
  await using other = await startControlPlane({ users: [{ name: 'jane' }] });
  const file = await other.kubeconfigFile();
  expect(load(readFileSync(file, 'utf8'))).toEqual(other.kubeconfig());
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(other.kubeconfigText('jane')).toContain('token: ');
  expect(other.kubeconfig().clusters[0]?.cluster.server).toBe(other.url);
  await other.stop();
  expect(existsSync(file)).toBe(false);
  await expect(other.snapshot()).rejects.toThrow('the control plane has stopped: start another one');
  await other.stop();
});

test('names of the service itself, chosen controllers and admission', async () => {
  await using other = await startControlPlane({
    naming: 'orch',
    controllers: ['namespace'],
    admission: { disable: ['ServiceAccount'] },
    featureGates: { APIListChunking: true },
  });
  const groups = (await other.admin.request({ method: 'GET', path: '/apis' })) as {
    groups: { name: string }[];
  };
  expect(groups.groups.map(({ name }) => name)).toContain('rbac.authorization.orch.io');
  await other.admin.create(pod('without-account'));
  const accounts = await other.admin.list(
    { apiVersion: 'v1', kind: 'ServiceAccount' },
    { namespace: 'default' },
  );
  expect(accounts.items).toEqual([]);
});

test.each([
  [{ flags: { 'no-such-flag': 1 } }, 'there is no flag --no-such-flag'],
  [{ flags: { 'data-dir': '/tmp' } }, 'cannot be set here'],
  [{ flags: { 'event-ttl': 'long' } }, 'give a duration such as'],
  [{ crds: ['/no/such/folder'] }, '/no/such/folder cannot be read'],
  [{ objects: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'UPPER' } }] }, 'Invalid'],
])('a start that cannot work says why: %j', async (options, message) => {
  await expect(startControlPlane(options)).rejects.toThrow(message);
});

test('faults of manifests name the file and the document', async () => {
  const at = (name: string, text: string): string => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };
  await expect(startControlPlane({ crds: [at('broken.yaml', 'a: [')] })).rejects.toThrow(
    /broken\.yaml is no YAML/,
  );
  await expect(startControlPlane({ objects: [at('list.yaml', '- 1')] })).rejects.toThrow(
    /list\.yaml is no object of YAML: an object of the API has apiVersion, kind and metadata/,
  );
  const text = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: x }\n';
  await expect(startControlPlane({ crds: [at('other.yaml', text)] })).rejects.toThrow(
    /other\.yaml: x is a Namespace, no CustomResourceDefinition: give it as one of `objects`/,
  );
  const second = (document: string): string => at('two.yaml', `${text}---\n${document}`);
  await expect(startControlPlane({ objects: [second('kind: Pod')] })).rejects.toThrow(
    /two\.yaml, document 2 has no apiVersion, no metadata/,
  );
  const refused = startControlPlane({ objects: [second(text.replace('x }', 'X }'))] });
  await expect(refused).rejects.toMatchObject({ code: 422, reason: 'Invalid' });
  await expect(refused).rejects.toThrow(/\(\S*two\.yaml, document 2\): 422 Invalid: .*metadata\.name/);
});

test('a folder without manifests is named', async () => {
  mkdirSync(join(folder.path, 'nothing'));
  await expect(startControlPlane({ crds: [join(folder.path, 'nothing')] })).rejects.toThrow(
    /nothing has no manifests: they end in \.yaml, \.yml, \.json/,
  );
});

test('references that lead nowhere are explained', async () => {
  const { admin } = controlPlane;
  const unknown = { apiVersion: 'nowhere.test/v1', kind: 'Thing', metadata: { name: 'a' } };
  await expect(admin.get(unknown)).rejects.toThrow('no kind Thing is served in nowhere.test/v1');
  await expect(admin.get(maps as never)).rejects.toThrow('the object has no metadata.name');
});

test('a predicate that gives a promise is refused: it would always be true', async () => {
  const waiting = controlPlane.until(map('never'), (() => Promise.resolve(false)) as never);
  await expect(waiting).rejects.toThrow('the predicate gave a promise');
});

test('what has stopped writes no kubeconfig', async () => {
  const stopped = await startControlPlane();
  await stopped.stop();
  await expect(stopped.kubeconfigFile()).rejects.toThrow('the control plane has stopped');
});

test('a definition that is not valid is refused with the path of each field', async () => {
  const path = join(folder.path, 'invalid.yaml');
  const text = definition
    .replace('plural: shirts', 'plural: skirts')
    .replace('storage: true', 'storage: false');
  writeFileSync(path, text);
  const error: unknown = await startControlPlane({ crds: [path] }).catch((e: unknown) => e);
  expect(String(error)).toMatch(/CustomResourceDefinition.*"shirts\.shop\.test" is invalid/);
  expect(String(error)).toMatch(/metadata\.name: Invalid value/);
  expect(String(error)).toMatch(/spec\.versions: Invalid value/);
});

test('servers of etcd need the engine that uses them, and are named if they cannot be reached', async () => {
  const etcdServers = ['http://127.0.0.1:1'];
  await expect(startControlPlane({ etcdServers })).rejects.toThrow("is for `engine: 'etcd'`");
  await expect(startControlPlane({ engine: 'etcd', etcdServers })).rejects.toThrow(/127\.0\.0\.1:1/);
});

test('what is advertised stands in kubeconfigs, and the certificate is valid for it', async () => {
  const flags = { 'bind-address': '0.0.0.0' };
  const users = [{ name: 'jane', groups: ['system:masters'] }];
  const get = async (url: string): Promise<unknown> => {
    const agent = new Agent({ ca: controlPlane.ca });
    try {
      const sent = request(`${url}/readyz`, { agent }).end();
      const [{ statusCode }] = (await once(sent, 'response')) as [{ statusCode: number }];
      return statusCode;
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      agent.destroy();
    }
  };
  await using other = await startControlPlane({ advertiseAddress: '127.0.0.2', flags, users });
  expect(other.url).toBe(`https://127.0.0.2:${String(other.port)}`);
  expect(other.kubeconfig('jane').clusters[0]?.cluster.server).toBe(other.url);
  expect(await get(other.url)).toBe(200);
  await using usual = await startControlPlane({ flags });
  expect(await get(`https://127.0.0.2:${String(usual.port)}`)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  await using mapped = await startControlPlane({ advertiseAddress: 'api.shop.test', advertisePort: 16_443 });
  expect(mapped.url).toBe('https://api.shop.test:16443');
  expect((await mapped.admin.list(maps)).items).toBeDefined();
  await using fork = await mapped.fork();
  expect(fork.url).toBe(`https://api.shop.test:${String(fork.port)}`);
});

test('a taken port is told', async () => {
  await expect(startControlPlane({ port: controlPlane.port })).rejects.toThrow(/PORT_IN_USE/);
});

test('a call that cannot be sent is refused, and the process does not wait for its answer', () => {
  const program = join(import.meta.dirname, 'support', 'unsendable.ts');
  const ended = spawnSync(nodeBinary(), [program], { encoding: 'utf8', timeout: 20_000 });
  expect(ended.stdout).toMatch(/^DataCloneError: .*could not be cloned/);
  expect(ended.status).toBe(0);
});

test.each(['memory', 'etcd'])(
  'a program that forgets to stop ends, and leaves no file (engine %s)',
  async (engine) => {
    const program = join(import.meta.dirname, 'support', 'forgetful.ts');
    const temporary = join(folder.path, `of-${engine}`);
    mkdirSync(temporary);
    const env = { ...process.env, TMPDIR: temporary };
    const ended = spawnSync(nodeBinary(), [program, engine], { encoding: 'utf8', timeout: 50_000, env });
    expect(ended.status).toBe(0);
    const file = ended.stdout.trim();
    expect(file).toMatch(/kubeconfig$/);
    expect(file.startsWith(temporary)).toBe(true);
    await waitFor('an empty folder', () => readdirSync(temporary).length === 0);
  },
);
