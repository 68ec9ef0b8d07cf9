/** Which versions a service serves, by its flags, over the same data. */
import { join } from 'node:path';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { runToEnd, Service } from './service.ts';

let temporary: TempFolder;
let service: Service | undefined;

beforeAll(async () => {
  temporary = await makeTempFolder('served-versions');
});
afterEach(async () => {
  await service?.child.stop();
  service = undefined;
});
afterAll(() => temporary.remove());

async function start(...words: string[]): Promise<Service> {
  service = await Service.start(join(temporary.path, 'data'), words);
  return service;
}

const jobTemplate = {
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1' }] } },
  },
};
const cronJob = { metadata: { name: 'nightly' }, spec: { schedule: '0 3 * * *', jobTemplate } };
const at = (version: string): string => `/apis/batch/${version}/namespaces/default/cronjobs`;

async function statuses(versions: readonly string[]): Promise<Record<string, number>> {
  const asked = versions.map(async (version) => {
    const answer = await service?.ask({ path: `${at(version)}/nightly` });
    return [version, answer?.status ?? 0] as const;
  });
  return Object.fromEntries(await Promise.all(asked));
}

/** Use of a version that is deprecated from 1.23 on, as the gauge tells it. */
async function deprecatedUse(): Promise<string> {
  const path = '/apis/flowcontrol.apiserver.orch.io/v1beta1/flowschemas';
  expect((await service?.ask({ path }))?.status).toBe(200);
  const metrics = (await service?.ask({ path: '/metrics' }))?.body ?? '';
  return metrics.match(/^apiserver_requested_deprecated_apis\{.*resource="flowschemas".*\} 1$/m)?.[0] ?? '';
}

const all = ['v1', 'v1beta1', 'v2alpha1'];

test('alpha is off; what is written in one version is there in every other that is served', async () => {
  const serving = await start('--runtime-config=batch/v1/jobs=false');
  expect((await serving.ask({ method: 'POST', path: at('v1beta1'), body: cronJob })).status).toBe(201);
  expect(await statuses(all)).toEqual({ v1: 200, v1beta1: 200, v2alpha1: 404 });
  expect((await service?.ask({ path: '/apis/batch/v1/jobs' }))?.status).toBe(404);
  expect(await deprecatedUse()).toBe('');
});

test('a later release serves the same object only as far as it still does', async () => {
  await start('--emulated-release=1.25');
  expect(await statuses(all)).toEqual({ v1: 200, v1beta1: 404, v2alpha1: 404 });
  const groups = (await service?.ask({ path: '/apis' }))?.body ?? '';
  expect(groups).not.toContain('"extensions/v1beta1"');
  expect(groups).not.toContain('"policy/v1beta1"');
  const version = JSON.parse((await service?.ask({ path: '/version' }))?.body ?? '') as unknown;
  expect(version).toMatchObject({ major: '1', minor: '21', emulationMajor: '1', emulationMinor: '25' });
  expect(await deprecatedUse()).toContain('removed_release="1.26"');
});

test('the stored version may be switched off, and an alpha version on', async () => {
  await start('--runtime-config=batch/v1=false,batch/v2alpha1');
  expect(await statuses(all)).toEqual({ v1: 404, v1beta1: 200, v2alpha1: 200 });
  const path = `${at('v2alpha1')}/nightly`;
  const found = JSON.parse((await service?.ask({ path }))?.body ?? '') as { spec: { schedule: string } };
  const changed = { ...found, spec: { ...found.spec, schedule: '0 4 * * *' } };
  expect((await service?.ask({ method: 'PUT', path, body: changed }))?.status).toBe(200);
  expect((await service?.ask({ path: `${at('v1beta1')}/nightly` }))?.body).toContain('0 4 * * *');
});

test('keys of what does not exist end the start with what does', async () => {
  const { code, output } = await runToEnd([
    `--data-dir=${join(temporary.path, 'data')}`,
    '--runtime-config=batch/v7,batch/v1/nothing',
  ]);
  expect(code).toBe(1);
  expect(output).toMatch(
    /unknown batch\/v7, batch\/v1\/nothing; batch\/v1 has cronjobs, jobs; there are api\/all, .*; correct .*FLAG_VALUE/,
  );
});
