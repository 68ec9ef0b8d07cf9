/** Clients of the newest release, unchanged, against a replica of the newest release over a real etcd. */
import { CoreV1Api, KubeConfig, makeInformer, setHeaderOptions, VersionApi } from '@kubernetes/client-node';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { untilPodsMayRun } from '../support/default-account.ts';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { repositoryRoot } from '../support/paths.ts';
import { startReplica, type Replica } from '../support/replica.ts';
import { makeTempFolder, type TempFolder } from '../support/temp-folder.ts';
import { waitFor } from '../support/wait-for.ts';
import { findGo } from './support/go-modules.ts';
import { kubeconfigOf, makeKubectl, type Kubectl } from './support/kubectl.ts';
import { mayRunNewestPrograms, newestPrograms } from './support/newest-programs.ts';
import { findPython, pythonWith } from './support/python.ts';

/** Packages are fetched and compiled, once for a machine. */
const limitMs = 600_000;

let etcd: EtcdCluster;
let replica: Replica;
let home: TempFolder;
let kubeconfig: string;

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
  replica = await startReplica({ etcd, naming: 'kubernetes', args: ['--emulated-release=1.36'] });
  await untilPodsMayRun(replica.admin);
  home = await makeTempFolder('newest-release');
  kubeconfig = join(home.path, 'kubeconfig');
  await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(replica)));
}, 60_000);
afterAll(async () => {
  await replica.close();
  await etcd.close();
  await home.remove();
});

describe('client-go and controller-runtime', () => {
  const where = findGo() === undefined ? test.skip : test;
  where(
    'their tests pass',
    async () => {
      const folder = join(repositoryRoot, 'test', 'clients', 'go');
      const args = ['test', '-count=1', '-v', '-vet=off', '-skip=^TestCBOR', './...'];
      const output = await run(findGo() ?? '', args, folder);
      expect(output).toContain('--- PASS: TestAManager');
      expect(output).not.toContain('--- SKIP');
    },
    limitMs,
  );
});

describe('the Python client', () => {
  const where = findPython() === undefined ? test.skip : test;
  where(
    'its tests pass',
    async () => {
      const folder = join(repositoryRoot, 'test', 'clients', 'python');
      const python = await pythonWith('kubernetes==37.0.2', 'pytest==8.4.2');
      const output = await run(python, ['-m', 'pytest', '-p', 'no:cacheprovider', '.'], folder);
      expect(output).toMatch(/\b5 passed\b/);
    },
    limitMs,
  );
});

describe('@kubernetes/client-node', () => {
  test('applies an object, and an informer sees it come, change and go', async () => {
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const core = config.makeApiClient(CoreV1Api);
    expect(await config.makeApiClient(VersionApi).getCode()).toMatchObject({ major: '1', minor: '36' });
    const namespace = 'default';
    const labelSelector = 'client=node';
    const events: string[] = [];
    const informer = makeInformer(
      config,
      `/api/v1/namespaces/${namespace}/configmaps`,
      () => core.listNamespacedConfigMap({ namespace, labelSelector }),
      labelSelector,
    );
    informer.on('add', ({ data }) => events.push(`add ${data?.['n'] ?? ''}`));
    informer.on('update', ({ data }) => events.push(`update ${data?.['n'] ?? ''}`));
    informer.on('delete', ({ data }) => events.push(`delete ${data?.['n'] ?? ''}`));
    await informer.start();
    const apply = async (n: string): Promise<unknown> => {
      const metadata = { name: 'applied', labels: { client: 'node' } };
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { n } };
      const options = setHeaderOptions('Content-Type', 'application/apply-patch+yaml');
      return core.patchNamespacedConfigMap(
        { namespace, name: 'applied', body, fieldManager: 'node' },
        options,
      );
    };
    await apply('1');
    await waitFor('its creation', () => events.length === 1);
    await apply('2');
    await core.deleteNamespacedConfigMap({ namespace, name: 'applied' });
    await waitFor('all events', () => events.length === 3, { details: () => events.join() });
    expect(events).toEqual(['add 1', 'update 2', 'delete 2']);
    await informer.stop();
  });
});

const describeWithPrograms = mayRunNewestPrograms() ? describe : describe.skip;

describeWithPrograms('kubectl', () => {
  let kubectl: Kubectl;
  beforeAll(async () => {
    kubectl = await makeKubectl(replica, undefined, (await newestPrograms()).kubectl);
  }, limitMs);
  afterAll(() => kubectl.close());

  function apply(...objects: readonly object[]): Promise<string> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    return kubectl.ok(['apply', '--server-side', '-f', '-'], JSON.stringify(list));
  }

  test('it and the service are of one release, and its resources are those of discovery', async () => {
    const version = JSON.parse(await kubectl.ok(['version', '-o', 'json'])) as Record<string, unknown>;
    const release = { major: '1', minor: '36' };
    expect(version).toMatchObject({ clientVersion: release, serverVersion: release });
    const resources = await kubectl.ok(['api-resources', '-o', 'wide']);
    expect(resources).toMatch(/^validatingadmissionpolicies +admissionregistration\.k8s\.io\/v1 /m);
    expect(resources).toMatch(/^mutatingadmissionpolicies +admissionregistration\.k8s\.io\/v1 /m);
    expect(resources).toMatch(/^resourceclaims +resource\.k8s\.io\/v1 /m);
  });

  test('explain describes fields of today by OpenAPI v3', async () => {
    const explained = await kubectl.ok(['explain', 'pod.spec.containers.resizePolicy']);
    expect(explained).toMatch(/^FIELD: resizePolicy <\[\]ContainerResizePolicy>$/m);
    expect(await kubectl.ok(['explain', 'resourceclaims.spec.devices', '--recursive'])).toContain('requests');
  });

  test('apply, diff, get, wait, scale, rollout and delete of a workload', async () => {
    const labels = { app: 'web' };
    const container = { name: 'main', image: 'example/one' };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    const deployment = {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', labels } },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    };
    const manifest = JSON.stringify(deployment);
    expect(await kubectl.ok(['apply', '-f', '-'], manifest)).toBe('deployment.apps/web created\n');
    expect(await kubectl.ok(['apply', '-f', '-'], manifest)).toBe('deployment.apps/web unchanged\n');
    const next = manifest.replace('example/one', 'example/two');
    const difference = await kubectl.run(['diff', '-f', '-'], next);
    expect({ ...difference }).toMatchObject({ code: 1 });
    expect(difference.stdout).toMatch(/^\+ +- image: example\/two|^\+ +image: example\/two/m);
    expect(await kubectl.ok(['apply', '--server-side', '--force-conflicts', '-f', '-'], next)).toContain(
      'serverside-applied',
    );
    expect(await kubectl.ok(['scale', 'deployment/web', '--replicas=3'])).toContain('scaled');
    expect(await kubectl.ok(['get', 'deployment', 'web'])).toMatch(/^web +0\/3 /m);
    const available = kubectl.run(['wait', 'deployment/web', '--for=jsonpath={.status.replicas}=3']);
    const status = { status: { replicas: 3, readyReplicas: 0 } };
    await replica.admin.patch('/apis/apps/v1/namespaces/default/deployments/web/status', 'merge', status);
    expect(await available).toMatchObject({ code: 0 });
    expect(await kubectl.ok(['describe', 'deployment', 'web'])).toContain('example/two');
    expect(await kubectl.ok(['delete', 'deployment', 'web', '--wait'])).toContain('deleted');
  });

  test('auth says who one is and what one may', async () => {
    expect(await kubectl.ok(['auth', 'whoami'])).toMatch(/^Username +admin$/m);
    expect(await kubectl.ok(['auth', 'can-i', 'create', 'pods'])).toBe('yes\n');
    const nobody = ['--as=nobody', '--as-group=system:authenticated'];
    expect(await kubectl.ok(['auth', 'can-i', '--list', ...nobody])).toMatch(
      /selfsubjectreviews.*\[create\]/,
    );
    await kubectl.ok(['create', 'serviceaccount', 'robot']);
    const token = await kubectl.ok(['create', 'token', 'robot', '--duration=20m']);
    await using robot = await makeKubectl(replica, token.trim(), (await newestPrograms()).kubectl);
    const whoami = await robot.ok(['auth', 'whoami']);
    expect(whoami).toMatch(/^Username +system:serviceaccount:default:robot$/m);
    expect(whoami).toMatch(/credential-id +\[JTI=[0-9a-f-]{36}\]/);
    expect((await robot.run(['auth', 'can-i', 'create', 'pods'])).stdout).toBe('no\n');
  });

  test('ranges and addresses of services are shown, described, made and deleted', async () => {
    const about = { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'more' } };
    const range = { ...about, spec: { cidrs: ['10.77.0.0/24'] } };
    expect(await kubectl.ok(['apply', '-f', '-'], JSON.stringify(range))).toContain('more created');
    await kubectl.ok(['wait', 'servicecidr/more', '--for=condition=Ready', '--timeout=30s']);
    const columns = /^NAME +CIDRS +AGE\n(.*\n)*more +10\.77\.0\.0\/24 +\d+s$/m;
    expect(await kubectl.ok(['get', 'servicecidr'])).toMatch(columns);
    expect(await kubectl.ok(['describe', 'servicecidr', 'more'])).toMatch(/^CIDRs: +10\.77\.0\.0\/24$/m);
    const other = JSON.stringify({ ...range, spec: { cidrs: ['10.78.0.0/24'] } });
    expect((await kubectl.run(['apply', '-f', '-'], other)).stderr).toContain('field is immutable');
    expect(await kubectl.ok(['delete', 'servicecidr', 'more'])).toContain('"more" deleted');

    await kubectl.ok(['create', 'service', 'clusterip', 'shown', '--tcp=80']);
    const address = await kubectl.ok(['get', 'service', 'shown', '-o', 'jsonpath={.spec.clusterIP}']);
    const row = await waitFor('the address', async () => {
      const { code, stdout } = await kubectl.run(['get', 'ipaddress', address]);
      return code === 0 && stdout;
    });
    expect(row).toMatch(/^NAME +PARENTREF +AGE\n\S+ +services\/default\/shown +\d+s$/m);
    expect(await kubectl.ok(['describe', 'ipaddress', address])).toMatch(/^ +Name: +shown$/m);
    await kubectl.ok(['delete', 'service', 'shown']);
    await kubectl.ok(['wait', `ipaddress/${address}`, '--for=delete', '--timeout=30s']);
  });

  test('a policy refuses what it says', async () => {
    const policy = {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy' },
      metadata: { name: 'few-keys' },
      spec: {
        matchConstraints: {
          resourceRules: [
            {
              ...{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
              operations: ['CREATE', 'UPDATE'],
            },
          ],
        },
        validations: [{ expression: 'size(object.data) < 3', message: 'at most two keys' }],
      },
    };
    const binding = {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding' },
      metadata: { name: 'few-keys' },
      spec: {
        ...{ policyName: 'few-keys', validationActions: ['Deny'] },
        matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
      },
    };
    await apply(policy, binding);
    const literals = ['a', 'b', 'c'].map((key) => `--from-literal=${key}=1`);
    const refused = await waitFor('the policy to count', async () => {
      const { code, stderr } = await kubectl.run(['create', 'configmap', 'full', ...literals]);
      if (code === 0) await kubectl.ok(['delete', 'configmap', 'full']);
      return code !== 0 && stderr;
    });
    expect(refused).toContain("ValidatingAdmissionPolicy 'few-keys' with binding 'few-keys' denied request");
    expect(refused).toContain('at most two keys');
    await kubectl.ok(['delete', 'validatingadmissionpolicy,validatingadmissionpolicybinding', 'few-keys']);
  });
});

describeWithPrograms('Helm', () => {
  test('a chart is installed, upgraded, rolled back and removed', async () => {
    const { helm } = await newestPrograms();
    const chart = join(home.path, 'web');
    const command = (...args: readonly string[]): Promise<string> => run(helm, args, home.path);
    await command('create', 'web');
    expect(await command('install', 'shop', chart)).toMatch(/STATUS: deployed/);
    const deployment = '/apis/apps/v1/namespaces/default/deployments/shop-web';
    const replicasOf = async (): Promise<unknown> => (await replica.admin.ok('GET', deployment))['spec'];
    expect(await replicasOf()).toMatchObject({ replicas: 1 });
    expect(await command('upgrade', 'shop', chart, '--set', 'replicaCount=4')).toMatch(/REVISION: 2/);
    expect(await replicasOf()).toMatchObject({ replicas: 4 });
    await command('rollback', 'shop', '1');
    expect(await replicasOf()).toMatchObject({ replicas: 1 });
    expect(await command('history', 'shop')).toMatch(/3\s.*deployed/);
    await command('uninstall', 'shop');
    expect((await replica.admin.get(deployment)).status).toBe(404);
  }, 120_000);
});

/** Runs with the kubeconfig of the replica. @returns what was printed @throws Error with it unless it ends with 0 */
function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, KUBECONFIG: kubeconfig, PYTHONDONTWRITEBYTECODE: '1' };
  const options = { cwd, env, timeout: limitMs, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      const output = stdout + stderr;
      if (error === null) resolve(output);
      else reject(new Error(`${program} ${args.join(' ')}: ${error.message}\n${output.slice(-10_000)}`));
    });
  });
}
