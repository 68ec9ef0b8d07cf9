/** Discovery by controllers where thousands of group versions are registered. */
import { completeResources, listResources } from '../../../src/client/resource-lists.ts';
import type { ResourceRef } from '../../../src/controllers/types.ts';
import { threadCpuMs } from '../../support/cpu-time.ts';

const versions = Array.from({ length: 1_000 }, (_, i) => ({
  group: `g${String(i)}.example.com`,
  version: 'v1',
}));

test('they are asked for a hundred at a time, and listed in their order', async () => {
  let open = 0;
  let most = 0;
  const { resources, failures } = await listResources(versions, async ({ group, version }) => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    if (group === 'g500.example.com') throw new Error('down');
    return { groupVersion: `${group}/${version}`, resources: [{ name: 'things', kind: 'Thing', verbs: [] }] };
  });
  expect(most).toBe(100);
  expect(failures.size).toBe(1);
  expect(resources.map(({ group }) => group)).toEqual(
    versions.map(({ group }) => group).filter((group) => !failures.has(`${group}/v1`)),
  );
});

/** How many turns of the event loop there were during some work. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

test('those that fail at once do not hold the thread together', async () => {
  const work = (): Promise<unknown> =>
    listResources(versions, () => {
      const until = threadCpuMs() + 0.2;
      while (threadCpuMs() < until);
      return Promise.reject(new Error('not available'));
    });
  expect(await turnsOf(work)).toBeGreaterThan(10);
});

test('hundreds of thousands of resources of other servers do not hold the thread', async () => {
  const resources = versions.flatMap((version) =>
    Array.from({ length: 200 }, (_, i) => ({
      ...version,
      ...{ resource: `things${String(i)}`, kind: 'Thing', namespaced: true, verbs: [] },
    })),
  );
  const listed = { resources: [...resources, ...resources.slice(0, 1_000)], failures: new Map() };
  let found: readonly ResourceRef[] = [];
  const work = async (): Promise<void> => {
    found = await completeResources(listed);
  };
  expect(await turnsOf(work)).toBeGreaterThan(5);
  const wrong = found.findIndex((resource, place) => resource !== listed.resources[place]);
  expect({ wrong, length: found.length }).toEqual({ wrong: -1, length: resources.length });
});
