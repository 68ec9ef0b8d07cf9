/**
 * Circles of owners with two collectors at work on one etcd, each over a replica's view of its own: every member of a
 * circle that is deleted goes, soon and with a bounded number of calls.
 */
import { systemEnvironment } from '../../../src/base/environment.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { createGarbageCollector } from '../../../src/controllers/garbage-collector/garbage-collector.ts';
import type { ApiClient } from '../../../src/controllers/types.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import type { DeleteOptions, ResourceVerbs } from '../../../src/registry/types.ts';
import { createInProcessClient } from '../../../src/client/in-process-client.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  catalogue,
  plainDelete,
  scope,
  startRegistry,
  verbsOver,
  type TestRegistry,
} from '../../support/registry.ts';
import { startStorage } from '../../support/storage.ts';
import { quietLog } from './support.ts';

let registry: TestRegistry;
/** Calls of every collector, reads among them; lists, watches and discovery are not counted. */
let calls = 0;

interface Collector {
  stop(): Promise<void>;
}

const running = new Set<Collector>();

beforeAll(async () => {
  registry = await startRegistry('own');
  await registry.verbs.create(scope('namespaces'), '', { metadata: { name: 'default' } });
});
beforeEach(() => {
  calls = 0;
});
afterEach(async () => {
  await Promise.all([...running].map((collector) => collector.stop()));
});
afterAll(() => registry.close());

/** A collector over a view of its own, as another replica has it. */
async function startCollector(): Promise<Collector> {
  const storage = await startStorage(registry.etcd.endpoints);
  const client = counting(
    createInProcessClient({ verbs: verbsOver(storage), catalogue: () => catalogue, minorVersion: 21 }),
  );
  const collector = createGarbageCollector({
    ...systemEnvironment,
    ...{ client, log: quietLog, metrics: noControllerMetrics },
    ignored: new Set(['/events']),
  });
  const stopping = new AbortController();
  const done = collector.run(stopping.signal);
  const started: Collector = {
    stop: async () => {
      running.delete(started);
      stopping.abort();
      await done;
      await storage.close();
    },
  };
  running.add(started);
  return started;
}

function counting(client: ApiClient): ApiClient {
  const counted = new Set<string | symbol>(['get', 'list', 'create', 'update', 'patch', 'delete']);
  return new Proxy(client, {
    get: (target, name, receiver) => {
      if (counted.has(name)) calls += 1;
      const member: unknown = Reflect.get(target, name, receiver);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

const pods = scope('pods', { namespace: 'default' });
const verbs = (): ResourceVerbs => registry.verbs;

interface Owner {
  readonly name: string;
  readonly uid: string;
}

const reference = (owner: Owner, blockOwnerDeletion = true): JsonObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod', ...owner, blockOwnerDeletion },
});

async function create(name: string, ownerReferences: JsonObject[] = []): Promise<Owner> {
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  const { entry } = await verbs().create(pods, '', { metadata: { name, ownerReferences }, spec });
  return { name, uid: entryObject(entry).metadata.uid ?? '' };
}

async function changeMetadata(name: string, metadata: JsonObject): Promise<void> {
  await verbs().patch(pods, name, (current) => ({
    ...current,
    metadata: { ...(current['metadata'] as JsonObject), ...metadata },
  }));
}

/** The first is owned by the last, each other one by the one before it. */
async function circle(prefix: string, size: number): Promise<Owner[]> {
  const members: Owner[] = [];
  for (let i = 0; i < size; i++) {
    members.push(
      await create(
        `${prefix}-${i}`,
        members.slice(-1).map((owner) => reference(owner)),
      ),
    );
  }
  await changeMetadata(`${prefix}-0`, { ownerReferences: members.slice(-1).map((o) => reference(o)) });
  return members;
}

const remove = ({ name }: Owner, propagationPolicy: DeleteOptions['propagationPolicy']): Promise<unknown> =>
  verbs().delete(pods, name, { ...plainDelete, propagationPolicy });

async function names(): Promise<string[]> {
  const { entries } = await verbs().list(pods, {
    ...{ labelSelector: '', fieldSelector: '', resourceVersion: '', resourceVersionMatch: '' },
    ...{ limit: 0, continue: '' },
  });
  return Array.from(entries, (entry) => entryObject(entry).metadata.name ?? '').sort();
}

async function allGone(what: string): Promise<void> {
  await waitFor(`${what} to go`, async () => (await names()).length === 0, {
    timeout: 5_000,
    interval: 5,
  });
}

async function twoCollectors(): Promise<void> {
  await Promise.all([startCollector(), startCollector()]);
}

test('a hundred circles of three, one after the other, each with few calls', async () => {
  await twoCollectors();
  for (let round = 0; round < 100; round++) {
    const [first] = await circle(`c${round}`, 3);
    await remove(first as Owner, 'Foreground');
    await allGone(`circle ${round}`);
  }
  // For each of three members and two collectors: its look, its owner's, a deletion, a look and the finalizer's end.
  expect(calls / 100).toBeLessThan(2 * 3 * 8);
});

test('a long circle takes calls in proportion to its length', async () => {
  await twoCollectors();
  const [first] = await circle('long', 40);
  await remove(first as Owner, 'Foreground');
  await allGone('the circle');
  expect(calls / 40).toBeLessThan(2 * 8);
});

test.each([[['left-0']], [['left-1', 'right-1']], [['left-2', 'right-2']]])(
  'two circles that share a member go when %s are deleted',
  async (starts) => {
    await twoCollectors();
    const left = await circle('left', 3);
    const right = [await create('right-1', [reference(left[0] as Owner)])];
    right.push(
      await create(
        'right-2',
        right.map((o) => reference(o)),
      ),
    );
    // The shared member has an owner in each circle: as long as one of them stays, so does the member.
    const owners = [left[2], right[1]].map((o) => reference(o as Owner));
    await changeMetadata('left-0', { ownerReferences: owners });
    await Promise.all(starts.map((name) => remove({ name, uid: '' }, 'Foreground')));
    await allGone('the circles');
  },
);

test('a member with another owner leaves the circle, and the rest goes', async () => {
  await twoCollectors();
  const members = await circle('tied', 3);
  const keeper = await create('keeper');
  await changeMetadata('tied-1', { ownerReferences: [reference(members[0] as Owner), reference(keeper)] });
  await remove(members[0] as Owner, 'Foreground');
  await waitFor('the first to go', async () => !(await names()).includes('tied-0'));
  expect(await names()).toEqual(['keeper', 'tied-1', 'tied-2']);
  await remove(keeper, 'Background');
  await allGone('the rest');
});

test('a member that something else holds back is waited for', async () => {
  await twoCollectors();
  const members = await circle('held', 3);
  await changeMetadata('held-1', { finalizers: ['example.com/hold'] });
  await remove(members[0] as Owner, 'Foreground');
  await waitFor('the member to wait for nothing else', async () => {
    const { metadata } = entryObject(await verbs().get(pods, 'held-1', { resourceVersion: '' }));
    return metadata.deletionTimestamp != null && metadata.finalizers?.length === 1;
  });
  await changeMetadata('held-1', { finalizers: [] });
  await allGone('the circle');
});

test.each(['Foreground', 'Background', 'Orphan'] as const)(
  'an object that owns itself: %s',
  async (policy) => {
    await twoCollectors();
    const own = await create('self');
    await changeMetadata('self', { ownerReferences: [reference(own)] });
    await remove(own, policy);
    await allGone('the object');
  },
);

test('a circle of which one is deleted in the background goes, of which one is orphaned stays', async () => {
  await twoCollectors();
  const [first] = await circle('back', 3);
  await remove(first as Owner, 'Background');
  await allGone('the circle');
  const [parent] = await circle('free', 3);
  await remove(parent as Owner, 'Orphan');
  await waitFor('the owner to go', async () => (await names()).length === 2);
  const child = entryObject(await verbs().get(pods, 'free-1', { resourceVersion: '' }));
  expect(child.metadata.ownerReferences ?? []).toEqual([]);
  await remove({ name: 'free-1', uid: '' }, 'Background');
  await allGone('the rest');
});

test.each([
  ['that does not exist', { name: 'nobody', uid: 'nobody' }],
  ['of the same name with another uid', { name: 'odd-1', uid: 'another' }],
])('a circle with one more owner %s', async (_what, absent) => {
  await twoCollectors();
  const members = await circle('odd', 3);
  await changeMetadata('odd-0', { ownerReferences: [reference(members[2] as Owner), reference(absent)] });
  await remove(members[1] as Owner, 'Foreground');
  await allGone('the circle');
});

test('a circle over an owner in no namespace: nothing in one can hold that back', async () => {
  await twoCollectors();
  const volumes = scope('persistentvolumes');
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
  const { entry } = await verbs().create(volumes, '', { metadata: { name: 'wide' }, spec });
  const wide = { ...{ apiVersion: 'v1', kind: 'PersistentVolume', name: 'wide' }, blockOwnerDeletion: true };
  const owner = { ...wide, uid: entryObject(entry).metadata.uid ?? '' };
  const inside = await create('inside', [owner]);
  await verbs().patch(volumes, 'wide', (current) => ({
    ...current,
    metadata: { ...(current['metadata'] as JsonObject), ownerReferences: [reference(inside)] },
  }));
  await verbs().delete(volumes, 'wide', { ...plainDelete, propagationPolicy: 'Foreground' });
  await allGone('the pod');
  await waitFor('the volume to go', () =>
    verbs()
      .get(volumes, 'wide', { resourceVersion: '' })
      .then(
        () => false,
        () => true,
      ),
  );
});

test('a circle of blocking owners that is let alone stays, and costs nothing once it was looked at', async () => {
  await twoCollectors();
  await circle('calm', 3);
  const probe = async (): Promise<void> => {
    await create('probe', [reference({ name: 'nobody', uid: 'nobody' })]);
    await waitFor('the probe to go', async () => !(await names()).includes('probe'));
  };
  await probe();
  await probe();
  expect(await names()).toEqual(['calm-0', 'calm-1', 'calm-2']);
  expect(calls).toBeLessThan(60);
  await remove({ name: 'calm-0', uid: '' }, 'Background');
  await allGone('the circle');
});

test('another collector takes over in the middle', async () => {
  for (let round = 0; round < 10; round++) {
    const first = await startCollector();
    const [member] = await circle(`over${round}`, 4);
    // At another point of the work each time: after so many calls, or when nothing is left to do.
    calls = 0;
    await remove(member as Owner, 'Foreground');
    await waitFor('some calls', async () => calls >= round * 2 || (await names()).length === 0, {
      interval: 0,
    });
    await first.stop();
    const second = await startCollector();
    await allGone(`circle ${round}`);
    await second.stop();
  }
});
