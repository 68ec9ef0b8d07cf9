/** The kubectl of this machine, unchanged, against a replica in each naming profile. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { untilPodsMayRun } from '../support/default-account.ts';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { startReplica, type NamingProfile, type Replica } from '../support/replica.ts';
import { waitFor, within } from '../support/wait-for.ts';
import { makeKubectl, type Kubectl } from './support/kubectl.ts';

const profiles: { naming: NamingProfile; suffix: string }[] = [
  { naming: 'kubernetes', suffix: 'k8s.io' },
  { naming: 'orch', suffix: 'orch.io' },
];

const manifest = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'example/one' }] },
};

let etcd: EtcdCluster;

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
});
afterAll(() => etcd.close());

describe.each(profiles)('kubectl in the $naming profile', ({ naming, suffix }) => {
  let replica: Replica;
  let kubectl: Kubectl;
  /** `--validate=false` where the service publishes no OpenAPI document for kubectl's own validation. */
  let unvalidated: string[];
  /** Before 1.24 kubectl could not; newer ones ask in the groups of the Kubernetes names alone. */
  let createsTokens: boolean;

  beforeAll(async () => {
    replica = await startReplica({ etcd, naming, prefix: `/${naming}` });
    await untilPodsMayRun(replica.admin);
    kubectl = await makeKubectl(replica);
    const { status } = await replica.admin.get('/openapi/v2');
    unvalidated = status === 200 ? [] : ['--validate=false'];
    const { clientVersion } = JSON.parse(await kubectl.ok(['version', '-o', 'json'])) as Versions;
    createsTokens = naming === 'kubernetes' && parseInt(clientVersion.minor) >= 24;
    const note = status === 200 ? '' : ', its own validation off: /openapi/v2 is not served';
    process.stderr.write(`kubectl ${clientVersion.gitVersion} in the ${naming} profile${note}\n`);
  });
  afterAll(async () => {
    await kubectl.close();
    await replica.close();
  });

  function create(object: object, namespace = 'default'): Promise<string> {
    return kubectl.ok(['create', '-n', namespace, '-f', '-', ...unvalidated], JSON.stringify(object));
  }

  function podNamed(name: string, labels: Record<string, string> = {}): object {
    return { ...manifest, metadata: { name, labels } };
  }

  async function fieldOf(what: readonly string[], path: string): Promise<string> {
    return kubectl.ok(['get', ...what, '-o', `jsonpath={${path}}`]);
  }

  test('version, api-versions and api-resources show what is served', async () => {
    const { serverVersion } = JSON.parse(await kubectl.ok(['version', '-o', 'json'])) as Versions;
    expect(serverVersion).toMatchObject({ major: '1', minor: '21' });
    const versions = (await kubectl.ok(['api-versions'])).trim().split('\n');
    expect(versions).toEqual(expect.arrayContaining(['v1', 'autoscaling/v1', `storage.${suffix}/v1`]));
    const resources = await kubectl.ok(['api-resources', '-o', 'wide']);
    expect(resources).toMatch(/^configmaps +cm +v1 +true +ConfigMap +.*create.*watch/m);
    expect(resources).toMatch(/^namespaces +ns +v1 +false +Namespace /m);
    const named = await kubectl.ok(['api-resources', '--namespaced=false', '-o', 'name']);
    expect(named.split('\n')).toEqual(expect.arrayContaining(['nodes', `csinodes.storage.${suffix}`]));
  });

  test('create makes namespaces, config maps and secrets by its own sub-commands', async () => {
    const commands = [
      ['create', 'namespace', 'made'],
      ['create', 'configmap', 'settings', '--from-literal=colour=blue', '-n', 'made'],
      ['create', 'secret', 'generic', 'token', '--from-literal=word=tulip', '-n', 'made'],
    ];
    for (const command of commands) await createByCommand(command);
    expect(await fieldOf(['namespace', 'made'], '.status.phase')).toBe('Active');
    expect(await fieldOf(['configmap', 'settings', '-n', 'made'], '.data.colour')).toBe('blue');
    expect(await fieldOf(['secret', 'token', '-n', 'made'], '.data.word')).toBe(btoa('tulip'));
    const again = await kubectl.run(
      ['create', '-f', '-'],
      await kubectl.ok(['get', 'ns', 'made', '-o', 'json']),
    );
    expect(again.code).not.toBe(0);
  });

  /** Newer kubectl sends these as Protobuf, whose media type carries the Kubernetes name whatever the profile. */
  async function createByCommand(command: readonly string[]): Promise<void> {
    if (naming === 'kubernetes') {
      await kubectl.ok(command);
      return;
    }
    const object = await kubectl.ok([...command, '--dry-run=client', '-o', 'json']);
    await kubectl.ok(['create', '-f', '-', ...unvalidated], object);
  }

  test('create -f, get in every output, describe and delete a pod', async () => {
    expect(await create(manifest)).toBe('pod/web created\n');
    expect(await kubectl.ok(['get', 'pods'])).toMatch(/^web +/m);
    expect(await kubectl.ok(['get', 'pod', 'web', '-o', 'wide'])).toMatch(/^web +/m);
    expect(await kubectl.ok(['get', 'po/web', '-o', 'name'])).toBe('pod/web\n');
    expect(await kubectl.ok(['get', 'pod', 'web', '-o', 'yaml'])).toContain('image: example/one');
    expect(await fieldOf(['pod', 'web'], '.spec.containers[0].image')).toBe('example/one');
    const described = await kubectl.ok(['describe', 'pod', 'web']);
    expect(described).toMatch(/^Name: +web$/m);
    expect(described).toMatch(/^Labels: +app=web$/m);
    expect(await kubectl.ok(['delete', 'pod', 'web', '--timeout=20s'])).toContain('pod "web"');
    const gone = await kubectl.run(['get', 'pod', 'web']);
    expect(gone).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pods "web" not found') as string,
    });
  });

  test('describe knows namespaces, config maps, secrets and services', async () => {
    await create({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'd' }, data: { key: 'value' } });
    await create({ kind: 'Secret', apiVersion: 'v1', metadata: { name: 'd' }, data: { key: btoa('xyz') } });
    const service = {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'd' },
      spec: { ports: [{ port: 80 }] },
    };
    await create(service);
    expect(await kubectl.ok(['describe', 'namespace', 'default'])).toMatch(/^Status: +Active$/m);
    expect(await kubectl.ok(['describe', 'configmap', 'd'])).toMatch(/^key:\n----\nvalue$/m);
    expect(await kubectl.ok(['describe', 'secret', 'd'])).toMatch(/^key: +3 bytes$/m);
    expect(await kubectl.ok(['describe', 'service', 'd'])).toMatch(/^Port: +<unset> +80\/TCP$/m);
  });

  test('apply creates, changes and leaves alone', async () => {
    const file = join(kubectl.folder, 'apply.json');
    const apply = async (data: Record<string, string>): Promise<string> => {
      await writeFile(
        file,
        JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data }),
      );
      return kubectl.ok(['apply', '-f', file, ...unvalidated]);
    };
    expect(await apply({ a: '1', b: '1' })).toBe('configmap/applied created\n');
    await kubectl.ok(['patch', 'configmap', 'applied', '--type=merge', '-p', '{"data":{"other":"x"}}']);
    expect(await apply({ a: '2' })).toBe('configmap/applied configured\n');
    expect(await apply({ a: '2' })).toBe('configmap/applied unchanged\n');
    const data = JSON.parse(await fieldOf(['configmap', 'applied'], '.data')) as unknown;
    expect(data).toEqual({ a: '2', other: 'x' });
    expect(await kubectl.ok(['delete', '-f', file])).toContain('deleted');
  });

  test('apply merges the containers of a pod by name', async () => {
    const containers = [{ name: 'main', image: 'example/one' }];
    const apply = (image: string): Promise<string> => {
      const pod = {
        ...manifest,
        metadata: { name: 'merged' },
        spec: { containers: [{ ...containers[0], image }] },
      };
      return kubectl.ok(['apply', '-f', '-', ...unvalidated], JSON.stringify(pod));
    };
    expect(await apply('example/one')).toBe('pod/merged created\n');
    expect(await apply('example/two')).toBe('pod/merged configured\n');
    expect(await fieldOf(['pod', 'merged'], '.spec.containers[*].image')).toBe('example/two');
  });

  test('patch in its three kinds, label, annotate and edit', async () => {
    await create(podNamed('changed', { keep: 'yes' }));
    const patch = (kind: string, body: unknown): Promise<string> =>
      kubectl.ok(['patch', 'pod', 'changed', `--type=${kind}`, '-p', JSON.stringify(body)]);
    await patch('json', [{ op: 'add', path: '/metadata/labels/json', value: '1' }]);
    await patch('merge', { metadata: { labels: { merge: '1' } } });
    await patch('strategic', { spec: { containers: [{ name: 'main', image: 'example/two' }] } });
    await kubectl.ok(['label', 'pod', 'changed', 'labelled=1']);
    await kubectl.ok(['annotate', 'pod', 'changed', 'note=first']);
    await kubectl.ok(['annotate', 'pod', 'changed', 'note=second', '--overwrite']);
    await kubectl.ok(['label', 'pod', 'changed', 'keep-']);
    const pod = JSON.parse(await kubectl.ok(['get', 'pod', 'changed', '-o', 'json'])) as typeof manifest;
    expect(pod.metadata.labels).toEqual({ json: '1', merge: '1', labelled: '1' });
    expect(pod.metadata).toMatchObject({ annotations: { note: 'second' } });
    expect(pod.spec.containers).toMatchObject([{ name: 'main', image: 'example/two' }]);
    await kubectl.ok(['edit', 'pod', 'changed', ...unvalidated], '', {
      KUBE_EDITOR: 'sed -i s,example/two,example/three,',
    });
    expect(await fieldOf(['pod', 'changed'], '.spec.containers[0].image')).toBe('example/three');
  });

  test('selectors, field selectors and all namespaces choose', async () => {
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'far' } });
    await untilPodsMayRun(replica.admin, 'far');
    await create(podNamed('left', { side: 'left' }), 'far');
    await create(podNamed('right', { side: 'right' }));
    const names = async (...flags: string[]): Promise<string[]> =>
      (await kubectl.ok(['get', 'pods', '-o', 'name', ...flags])).trim().split('\n');
    expect(await names('-A', '-l', 'side in (left,right)')).toEqual(['pod/right', 'pod/left']);
    expect(await names('--all-namespaces', '-l', 'side=left')).toEqual(['pod/left']);
    expect(await names('-l', 'side,side!=left')).toEqual(['pod/right']);
    expect(await names('-A', '--field-selector', 'metadata.name=left')).toEqual(['pod/left']);
    expect(await names('-A', '--field-selector', 'metadata.namespace=far')).toEqual(['pod/left']);
    expect(await kubectl.ok(['get', 'pods', '-A', '--field-selector', 'metadata.name=left'])).toMatch(
      /^far +left /m,
    );
    expect(await kubectl.ok(['delete', 'pods', '-l', 'side=right', '--timeout=20s'])).toContain('"right"');
  });

  test('get -w shows changes as they happen', async () => {
    const watch = await kubectl.start([
      'get',
      'configmaps',
      '-w',
      '-o',
      'jsonpath={.metadata.name}={.data.n}{"\\n"}',
    ]);
    try {
      await create({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'seen' }, data: { n: '1' } });
      await waitFor('the creation', () => watch.output().includes('seen=1'), {
        details: () => watch.output(),
      });
      await kubectl.ok(['patch', 'configmap', 'seen', '--type=merge', '-p', '{"data":{"n":"2"}}']);
      await waitFor('the change', () => watch.output().includes('seen=2'), { details: () => watch.output() });
    } finally {
      await watch.stop();
    }
  });

  test('get -w prints one table that grows', async () => {
    const watch = await kubectl.start(['get', 'configmaps', '-l', 'table=grows', '-w']);
    const rows = (): string[] => watch.output().match(/^rows .*$/gm) ?? [];
    try {
      const metadata = { name: 'rows', labels: { table: 'grows' } };
      await create({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { n: '1' } });
      await waitFor('the creation', () => rows().length === 1, { details: () => watch.output() });
      await kubectl.ok(['patch', 'configmap', 'rows', '--type=merge', '-p', '{"data":{"m":"2"}}']);
      await waitFor('the change', () => rows().length === 2, { details: () => watch.output() });
      expect(watch.output().match(/^NAME .*$/gm)).toHaveLength(1);
      if (naming === 'kubernetes')
        expect(rows()).toEqual(expect.arrayContaining([expect.stringMatching(/^rows +2 /)]));
    } finally {
      await watch.stop();
    }
  });

  test('wait ends with a condition and with a deletion', async () => {
    await create(podNamed('awaited'));
    const ready = kubectl.run(['wait', '--for=condition=Ready', 'pod/awaited', '--timeout=20s']);
    const path = '/api/v1/namespaces/default/pods/awaited';
    const conditions = [{ type: 'Ready', status: 'True' }];
    const patched = await replica.admin.patch(`${path}/status`, 'merge', { status: { conditions } });
    expect(patched.status).toBe(200);
    expect(await ready).toMatchObject({ code: 0, stdout: 'pod/awaited condition met\n' });
    const gone = await kubectl.start(['wait', '--for=delete', 'pod/awaited', '--timeout=20s', '-v=6']);
    await waitFor('its watch', () => gone.output().includes('watch=true'), { details: () => gone.output() });
    await kubectl.ok(['delete', 'pod', 'awaited', '--wait=false', '--now']);
    await replica.admin.delete(`${path}?gracePeriodSeconds=0`);
    expect(await within('kubectl wait', 20_000, gone.exited)).toMatchObject({ code: 0 });
    const late = await kubectl.run(['wait', '--for=condition=Ready', 'node/none', '--timeout=1s']);
    expect(late.code).toBe(1);
  });

  async function tokenOf(account: string): Promise<string> {
    if (createsTokens) return (await kubectl.ok(['create', 'token', account])).trim();
    const path = `/api/v1/namespaces/default/serviceaccounts/${account}/token`;
    const made = await replica.admin.ok('POST', path, {});
    return (made as unknown as { status: { token: string } }).status.token;
  }

  test('an account with a token of its own does what its role allows, and no more', async () => {
    await create({ kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'robot' } });
    const group = `rbac.authorization.${suffix}`;
    await create({
      kind: 'RoleBinding',
      apiVersion: `${group}/v1`,
      metadata: { name: 'robot' },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
    });
    const token = await tokenOf('robot');
    await using robot = await makeKubectl(replica, token);
    await waitFor('the binding to count', async () => (await robot.run(['get', 'pods'])).code === 0);
    expect((await robot.run(['get', 'secrets'])).stderr).toContain(
      'User "system:serviceaccount:default:robot" cannot list resource "secrets"',
    );
    if (naming === 'kubernetes') {
      expect(await robot.ok(['auth', 'can-i', 'list', 'pods'])).toBe('yes\n');
      expect((await robot.run(['auth', 'can-i', 'create', 'pods'])).stdout).toBe('no\n');
    }
    const discovery = await robot.ok(['get', '--raw', '/.well-known/openid-configuration']);
    expect(JSON.parse(discovery)).toHaveProperty('jwks_uri');
    await kubectl.ok(['delete', 'serviceaccount', 'robot']);
    const refused = await waitFor('the token to be void', async () => {
      const { stderr } = await robot.run(['get', 'pods']);
      return /Unauthorized|logged in/.test(stderr) && stderr;
    });
    expect(refused).not.toContain(token);
  });

  test('errors reach the user as the messages that kubectl knows', async () => {
    const bad = { ...manifest, metadata: { name: 'Not_A_Name' }, spec: { containers: [] } };
    const invalid = await kubectl.run(['create', '-f', '-', '--validate=false'], JSON.stringify(bad));
    expect(invalid.code).toBe(1);
    expect(invalid.stderr).toContain('The Pod "Not_A_Name" is invalid');
    expect(invalid.stderr).toContain('metadata.name: Invalid value');
    expect(invalid.stderr).toContain('spec.containers: Required value');
    const unknown = await kubectl.run(['get', 'nonsense']);
    expect(unknown.stderr).toContain('the server doesn\'t have a resource type "nonsense"');
    const nowhere = await kubectl.run(
      ['create', '-n', 'nowhere', '-f', '-', ...unvalidated],
      JSON.stringify(manifest),
    );
    expect(nowhere.stderr).toContain('namespaces "nowhere" not found');
  });
});

interface Versions {
  readonly clientVersion: { readonly gitVersion: string; readonly minor: string };
  readonly serverVersion: { readonly major: string; readonly minor: string };
}
