/** `generateName`: a name that is taken is drawn again, a bounded number of times. */
import { entryObject } from '../../../src/registry/written-entry.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import {
  configMap,
  everything,
  scope,
  startRegistry,
  statusOf,
  verbsOver,
  type TestRegistry,
} from '../../support/registry.ts';

let registry: TestRegistry;
const maps = (options: object = {}): ReturnType<typeof scope> =>
  scope('configmaps', { namespace: 'names', ...options });
const body = { metadata: { generateName: 'gen-' }, data: { k: 'v' } };

/** Draws these names in turn, the last one again and again. */
function drawing(...suffixes: string[]): { verbs: ResourceVerbs; drawn: () => number } {
  let drawn = 0;
  const generateName = (prefix: string): string =>
    `${prefix}${suffixes[Math.min(drawn++, suffixes.length - 1)] ?? ''}`;
  return { verbs: verbsOver(registry.storage, undefined, { generateName }), drawn: () => drawn };
}

beforeAll(async () => {
  registry = await startRegistry();
  await registry.verbs.create(scope('namespaces'), '', { metadata: { name: 'names' } });
  await registry.verbs.create(maps(), '', configMap('gen-taken', { mine: 'yes' }));
});

afterAll(() => registry.close());

test.each([true, false])('two collisions, then a free name (dry run %s)', async (dryRun) => {
  const { verbs, drawn } = drawing('taken', 'taken', 'free');
  const { entry, created } = await verbs.create(maps({ dryRun }), '', body);
  expect([created, drawn()]).toEqual([true, 3]);
  expect(entryObject(entry)).toMatchObject({ metadata: { name: 'gen-free' }, data: { k: 'v' } });
  const { entries } = await registry.verbs.list(maps(), {
    ...everything,
    fieldSelector: 'metadata.name=gen-free',
  });
  expect(entries).toHaveLength(dryRun ? 0 : 1);
});

test('no free name at all: 409 that asks to try again, and the namesake is left alone', async () => {
  const { verbs, drawn } = drawing('taken');
  const status = await statusOf(verbs.create(maps(), '', body));
  expect(status.status).toMatchObject({
    code: 409,
    reason: 'AlreadyExists',
    details: { name: 'gen-taken', retryAfterSeconds: 1 },
  });
  expect(drawn()).toBe(8);
  const taken = await registry.verbs.get(maps(), 'gen-taken', { resourceVersion: '' });
  expect(entryObject(taken)).toMatchObject({ data: { mine: 'yes' } });
});

test('a name that is given is not drawn again', async () => {
  const { verbs, drawn } = drawing('free');
  const both = { metadata: { name: 'gen-taken', generateName: 'gen-' } };
  expect((await statusOf(verbs.create(maps(), '', both))).status.reason).toBe('AlreadyExists');
  expect(drawn()).toBe(0);
});

test('without feature gate RetryGenerateName a name that is taken is an error at once', async () => {
  let drawn = 0;
  const generateName = (prefix: string): string => `${prefix}${drawn++ === 0 ? 'taken' : 'free-too'}`;
  const isOn = (gate: string): boolean => gate !== 'RetryGenerateName';
  const status = await statusOf(verbsOver(registry.storage, isOn, { generateName }).create(maps(), '', body));
  expect([status.status.reason, drawn]).toEqual(['AlreadyExists', 1]);
});

test.each([true, false])(
  'feature gate RemainingItemCount %s: a chunk tells how many follow, or not',
  async (isOn) => {
    for (const name of ['a', 'b', 'c'])
      await registry.verbs.create(scope('namespaces'), '', {
        metadata: { name: `${name}-${String(isOn)}` },
      });
    const verbs = verbsOver(registry.storage, (gate) => isOn || gate !== 'RemainingItemCount');
    const { remainingItemCount } = await verbs.list(scope('namespaces'), { ...everything, limit: 1 });
    expect(remainingItemCount !== undefined).toBe(isOn);
  },
);
