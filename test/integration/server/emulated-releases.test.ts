/** One store under an older release, a newer one and the older again: nothing is lost, and each sees what it knows. */
import { join } from 'node:path';
import type { JsonObject } from '../../../src/base/json.ts';
import { Service } from '../../support/service.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

let temporary: TempFolder;
let service: Service | undefined;

beforeAll(async () => {
  temporary = await makeTempFolder('emulated-releases');
});
afterEach(async () => {
  await service?.child.stop();
  service = undefined;
});
afterAll(() => temporary.remove());

async function under(release: string): Promise<void> {
  await service?.child.stop();
  service = await Service.start(join(temporary.path, 'data'), [`--emulated-release=${release}`]);
}

interface Asked {
  readonly method?: string;
  readonly body?: JsonObject | JsonObject[];
  readonly type?: string;
}

async function ask(path: string, { method = 'GET', body, type }: Asked = {}): Promise<[number, JsonObject]> {
  const answer = await service?.ask({ method, path, ...(body && { body }), type });
  const { status = 0, body: text = '' } = answer ?? {};
  // What no version serves is answered in plain text.
  return [status, text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {}];
}

const pods = '/api/v1/namespaces/default/pods';
const main = {
  name: 'main',
  image: 'nginx:1',
  resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
};
const pod = {
  metadata: { name: 'web' },
  spec: {
    containers: [{ ...main, livenessProbe: { grpc: { port: 80 } } }],
    initContainers: [{ name: 'side', image: 'nginx:1', restartPolicy: 'Always' }],
    schedulingGates: [{ name: 'example.com/wait' }],
  },
};
const later = {
  spec: {
    schedulingGates: [{ name: 'example.com/wait' }],
    initContainers: [{ name: 'side', restartPolicy: 'Always' }],
    containers: [{ name: 'main', resizePolicy: main.resizePolicy, livenessProbe: { grpc: { port: 80 } } }],
  },
};

const labels = { app: 'web' };
const jobPods = { spec: { containers: [{ name: 'main', image: 'nginx:1' }], restartPolicy: 'Never' } };
const set = {
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } },
};
const claim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

test('a field of a newer release is unknown to an older one, and stays in what is stored', async () => {
  await under('1.36');
  expect((await ask(`${pods}?fieldValidation=Strict`, { method: 'POST', body: pod }))[0]).toBe(201);
  const [, autoscaler] = await ask('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
    method: 'POST',
    body: {
      metadata: { name: 'web' },
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
    },
  });
  expect(autoscaler).toMatchObject({
    apiVersion: 'autoscaling/v2',
    spec: { metrics: [{ type: 'Resource' }] },
  });

  await under('1.21');
  const strict = { method: 'POST', body: { ...pod, metadata: { name: 'other' } } };
  const [code, refused] = await ask(`${pods}?fieldValidation=Strict`, strict);
  expect([code, refused['message']]).toEqual([
    400,
    expect.stringContaining('unknown field "spec.schedulingGates"'),
  ]);
  const labels = { metadata: { labels: { a: 'b' } } };
  for (const type of ['application/merge-patch+json', 'application/strategic-merge-patch+json']) {
    expect((await ask(`${pods}/web`, { method: 'PATCH', body: labels, type }))[0]).toBe(200);
    labels.metadata.labels.a += 'b';
  }
  const applied = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', annotations: { c: 'd' } } };
  const type = 'application/apply-patch+yaml';
  expect((await ask(`${pods}/web?fieldManager=ada`, { method: 'PATCH', body: applied, type }))[0]).toBe(200);
  const [, read] = await ask(`${pods}/web`);
  const { schedulingGates: _gates, ...known } = read['spec'] as JsonObject;
  const replaced = { ...read, spec: { ...known, activeDeadlineSeconds: 60 } };
  expect((await ask(`${pods}/web`, { method: 'PUT', body: replaced }))[0]).toBe(200);
  const [gone] = await ask('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/web');
  const [, former] = await ask('/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/web');
  expect([gone, former['spec']]).toMatchObject([404, { maxReplicas: 3 }]);

  await under('1.36');
  const [, stored] = await ask(`${pods}/web`);
  expect(stored).toMatchObject({ ...later, spec: { ...later.spec, activeDeadlineSeconds: 60 } });
  expect(stored).toMatchObject({ metadata: { labels: { a: 'bb' }, annotations: { c: 'd' } } });
});

/** Objects that an update may change only in part, or whose defaults other releases complete. */
const ofEveryRelease: readonly (readonly [path: string, body: JsonObject])[] = [
  ['/apis/batch/v1/namespaces/default/jobs', { spec: { template: jobPods } }],
  [
    '/apis/batch/v1beta1/namespaces/default/cronjobs',
    { spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: jobPods } } } },
  ],
  [
    '/apis/apps/v1/namespaces/default/statefulsets',
    { spec: { ...set, serviceName: 'kept', volumeClaimTemplates: [claim] } },
  ],
  ['/apis/apps/v1/namespaces/default/daemonsets', { spec: set }],
  ['/apis/apps/v1/namespaces/default/deployments', { spec: set }],
  ['/api/v1/namespaces/default/pods', { spec: set.template.spec }],
  ['/api/v1/namespaces/default/persistentvolumeclaims', { spec: claim.spec }],
  ['/api/v1/namespaces/default/services', { spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } }],
  [
    '/api/v1/persistentvolumes',
    {
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        csi: { driver: 'a.b', volumeHandle: 'h' },
      },
    },
  ],
  ['/apis/storage.orch.io/v1/csidrivers', { spec: {} }],
  [
    '/apis/networking.orch.io/v1/ingressclasses',
    { spec: { controller: 'a/b', parameters: { kind: 'Kept', name: 'a' } } },
  ],
];

test('objects of an older release are updated under a newer one, and again under the older', async () => {
  await under('1.21');
  for (const [path, body] of ofEveryRelease) {
    const created = await ask(path, { method: 'POST', body: { ...body, metadata: { name: 'kept' } } });
    expect([path, created[0]]).toEqual([path, 201]);
  }
  for (const release of ['1.36', '1.21']) {
    await under(release);
    const answers = await Promise.all(
      ofEveryRelease.map(async ([former]) => {
        const path = `${former.replace('batch/v1beta1', 'batch/v1')}/kept`;
        const [, read] = await ask(path);
        const metadata = {
          ...(read['metadata'] as JsonObject),
          labels: { ...set.selector.matchLabels, at: release },
        };
        const [code, answer] = await ask(path, { method: 'PUT', body: { ...read, metadata } });
        return [path, code, code === 200 ? '' : answer['message']];
      }),
    );
    expect([release, answers.filter(([, code]) => code !== 200)]).toEqual([release, []]);
  }
});

test('/version is that of the emulated release, and says which build stands behind it', async () => {
  await under('1.30');
  const [, version] = await ask('/version');
  expect(version).toMatchObject({
    major: '1',
    minor: '30',
    gitVersion: expect.stringMatching(/^v1\.30\.0\+orch\./) as unknown,
  });
});

test('pages of the process are there with their gates, for monitoring alone', async () => {
  await under('1.36');
  const page = async (path: string): Promise<string> => (await service?.ask({ path }))?.body ?? '';
  expect(await page('/statusz')).toContain('Emulation version: 1.36');
  expect(await page('/flagz')).toContain('\nemulated-release=1.36\n');
  const [, role] = await ask('/apis/rbac.authorization.orch.io/v1/clusterroles/system:monitoring');
  expect(JSON.stringify(role['rules'])).toContain('/flagz');
  await page('/readyz');
  expect(await page('/metrics/slis')).toMatch(/^kubernetes_healthcheck\{name="etcd",type="readyz"\} 1$/m);
  await under('1.35');
  expect((await ask('/statusz'))[0]).toBe(404);
});

test('who asks', async () => {
  await under('1.28');
  const [code, review] = await ask('/apis/authentication.orch.io/v1/selfsubjectreviews', {
    method: 'POST',
    body: {},
  });
  expect([code, review]).toMatchObject([
    201,
    {
      kind: 'SelfSubjectReview',
      status: { userInfo: { groups: expect.arrayContaining(['system:authenticated']) as unknown } },
    },
  ]);
});

/** The names of the Secrets of a new namespace, once its account `default` is there and a Secret made for it is completed. */
async function secretsOfNewNamespace(name: string): Promise<string[]> {
  await ask('/api/v1/namespaces', { method: 'POST', body: { metadata: { name } } });
  const [accounts, secrets] = ['serviceaccounts', 'secrets'].map((of) => `/api/v1/namespaces/${name}/${of}`);
  await waitFor('the account', async () => (await ask(`${String(accounts)}/default`))[0] === 200);
  const annotations = { 'orch.io/service-account.name': 'default' };
  const body = { metadata: { name: 'mine', annotations }, type: 'orch.io/service-account-token' };
  expect((await ask(String(secrets), { method: 'POST', body }))[0]).toBe(201);
  await waitFor('the token', async () => {
    const [, secret] = await ask(`${String(secrets)}/mine`);
    return (secret['data'] as JsonObject | undefined)?.['token'] !== undefined;
  });
  const [, list] = await ask(String(secrets));
  return (list['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
}

test('from release 1.24 on no Secret is created for an account; one that a user creates gets a token', async () => {
  await under('1.24');
  expect(await secretsOfNewNamespace('without')).toEqual(['mine']);
  const [, account] = await ask('/api/v1/namespaces/without/serviceaccounts/default');
  expect(account).not.toHaveProperty('secrets');
  await under('1.23');
  const named = await waitFor('the Secret of the account', async () => {
    const [, { secrets }] = await ask('/api/v1/namespaces/without/serviceaccounts/default');
    return secrets as { name: string }[] | undefined;
  });
  expect(named).toEqual([{ name: expect.stringMatching(/^default-token-/) as string }]);
  await under('1.24');
  const path = `/api/v1/namespaces/without/secrets/${String(named[0]?.name)}`;
  expect((await ask(path, { method: 'DELETE' }))[0]).toBe(200);
  await waitFor('the account to name it no more', async () => {
    const [, found] = await ask('/api/v1/namespaces/without/serviceaccounts/default');
    return found['metadata'] !== undefined && !JSON.stringify(found).includes('default-token-');
  });
});
