/** What an evicted pod says while it ends. */
import { startControlPlane, type ApiObject, type ControlPlane } from '../../../src/testing/index.ts';

const pods = '/api/v1/namespaces/default/pods';

interface Condition {
  readonly type: string;
  readonly status: string;
}

/** A pod at a node, where it ends in its own time. */
async function podOf(plane: ControlPlane, annotations: object = {}): Promise<ApiObject> {
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  const body = { metadata: { name: 'web', annotations }, spec };
  return (await plane.admin.request({ method: 'POST', path: pods, body })) as ApiObject;
}

const evict = (plane: ControlPlane, deleteOptions: object = {}, query = ''): Promise<unknown> =>
  plane.admin.request({
    method: 'POST',
    path: `${pods}/web/eviction${query}`,
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' }, deleteOptions },
  });

async function read(plane: ControlPlane): Promise<ApiObject & { status: { conditions?: Condition[] } }> {
  return (await plane.admin.request({ method: 'GET', path: `${pods}/web` })) as never;
}

test.each([
  ['1.25', false],
  ['1.26', true],
  ['1.36', true],
])('of release %s: has a condition: %p', async (release, isThere) => {
  await using plane = await startControlPlane({ release });
  await podOf(plane);
  await evict(plane, {}, '?dryRun=All');
  expect((await read(plane)).status.conditions ?? []).toEqual([]);
  await evict(plane);
  const { metadata, status } = await read(plane);
  expect(metadata.deletionTimestamp).toBeDefined();
  const condition = {
    ...{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' },
    ...{ message: 'Eviction API: evicting', lastTransitionTime: expect.any(String) as string },
  };
  expect(status.conditions ?? []).toMatchObject(isThere ? [condition] : []);
});

test('preconditions hold for the condition as for the deletion', async () => {
  await using plane = await startControlPlane({ release: '1.36' });
  const { metadata } = await podOf(plane, { long: 'x'.repeat(100_000) });
  const { uid, resourceVersion } = metadata;
  for (const preconditions of [{ uid: 'other' }, { resourceVersion: '1' }, { uid, resourceVersion: '1' }]) {
    await expect(evict(plane, { preconditions })).rejects.toMatchObject({ status: { code: 409 } });
    expect((await read(plane)).metadata.resourceVersion).toBe(resourceVersion);
  }
  await evict(plane, { preconditions: { uid, resourceVersion } });
  const { metadata: ending, status } = await read(plane);
  expect(ending.deletionTimestamp).toBeDefined();
  expect(status.conditions).toMatchObject([{ type: 'DisruptionTarget' }]);
});
