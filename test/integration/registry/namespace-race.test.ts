/** Creations beside the deletion of their namespace through another replica: nothing stays behind that has no namespace. */
import type { Answer } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openStage, type Stage } from '../../support/read-path.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

const pathOf = (name: string): string => `/api/v1/namespaces/${name}`;

function createIn(name: string, replica = stage.far): Promise<Answer> {
  return replica.admin.post(`${pathOf(name)}/configmaps`, { metadata: { generateName: 'x-' } });
}

async function makeNamespace(name: string): Promise<void> {
  await stage.near.admin.ok('POST', '/api/v1/namespaces', { metadata: { name } });
  await stage.far.admin.ok('GET', pathOf(name));
}

/** What the controller of namespaces does, once and at once. */
async function removeNamespace(name: string): Promise<void> {
  const { admin } = stage.near;
  await admin.ok('DELETE', pathOf(name));
  await admin.ok('DELETE', `${pathOf(name)}/configmaps`);
  const { metadata } = await admin.ok('GET', pathOf(name));
  await admin.ok('PUT', `${pathOf(name)}/finalize`, { metadata, spec: {} });
}

/** Of all namespaces, for nobody can list in one that is gone by its name only. */
async function leftOvers(name: string): Promise<string[]> {
  const { items } = await stage.near.admin.list('/api/v1/configmaps');
  return items.flatMap(({ metadata }) => (metadata.namespace === name ? [metadata.name] : []));
}

test('a replica whose view stands still refuses what belongs into a namespace that is gone', async () => {
  await makeNamespace('still');
  // The watch, and not what comes back for somebody who asks meanwhile: only the watch tells of the namespace's objects.
  const held = stage.proxy.holdNext('toClient', '/configmaps/still/');
  await createIn('still', stage.near);
  await held;
  await removeNamespace('still');
  expect((await stage.near.admin.get(pathOf('still'))).status).toBe(404);
  const seen = await stage.far.admin.ok('GET', `${pathOf('still')}?resourceVersion=0`);
  expect(seen.metadata.deletionTimestamp).toBeUndefined();
  const refused = await createIn('still');
  expect([refused.status, refused.json()['message']]).toEqual([404, 'namespaces "still" not found']);
  expect(await leftOvers('still')).toEqual([]);
  stage.proxy.resume();
});

test('creations through both replicas, one a little behind, until the namespace is gone', async () => {
  stage.proxy.delay(20);
  for (const name of ['race-1', 'race-2', 'race-3']) {
    await makeNamespace(name);
    const codes = new Set<number>();
    const hammer = async (replica: Stage['near']): Promise<void> => {
      for (let code = 0; code !== 404; codes.add(code)) code = (await createIn(name, replica)).status;
    };
    const hammering = Array.from({ length: 8 }, (_none, i) => hammer(i % 2 === 0 ? stage.near : stage.far));
    await waitFor('the first creation', () => codes.has(201));
    await Promise.all([...hammering, removeNamespace(name)]);
    expect([...codes].filter((code) => ![201, 403, 404].includes(code))).toEqual([]);
    expect(await leftOvers(name)).toEqual([]);
  }
  stage.proxy.delay(0);
});
