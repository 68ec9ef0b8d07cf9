/** Deletion, state by state (specification, "Deletion of any object"), on objects with and without graceful deletion. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { ObjectMeta } from '../../../src/meta/object.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import type { DeleteElsewhere, DeleteOptions, ResourceVerbs } from '../../../src/registry/types.ts';
import { createAdmissionChain, type AdmissionPlugin } from '../../../src/admission/admission-chain.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  everything,
  plainDelete,
  scope,
  startRegistry,
  statusOf,
  type TestRegistry,
  verbsOver,
} from '../../support/registry.ts';

let registry: TestRegistry;
let verbs: ResourceVerbs;
let count = 0;

beforeAll(async () => {
  registry = await startRegistry('own');
  verbs = registry.verbs;
  await verbs.create(scope('namespaces'), '', { metadata: { name: 'del' } });
});

afterAll(() => registry.close());

const maps = (options: object = {}): ReturnType<typeof scope> =>
  scope('configmaps', { namespace: 'del', ...options });
const podScope = (options: object = {}): ReturnType<typeof scope> =>
  scope('pods', { namespace: 'del', ...options });

interface Kind {
  readonly scope: (options?: object) => ReturnType<typeof scope>;
  readonly body: JsonObject;
}

const map: Kind = { scope: maps, body: {} };
const runningPod: Kind = {
  scope: podScope,
  body: {
    spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'n1', terminationGracePeriodSeconds: 40 },
  },
};
const waitingPod: Kind = { scope: podScope, body: { spec: { containers: [{ name: 'c', image: 'i' }] } } };

interface Seen {
  readonly state: 'removed' | 'terminating' | 'active';
  readonly grace?: number;
  readonly finalizers?: readonly string[];
}

/** A step: a deletion with these options, or an update of the finalizers. */
type Step = Partial<DeleteOptions> | readonly string[];

interface Row {
  readonly name: string;
  readonly kind: Kind;
  readonly finalizers?: readonly string[];
  /** Each step with what is there after it. */
  readonly steps: readonly (readonly [Step, Seen])[];
}

const x = 'example.com/x';
const y = 'example.com/y';
const removed: Seen = { state: 'removed' };
const terminating = (grace: number, ...finalizers: string[]): Seen => ({
  state: 'terminating',
  grace,
  finalizers,
});

const rows: readonly Row[] = [
  { name: 'active, no finalizers → removed', kind: map, steps: [[{}, removed]] },
  {
    ...{ name: 'active, finalizers → terminating → one gone, still there → last gone, removed', kind: map },
    finalizers: [x, y],
    steps: [
      [{}, terminating(0, x, y)],
      [[y], terminating(0, y)],
      [[], removed],
    ],
  },
  {
    ...{
      name: 'finalizers are kept exactly, in the order that they are given',
      kind: map,
      finalizers: [y, x],
    },
    steps: [
      [{}, terminating(0, y, x)],
      [[x, y], terminating(0, x, y)],
      [[], removed],
    ],
  },
  {
    ...{ name: 'terminating, deleted again → as it was', kind: map, finalizers: [x] },
    steps: [
      [{}, terminating(0, x)],
      [{}, terminating(0, x)],
      [{ gracePeriodSeconds: 0 }, terminating(0, x)],
    ],
  },
  {
    ...{ name: 'active, finalizers taken away before → removed at once', kind: map, finalizers: [x] },
    steps: [
      [[], { state: 'active', finalizers: [] }],
      [{}, removed],
    ],
  },
  {
    ...{ name: 'foreground → the collector holds it', kind: map },
    steps: [
      [{ propagationPolicy: 'Foreground' }, terminating(0, 'foregroundDeletion')],
      [[], removed],
    ],
  },
  {
    ...{ name: 'orphan → the collector holds it, after what was there', kind: map, finalizers: [x] },
    steps: [
      [{ propagationPolicy: 'Orphan' }, terminating(0, x, 'orphan')],
      [[x], terminating(0, x)],
      [[], removed],
    ],
  },
  {
    ...{
      name: 'foreground, then orphan, then background → the last wish counts',
      kind: map,
      finalizers: [x],
    },
    steps: [
      [{ propagationPolicy: 'Foreground' }, terminating(0, x, 'foregroundDeletion')],
      [{ orphanDependents: true }, terminating(0, x, 'orphan')],
      [{ propagationPolicy: 'Background' }, terminating(0, x)],
    ],
  },
  {
    ...{ name: 'foreground, then background without other finalizers → removed', kind: map },
    steps: [
      [{ propagationPolicy: 'Foreground' }, terminating(0, 'foregroundDeletion')],
      [{ propagationPolicy: 'Background' }, removed],
    ],
  },
  { name: 'a pod that runs nowhere → removed', kind: waitingPod, steps: [[{}, removed]] },
  {
    ...{
      name: 'a running pod → its own grace period → shorter → longer is not heard → 0 removes',
      kind: runningPod,
    },
    steps: [
      [{}, terminating(40)],
      [{ gracePeriodSeconds: 5 }, terminating(5)],
      [{ gracePeriodSeconds: 60 }, terminating(5)],
      [{}, terminating(5)],
      [{ gracePeriodSeconds: 0 }, removed],
    ],
  },
  {
    ...{ name: 'a running pod, negative grace period → the shortest', kind: runningPod },
    steps: [[{ gracePeriodSeconds: -3 }, terminating(1)]],
  },
  {
    ...{ name: 'a running pod, a grace period without end → the longest', kind: runningPod },
    steps: [[{ gracePeriodSeconds: Number.MAX_SAFE_INTEGER }, terminating(2 ** 31 - 1)]],
  },
  {
    name: 'a running pod, grace period 0 → removed',
    kind: runningPod,
    steps: [[{ gracePeriodSeconds: 0 }, removed]],
  },
  {
    ...{ name: 'a running pod with finalizers, 0 → waits for them', kind: runningPod, finalizers: [x] },
    steps: [
      [{}, terminating(40, x)],
      [{ gracePeriodSeconds: 0 }, terminating(0, x)],
      [[], removed],
    ],
  },
  {
    ...{ name: 'a running pod whose finalizers go first → waits for its grace period', kind: runningPod },
    finalizers: [x],
    steps: [
      [{}, terminating(40, x)],
      [[], terminating(40)],
      [{ gracePeriodSeconds: 0 }, removed],
    ],
  },
];

async function metadataOf(kind: Kind, name: string): Promise<ObjectMeta | undefined> {
  try {
    return entryObject(await verbs.get(kind.scope(), name, { resourceVersion: '' })).metadata;
  } catch {
    return undefined;
  }
}

async function take(kind: Kind, name: string, step: Step): Promise<void> {
  if (!Array.isArray(step)) {
    await verbs.delete(kind.scope(), name, { ...plainDelete, ...(step as Partial<DeleteOptions>) });
    return;
  }
  await verbs.patch(kind.scope(), name, (c) => ({
    ...c,
    metadata: { ...(c['metadata'] as JsonObject), finalizers: [...(step as string[])] },
  }));
}

function seen(metadata: ObjectMeta | undefined): Seen {
  if (!metadata) return removed;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  const finalizers = metadata.finalizers ?? [];
  if (deletionTimestamp == null) return { state: 'active', finalizers };
  return { state: 'terminating', grace: deletionGracePeriodSeconds ?? -1, finalizers };
}

test.each(rows)('$name', async ({ kind, finalizers = [], steps }) => {
  const name = `o${String(++count)}`;
  await verbs.create(kind.scope(), '', { ...kind.body, metadata: { name, finalizers: [...finalizers] } });
  for (const [step, want] of steps) {
    await take(kind, name, step);
    expect(seen(await metadataOf(kind, name))).toEqual(want);
  }
});

test('the first request sets the time and moves the generation, later ones neither', async () => {
  const namespaced = scope('deployments', { group: 'apps', namespace: 'del' });
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  await verbs.create(namespaced, '', { metadata: { name: 'gen', finalizers: [x] }, spec });
  const first = entryObject((await verbs.delete(namespaced, 'gen', plainDelete)).entry).metadata;
  expect(first.generation).toBe(2);
  const second = await verbs.delete(namespaced, 'gen', plainDelete);
  expect(entryObject(second.entry).metadata).toEqual(first);
});

test('a shorter grace period counts from the first request', async () => {
  await verbs.create(podScope(), '', { ...runningPod.body, metadata: { name: 'short' } });
  const long = entryObject((await verbs.delete(podScope(), 'short', plainDelete)).entry).metadata;
  const options = { ...plainDelete, gracePeriodSeconds: 10 };
  const short = entryObject((await verbs.delete(podScope(), 'short', options)).entry).metadata;
  const seconds = (time: string | null | undefined): number => Date.parse(time ?? '') / 1000;
  expect(seconds(long.deletionTimestamp) - seconds(short.deletionTimestamp)).toBe(30);
});

test('a terminating object takes no new finalizers and keeps its deletion time', async () => {
  await verbs.create(maps(), '', { metadata: { name: 'late', finalizers: [x] } });
  await verbs.delete(maps(), 'late', plainDelete);
  const change = (metadata: JsonObject) => (c: JsonObject) => ({
    ...c,
    metadata: { ...(c['metadata'] as JsonObject), ...metadata },
  });
  const refused = await statusOf(verbs.patch(maps(), 'late', change({ finalizers: [x, y] })));
  expect([refused.code, refused.message]).toEqual([422, expect.stringContaining('metadata.finalizers')]);
  const { entry } = await verbs.patch(
    maps(),
    'late',
    change({ deletionTimestamp: null, labels: { a: 'b' } }),
  );
  expect(entryObject(entry).metadata).toMatchObject({
    labels: { a: 'b' },
    deletionTimestamp: expect.any(String) as string,
  });
});

describe('a collection', () => {
  const label = (i: number): JsonObject => ({ run: 'collection', parity: i % 2 === 0 ? 'even' : 'odd' });

  beforeEach(async () => {
    for (let i = 0; i < 10; i++)
      await verbs.create(maps(), '', { metadata: { name: `c${String(i)}`, labels: label(i) } });
  });
  afterEach(() =>
    verbs.deleteCollection(maps(), { ...everything, labelSelector: 'run=collection' }, plainDelete),
  );

  const names = async (): Promise<string[]> => {
    const list = await verbs.list(maps(), { ...everything, labelSelector: 'run=collection' });
    return Array.from(list.entries, ({ key }) => key.slice(key.indexOf('/') + 1));
  };

  test('by label and field', async () => {
    const list = { ...everything, labelSelector: 'parity=even', fieldSelector: 'metadata.name!=c4' };
    const gone = await verbs.deleteCollection(maps(), list, plainDelete);
    expect(gone.entries).toHaveLength(4);
    expect(gone.continue).toBe('');
    expect(await names()).toEqual(['c1', 'c3', 'c4', 'c5', 'c7', 'c9']);
  });

  test('elsewhere where it is taken, and here where it is not', async () => {
    const list = { ...everything, labelSelector: 'run=collection' };
    const asked: string[] = [];
    const elsewhere: DeleteElsewhere = (own, name) => {
      asked.push(`${own.namespace}/${name}`);
      if (name === 'c1') return Promise.resolve(undefined);
      return name === 'c2' ? verbs.delete(own, name, plainDelete) : undefined;
    };
    const gone = await verbs.deleteCollection(maps(), list, plainDelete, elsewhere);
    expect(asked).toHaveLength(10);
    expect(asked).toContain('del/c2');
    expect(gone.entries).toHaveLength(10);
    expect(await names()).toEqual([]);
  });

  test('as many at a time as the configuration says', async () => {
    let running = 0;
    let most = 0;
    const counting: AdmissionPlugin = {
      name: 'Counting',
      validate: async ({ operation }) => {
        if (operation !== 'DELETE') return;
        most = Math.max(most, ++running);
        await waitFor('three at a time', () => most >= 3);
        running -= 1;
      },
    };
    const admission = createAdmissionChain([counting]);
    const own = verbsOver(registry.storage, undefined, { admission, deleteCollectionWorkers: 3 });
    const list = { ...everything, labelSelector: 'run=collection' };
    expect((await own.deleteCollection(maps(), list, plainDelete)).entries).toHaveLength(10);
    expect(most).toBe(3);
  });

  test('a chunk, and the next one by its token', async () => {
    const list = { ...everything, labelSelector: 'run=collection', limit: 4 };
    const { continue: token } = await verbs.list(maps(), list);
    await verbs.deleteCollection(maps(), { ...list, continue: token }, plainDelete);
    expect(await names()).toEqual(['c0', 'c1', 'c2', 'c3', 'c8', 'c9']);
    const gone = await verbs.deleteCollection(maps(), { ...list, limit: 3 }, plainDelete);
    expect(await names()).toEqual(['c3', 'c8', 'c9']);
    await verbs.deleteCollection(maps(), { ...list, limit: 2, continue: gone.continue }, plainDelete);
    expect(await names()).toEqual(['c9']);
  });

  test('in a dry run nothing goes', async () => {
    const { revision: before } = await verbs.list(maps(), everything);
    const list = { ...everything, labelSelector: 'run=collection' };
    const gone = await verbs.deleteCollection(maps({ dryRun: true }), list, plainDelete);
    expect(gone.entries).toHaveLength(10);
    expect(await names()).toHaveLength(10);
    expect((await verbs.list(maps(), everything)).revision).toBe(before);
  });

  test('the first refusal ends it', async () => {
    const preconditions = { uid: 'somebody else' };
    const list = { ...everything, labelSelector: 'run=collection' };
    const refused = await statusOf(verbs.deleteCollection(maps(), list, { ...plainDelete, preconditions }));
    expect(refused.code).toBe(409);
    expect(await names()).toHaveLength(10);
  });
});
