/** What kubectl does with the OpenAPI documents: explain, and the checks of manifests before they are sent. */
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { startReplica, type NamingProfile, type Replica } from '../support/replica.ts';
import { makeKubectl, type Kubectl } from './support/kubectl.ts';

const profiles: { naming: NamingProfile; domain: string }[] = [
  { naming: 'kubernetes', domain: 'k8s' },
  { naming: 'orch', domain: 'orch' },
];

const manifest = `
apiVersion: v1
kind: Service
metadata: { name: web }
spec:
  selector: { app: web }
  ports: [{ port: 80, targetPort: http }]
---
apiVersion: v1
kind: LimitRange
metadata: { name: small }
spec: { limits: [{ type: Container, max: { cpu: 1, memory: 1Gi } }] }
`;

let etcd: EtcdCluster;

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
});
afterAll(() => etcd.close());

describe.each(profiles)('kubectl and OpenAPI in the $naming profile', ({ naming, domain }) => {
  let replica: Replica;
  let kubectl: Kubectl;

  beforeAll(async () => {
    replica = await startReplica({ etcd, naming, prefix: `/openapi-${naming}` });
    kubectl = await makeKubectl(replica);
  });
  afterAll(async () => {
    await kubectl.close();
    await replica.close();
  });

  test('explain shows types, fields and their documentation', async () => {
    const spec = await kubectl.ok(['explain', 'pods.spec']);
    expect(spec).toMatch(/KIND: +Pod/);
    expect(spec).toMatch(/containers\t<\[\](Object|Container)> -?required/);
    expect(spec).toContain('What a pod runs, and how and where.');
    const field = await kubectl.ok(['explain', 'services.spec.ports.targetPort']);
    expect(field).toContain('Port of the pods, by number or name.');
    const whole = await kubectl.ok(['explain', 'storageclasses', '--recursive']);
    expect(whole).toMatch(/VERSION: +(storage\.\S+\/)?v1/);
    expect(whole).toContain('allowVolumeExpansion\t<boolean>');
  });

  test('create and apply with their checks on', async () => {
    expect(await kubectl.ok(['create', '-f', '-', '--save-config'], manifest)).toContain('web created');
    const changed = manifest.replace('port: 80', 'port: 81');
    expect(await kubectl.ok(['apply', '-f', '-'], changed)).toContain('service/web configured');
    expect(await kubectl.ok(['apply', '-f', '-'], changed)).toContain('service/web unchanged');
    expect(await kubectl.ok(['get', 'service', 'web', '-o', 'jsonpath={.spec.ports[*].port}'])).toBe('81');
  });

  test('a misspelt field is refused: by older versions before it is sent, by newer ones through the server', async () => {
    const wrong = manifest.replace('selector:', 'selectors:').replace('name: web', 'name: misspelt');
    const { code, stderr } = await kubectl.run(['create', '-f', '-'], wrong);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(
        `unknown field "spec\\.selectors"|unknown field "selectors" in io\\.${domain}\\.api\\.core\\.v1\\.ServiceSpec`,
      ),
    );
    expect((await kubectl.run(['get', 'service', 'misspelt'])).code).toBe(1);
  });

  test('a dry run of the server is known to be possible', async () => {
    const made = manifest.replaceAll('name: web', 'name: never').replaceAll('name: small', 'name: none');
    expect(await kubectl.ok(['apply', '-f', '-', '--dry-run=server'], made)).toContain('(server dry run)');
    expect((await kubectl.run(['get', 'service', 'never'])).code).toBe(1);
  });

  test('typed commands, which newer versions send in Protobuf', async () => {
    await kubectl.ok(['create', 'configmap', 'settings', '--from-literal=colour=blue']);
    const colour = ['get', 'configmap', 'settings', '-o', 'jsonpath={.data.colour}'];
    expect(await kubectl.ok(colour)).toBe('blue');
  });
});
