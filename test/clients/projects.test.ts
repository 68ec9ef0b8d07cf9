/**
 * Definitions of known projects, unchanged and as they are published today: each is installed, served and used. Objects
 * are created, changed, refused for the reason that the definition gives, and deleted. Without the go command, which
 * fetches what projects publish, there is nothing to install.
 */
import { join } from 'node:path';

import type { ApiObject } from '../support/client.ts';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../support/replica.ts';
import { waitFor } from '../support/wait-for.ts';
import { definitionsIn } from './support/definitions.ts';
import { findGo, moduleFolders } from './support/go-modules.ts';
import { projects, projectsWithoutRules, type Project } from './support/projects.ts';

const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const releases = [
  { release: '1.36', names: Object.keys(projects) },
  { release: '1.21', names: projectsWithoutRules },
];

const describeWithGo = findGo() === undefined ? describe.skip : describe;
let etcd: EtcdCluster;
let folders: ReadonlyMap<string, string>;

beforeAll(async () => {
  if (findGo() === undefined) return;
  folders = await moduleFolders(Object.values(projects).map(({ module }) => module));
  etcd = await startEtcdCluster({ how: 'process' });
}, 180_000);
afterAll(async () => {
  if (findGo() !== undefined) await etcd.close();
});

describeWithGo.each(releases)('release $release', ({ release, names }) => {
  let replica: Replica;

  beforeAll(async () => {
    const args = [`--emulated-release=${release}`];
    replica = await startReplica({ etcd, naming: 'kubernetes', prefix: `/projects-${release}`, args });
  }, 60_000);
  afterAll(() => replica.close());

  test.each(names)(
    '%s',
    async (name) => {
      const project = projects[name];
      if (!project) throw new Error(`no project ${name}`);
      await install(project);
      await use(project);
    },
    60_000,
  );

  /** Every definition is accepted without a warning, and established. */
  async function install({ module, paths }: Project): Promise<void> {
    const folder = folders.get(module) ?? '';
    const definitions = (await Promise.all(paths.map((path) => definitionsIn(join(folder, path))))).flat();
    expect(definitions.length).toBeGreaterThan(0);
    for (const definition of definitions) {
      const answer = await replica.admin.post(definitionsPath, definition);
      expect(answer.status === 201 ? answer.headers['warning'] : answer.text).toBeUndefined();
    }
    for (const { metadata } of definitions)
      await waitFor(`${metadata.name} is established`, async () =>
        isEstablished(await replica.admin.ok('GET', `${definitionsPath}/${metadata.name}`)),
      );
  }

  async function use({
    resource,
    kind,
    object,
    change,
    refused,
    reason,
    clusterScoped,
  }: Project): Promise<void> {
    const [group = '', version = '', plural = ''] = resource.split('/');
    const collection = `/apis/${group}/${version}/${clusterScoped ? '' : 'namespaces/default/'}${plural}`;
    const one = `${collection}/sample`;
    const names = { apiVersion: `${group}/${version}`, kind, metadata: { name: 'sample' } };
    await waitFor(`${plural} are served`, async () => (await replica.admin.get(collection)).status === 200);
    const created = await replica.admin.ok('POST', `${collection}?fieldValidation=Strict`, {
      ...names,
      ...object,
    });
    const changed = await replica.admin.patch(one, 'merge', change);
    expect({ status: changed.status, text: changed.text }).toMatchObject({ status: 200 });
    expect(changed.json()).toMatchObject(change);
    expect(changed.json().metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
    const wrong = await replica.admin.patch(one, 'merge', refused);
    expect(wrong.status).toBe(422);
    expect(wrong.json()['message']).toMatch(reason);
    expect((await replica.admin.ok('GET', one)).metadata.resourceVersion).toBe(
      changed.json().metadata.resourceVersion,
    );
    await replica.admin.ok('DELETE', one);
    expect((await replica.admin.get(one)).status).toBe(404);
  }
});

function isEstablished({ status }: ApiObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.some((condition) => condition.type === 'Established' && condition.status === 'True');
}
