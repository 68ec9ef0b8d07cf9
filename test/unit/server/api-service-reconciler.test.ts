/** Thousands of APIServices: compared with what there should be in slices. */
import type { JsonObject } from '../../../src/base/json.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { silentLogger } from '../../../src/observe/log.ts';
import type { ResourceVerbs, ServedResource } from '../../../src/registry/types.ts';
import { ApiServiceReconciler } from '../../../src/server/api-services/api-service-reconciler.ts';
import { DamagedObjects } from '../../../src/server/damaged-objects.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { cpuBudget } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';

const naming = namingProfiles.orch;
const label = 'kube-aggregator.orch.io/automanaged';

function specOf(n: number, priority = 1_000): JsonObject {
  const about = { group: `g${String(n)}.example.com`, version: 'v1' };
  return {
    ...about,
    groupPriorityMinimum: priority,
    versionPriority: 100,
    notes: Array(50).fill('some text'),
  };
}

const nameOf = (n: number): string => `v1.g${String(n)}.example.com`;

function entry(n: number, labels: JsonObject, priority?: number): Entry {
  const object = { metadata: { name: nameOf(n), uid: String(n), labels }, spec: specOf(n, priority) };
  const bytes = encodeStored(object);
  return { collection: 'apiservices', key: nameOf(n), modRevision: n + 1, bytes, memo: undefined };
}

/** A reconciler of 3,000 that are as they should be, and of these. */
function reconcilerOf(others: readonly Entry[], fails = false) {
  const written: string[] = [];
  const write = (what: string): Promise<void> => {
    written.push(what);
    return fails ? Promise.reject(new StatusError(500, 'InternalError', 'no etcd')) : Promise.resolve();
  };
  const entries = [...Array.from({ length: 3_000 }, (_, n) => entry(n, { [label]: 'true' })), ...others];
  const verbs = {
    create: (_scope: unknown, _name: string, { metadata }: { metadata: { name: string } }) =>
      write(`create ${metadata.name}`),
    replace: (_scope: unknown, name: string) => write(`replace ${name}`),
    delete: (_scope: unknown, name: string) => write(`delete ${name}`),
  } as unknown as ResourceVerbs;
  const reconciler = new ApiServiceReconciler({
    ...{ naming, resource: {} as ServedResource, verbs, entries: () => entries },
    damaged: new DamagedObjects(silentLogger),
  });
  const desired = Array.from({ length: 3_002 }, (_, n) => ({
    ...{ name: nameOf(n), automanaged: 'true' as const, spec: specOf(n) },
  }));
  const reconcile = (): Promise<void> =>
    reconciler.reconcile(desired, 'change', new AbortController().signal);
  return { reconcile, written };
}

test('3,000 are compared in short turns; what differs is written', async () => {
  const others = [entry(3_000, { [label]: 'true' }, 7), entry(4_000, { [label]: 'true' }), entry(4_001, {})];
  const { reconcile, written } = reconcilerOf(others);
  const turns = await turnsOf(reconcile);
  expect(written).toEqual([`replace ${nameOf(3_000)}`, `create ${nameOf(3_001)}`, `delete ${nameOf(4_000)}`]);
  expect(turns.length).toBeGreaterThan(3);
  // One may have a garbage collection in it; in one step they take 40 ms and more.
  expect(turns[1]).toBeLessThan(cpuBudget(20));
});

test('a write that fails early is told at the end', async () => {
  const { reconcile, written } = reconcilerOf([entry(3_000, { [label]: 'true' }, 7)], true);
  await expect(reconcile()).rejects.toThrow('no etcd');
  expect(written).toEqual([`replace ${nameOf(3_000)}`, `create ${nameOf(3_001)}`]);
});
