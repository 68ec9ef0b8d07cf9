/** Which versions a service serves, by its flags, over the same data. */
import { join } from 'node:path';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { runToEnd, Service } from '../../support/service.ts';

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
  expect(version).toMatchObject({ major: '1', minor: '25' });
  // What the build has recorded, and what runs it.
  expect(version).toMatchObject({
    gitCommit: expect.stringMatching(/^([0-9a-f]{40})?$/) as unknown,
    gitTreeState: expect.stringMatching(/^(clean|dirty)?$/) as unknown,
    buildDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as unknown,
    goVersion: `node${process.versions.node}`,
  });
  expect(await deprecatedUse()).toContain('removed_release="1.26"');
});

test.each([
  ['1.21', 'v1beta1', { v1: 404, v1beta1: 404 }],
  ['1.22', 'v1', { v1: 404, v1beta1: 404 }],
  ['1.25', 'v1', { v1: 404, v1beta1: 404, v2: 400 }],
])(
  'release %s takes evictions of every version that there was, and tells of one',
  async (release, told, answers) => {
    const { ask } = await start(`--emulated-release=${release}`).then((serving) => ({
      ask: serving.ask.bind(serving),
    }));
    const { resources } = JSON.parse((await ask({ path: '/api/v1' })).body) as {
      resources: { name: string }[];
    };
    expect(resources.find(({ name }) => name === 'pods/eviction')).toMatchObject({
      group: 'policy',
      version: told,
      kind: 'Eviction',
    });
    const path = '/api/v1/namespaces/default/pods/missing/eviction';
    for (const [version, status] of Object.entries(answers)) {
      const body = { apiVersion: `policy/${version}`, kind: 'Eviction', metadata: { name: 'missing' } };
      const answer = await ask({ method: 'POST', path, body });
      expect([version, answer.status]).toEqual([version, status]);
    }
  },
);

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
    /unknown batch\/v7, batch\/v1\/nothing; batch\/v1 has cronjobs, jobs; there are api\/all, .*; fix .*FLAG_VALUE/,
  );
});

test('controllers that would miss what is switched off end the start; without them it goes', async () => {
  const dataFolder = `--data-dir=${join(temporary.path, 'data')}`;
  const off =
    '--runtime-config=coordination.orch.io/v1=false,rbac.authorization.orch.io/v1/clusterroles=false';
  const { code, output } = await runToEnd([dataFolder, off]);
  expect(code).toBe(1);
  const lines = output.split('\n').filter((line) => line.includes('FLAG_COMBINATION'));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/disables coordination\.orch\.io\/v1\/leases.* namespace, garbagecollector/);
  expect(lines[1]).toMatch(/rbac\.authorization\.orch\.io\/v1\/clusterroles.*: clusterrole-aggregation;/);
  await start(off, '--controllers=');
  expect((await service?.ask({ path: '/apis/coordination.orch.io/v1' }))?.status).toBe(404);
  expect((await service?.ask({ path: '/api/v1/namespaces/default' }))?.status).toBe(200);
});

describe('APIServices of what the service answers itself', () => {
  interface Listed {
    metadata: { name: string; uid: string; resourceVersion: string };
    spec: Record<string, unknown>;
    status: { conditions: Record<string, string>[] };
  }
  const path = '/apis/apiregistration.orch.io/v1/apiservices';

  async function listed(serving: Service): Promise<Map<string, Listed>> {
    const { items } = JSON.parse((await serving.ask({ path })).body) as { items: Listed[] };
    return new Map(items.map((item) => [item.metadata.name, item]));
  }

  test('are there from the first start on, one for each group version, and say that it is available', async () => {
    const services = await listed(await start());
    expect(services.get('v1.')?.spec).toEqual({
      version: 'v1',
      groupPriorityMinimum: 18000,
      versionPriority: 1,
    });
    expect(services.get('v1beta1.batch')).toMatchObject({
      metadata: { labels: { 'kube-aggregator.orch.io/automanaged': 'onstart' } },
      spec: { group: 'batch', version: 'v1beta1', groupPriorityMinimum: 17400, versionPriority: 9 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    expect([...services.keys()].filter((name) => name.includes('alpha'))).toEqual([]);
    expect([...services.keys()].filter((name) => name.includes('apiregistration'))).toEqual([]);
  });

  test('are brought in order at the next start; those that people made are not touched', async () => {
    const first = await start();
    const before = await listed(first);
    const body = {
      metadata: { name: 'v1.example.com' },
      spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 9, versionPriority: 9 },
    };
    expect((await first.ask({ method: 'POST', path, body })).status).toBe(201);
    const changed = {
      ...before.get('v1.apps'),
      spec: { ...before.get('v1.apps')?.spec, versionPriority: 3 },
    };
    expect((await first.ask({ method: 'PUT', path: `${path}/v1.apps`, body: changed })).status).toBe(200);
    expect((await first.ask({ method: 'DELETE', path: `${path}/v1.batch` })).status).toBe(200);
    await first.child.stop();

    const after = await listed(await start('--runtime-config=batch/v1beta1=false'));
    expect(after.get('v1.apps')?.spec).toMatchObject({ versionPriority: 15 });
    expect(after.get('v1.batch')?.metadata.uid).not.toBe(before.get('v1.batch')?.metadata.uid);
    expect(after.has('v1beta1.batch')).toBe(false);
    expect(after.get('v1.example.com')?.spec).toMatchObject({ versionPriority: 9 });
    expect(after.get('v1.policy')).toEqual(before.get('v1.policy'));
  });
});
