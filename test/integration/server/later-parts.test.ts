/** Parts of kinds that other releases than 1.21 have: subresources, field selectors, generations, what a deletion leaves. */
import { join } from 'node:path';
import type { JsonObject } from '../../../src/base/json.ts';
import { Service } from '../../support/service.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let temporary: TempFolder;
let service: Service | undefined;

beforeAll(async () => {
  temporary = await makeTempFolder('later-parts');
});
afterEach(async () => {
  await service?.child.stop();
  service = undefined;
});
afterAll(() => temporary.remove());

async function under(release: string, ...flags: readonly string[]): Promise<void> {
  const args = [`--emulated-release=${release}`, ...flags];
  service = await Service.start(join(temporary.path, release), args);
}

async function ask(
  method: string,
  path: string,
  body?: JsonObject,
  type = 'application/json',
): Promise<[number, JsonObject]> {
  const answer = await service?.ask({ method, path, ...(body && { body }), type });
  const { status = 0, body: text = '' } = answer ?? {};
  return [status, text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {}];
}

const core = '/api/v1/namespaces/default';
const main = { name: 'main', image: 'nginx:1' };
const debug = { name: 'debug', image: 'busybox:1', targetContainerName: 'main' };
const strategic = 'application/strategic-merge-patch+json';
const merge = 'application/merge-patch+json';

async function items(path: string): Promise<unknown[]> {
  const [status, list] = await ask('GET', path);
  expect([path, status]).toEqual([path, 200]);
  return (list['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
}

test('a container to look into a pod comes by a patch of the pod, as kubectl debug sends it', async () => {
  await under('1.36');
  const path = `${core}/pods/web/ephemeralcontainers`;
  expect(
    (await ask('POST', `${core}/pods`, { metadata: { name: 'web' }, spec: { containers: [main] } }))[0],
  ).toBe(201);
  const sent = { spec: { ephemeralContainers: [debug] }, metadata: { labels: { no: 'effect' } } };
  const [status, pod] = await ask('PATCH', path, sent, strategic);
  expect([status, pod['kind']]).toEqual([200, 'Pod']);
  expect(pod['spec']).toMatchObject({
    containers: [main],
    ephemeralContainers: [{ ...debug, imagePullPolicy: 'IfNotPresent' }],
  });
  expect(pod['metadata']).not.toHaveProperty('labels');
  expect(await ask('GET', path)).toMatchObject([
    200,
    { kind: 'Pod', spec: { ephemeralContainers: [debug] } },
  ]);
  const replaced = { ...pod, spec: { ...(pod['spec'] as JsonObject), ephemeralContainers: [] } };
  expect(await ask('PUT', path, replaced)).toMatchObject([
    422,
    { message: expect.stringContaining('may not be removed') as string },
  ]);
  const former = { kind: 'EphemeralContainers', apiVersion: 'v1', ephemeralContainers: [debug] };
  expect((await ask('PUT', path, former))[0]).toBe(400);
  const [, list] = await ask('GET', '/api/v1');
  const entry = (list['resources'] as JsonObject[]).find(({ name }) => name === 'pods/ephemeralcontainers');
  expect(entry).toMatchObject({ kind: 'Pod', verbs: ['get', 'patch', 'update'] });
});

test('pods and services are selected by fields that came later; jobs have a generation', async () => {
  await under('1.31');
  const ports = [{ port: 80 }];
  await ask('POST', `${core}/services`, { metadata: { name: 'inside' }, spec: { ports } });
  await ask('POST', `${core}/services`, { metadata: { name: 'nodes' }, spec: { ports, type: 'NodePort' } });
  await ask('POST', `${core}/pods`, { metadata: { name: 'own' }, spec: { containers: [main] } });
  await ask('POST', `${core}/pods`, {
    metadata: { name: 'host' },
    spec: { containers: [main], hostNetwork: true },
  });
  expect(await items(`${core}/services?fieldSelector=spec.type=NodePort`)).toEqual(['nodes']);
  expect(await items(`${core}/services?fieldSelector=spec.clusterIP!=None,metadata.name=inside`)).toEqual([
    'inside',
  ]);
  expect(await items(`${core}/pods?fieldSelector=spec.hostNetwork=true`)).toEqual(['host']);
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const template = { spec: { containers: [main], restartPolicy: 'Never' } };
  const [, made] = await ask('POST', jobs, { metadata: { name: 'once' }, spec: { template } });
  expect(made['metadata']).toMatchObject({ generation: 1 });
  const [, changed] = await ask('PATCH', `${jobs}/once`, { spec: { parallelism: 2 } }, merge);
  expect(changed['metadata']).toMatchObject({ generation: 2 });
});

test('a network policy had a status for a while; a cron job of the beta version leaves its jobs behind', async () => {
  await under('1.24', '--feature-gates=NetworkPolicyStatus=true');
  const policies = '/apis/networking.orch.io/v1/namespaces/default/networkpolicies';
  await ask('POST', policies, { metadata: { name: 'none' }, spec: { podSelector: {} } });
  expect((await ask('GET', `${policies}/none/status`))[0]).toBe(200);
  const jobTemplate = { spec: { template: { spec: { containers: [main], restartPolicy: 'Never' } } } };
  const finalizersAfter = async (version: string): Promise<unknown> => {
    const path = `/apis/batch/${version}/namespaces/default/cronjobs`;
    const metadata = { name: version, finalizers: ['example.com/wait'] };
    await ask('POST', path, { metadata, spec: { schedule: '0 3 * * *', jobTemplate } });
    const [, ending] = await ask('DELETE', `${path}/${version}`);
    return (ending['metadata'] as JsonObject)['finalizers'];
  };
  expect(await finalizersAfter('v1beta1')).toEqual(expect.arrayContaining(['example.com/wait', 'orphan']));
  expect(await finalizersAfter('v1')).toEqual(['example.com/wait']);
});
