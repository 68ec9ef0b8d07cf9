/** Custom resources with the kubectl of this machine, unchanged, in each naming profile. */
import type { JsonObject } from '../../src/base/json.ts';
import { definition, widget } from '../support/custom-resources.ts';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { startReplica, type NamingProfile, type Replica } from '../support/replica.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeKubectl, type Kubectl } from './support/kubectl.ts';

const profiles: { naming: NamingProfile; api: string; prefix: string }[] = [
  { naming: 'kubernetes', api: 'k8s.io', prefix: 'x-kubernetes-' },
  { naming: 'orch', api: 'orch.io', prefix: 'x-orch-' },
];

let etcd: EtcdCluster;

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
});
afterAll(() => etcd.close());

describe.each(profiles)('kubectl in the $naming profile', ({ naming, api, prefix }) => {
  let replica: Replica;
  let kubectl: Kubectl;

  beforeAll(async () => {
    replica = await startReplica({ etcd, naming, prefix: `/crd-${naming}` });
    kubectl = await makeKubectl(replica);
    await apply(inWords(definition('widgets', 'Widget')));
    await kubectl.ok(['wait', '--for=condition=Established', 'crd/widgets.example.com', '--timeout=15s']);
  }, 60_000);
  afterAll(async () => {
    await kubectl.close();
    await replica.close();
  });

  /** An object in the words of the profile. */
  function inWords(object: JsonObject): JsonObject {
    const text = JSON.stringify(object)
      .replaceAll('x-orch-', prefix)
      .replaceAll('extensions.orch.io', `extensions.${api}`);
    return JSON.parse(text) as JsonObject;
  }

  function apply(object: JsonObject, ...more: string[]): Promise<string> {
    return kubectl.ok(['apply', '-f', '-', ...more], JSON.stringify(object));
  }

  test('get prints the columns of the definition, also by short name and category', async () => {
    expect(await apply(widget('first', { size: 3, ports: [{ port: 80, name: 'first' }] }))).toContain(
      'created',
    );
    const [head, row] = (await kubectl.ok(['get', 'wix'])).trim().split('\n');
    // Tables are asked for in the words of one profile only.
    expect(head?.split(/\s+/)).toEqual(
      naming === 'kubernetes' ? ['NAME', 'SIZE', 'FIRST', 'AGE'] : ['NAME', 'AGE'],
    );
    expect(row).toMatch(naming === 'kubernetes' ? /^first +3 +80 +\d+s$/ : /^first +\d+s$/);
    expect(await kubectl.ok(['get', 'all', '-o', 'name'])).toContain('widget.example.com/first');
  });

  test('apply changes what changed, by merge patch or by the server', async () => {
    expect(await apply(widget('second', { size: 1, note: 'a' }))).toContain('created');
    expect(await apply(widget('second', { size: 1, note: 'a' }))).toContain('unchanged');
    expect(await apply(widget('second', { size: 2 }))).toContain('configured');
    expect(await kubectl.ok(['get', 'widget', 'second', '-o', 'jsonpath={.spec}'])).toBe(
      '{"color":"grey","size":2}',
    );
    expect(await apply(widget('third', { size: 2 }), '--server-side')).toContain('serverside-applied');
  });

  test('errors are reported, by kubectl itself or by the server', async () => {
    const unknown = await kubectl.run(
      ['create', '-f', '-'],
      JSON.stringify(widget('odd', { size: 1, colour: 'red' })),
    );
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain('colour');
    const wrong = await kubectl.run(
      ['create', '-f', '-', '--validate=false'],
      JSON.stringify(widget('odd', { size: 99 })),
    );
    expect(wrong.stderr).toContain('spec.size in body should be less than or equal to 10');
  });

  test('explain knows the fields', async () => {
    const text = await waitFor('explain knows the resource', () => kubectl.ok(['explain', 'widgets.spec']));
    expect(text).toContain('What is wanted of a widget.');
    expect(text).toMatch(/size\s+<integer>/);
  });

  test('api-resources and scale', async () => {
    expect(await kubectl.ok(['api-resources', '--api-group=example.com'])).toMatch(
      /widgets +wix +example.com\/v1 +true +Widget/,
    );
    await apply(widget('scaled', { size: 1, replicas: 1 }));
    await kubectl.ok(['scale', '--replicas=4', 'widget/scaled']);
    expect(await kubectl.ok(['get', 'widget', 'scaled', '-o', 'jsonpath={.spec.replicas}'])).toBe('4');
  });

  test('deleting the definition takes everything', async () => {
    await kubectl.ok(['delete', 'crd', 'widgets.example.com']);
    const { stderr } = await kubectl.run(['get', 'widgets']);
    expect(stderr).toContain('could not find the requested resource');
  });
});
