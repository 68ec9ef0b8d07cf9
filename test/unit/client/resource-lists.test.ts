/** Discovery by controllers where thousands of group versions are registered. */
import { listResources } from '../../../src/client/resource-lists.ts';
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

test('those that fail at once do not hold the thread together', async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await listResources(versions, () => {
    const until = threadCpuMs() + 0.2;
    while (threadCpuMs() < until);
    return Promise.reject(new Error('not available'));
  });
  isOver = true;
  expect(turns).toBeGreaterThan(10);
});
