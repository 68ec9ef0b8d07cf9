/** The order of APIServices in discovery, and which of them other servers answer for. */
import { setImmediate } from 'node:timers/promises';
import { systemEnvironment } from '../../../../src/base/environment.ts';
import {
  RegistrationFollower,
  registrationsOf,
} from '../../../../src/extension/aggregated-apis/registrations.ts';
import { RegistrationOrder } from '../../../../src/extension/aggregated-apis/registration-order.ts';
import type { RegisteredService } from '../../../../src/extension/aggregated-apis/registered-service.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { silentLogger } from '../../../../src/observe/log.ts';
import type { Entry, Storage, StoredEvent, WatchSubscriber } from '../../../../src/storage/types.ts';
import { entryOf } from '../../../support/http/fake-verbs.ts';
import { waitFor } from '../../../support/wait-for.ts';

function service(
  name: string,
  [groupPriority, versionPriority]: readonly [number, number],
  isRemote = false,
): RegisteredService {
  const [version = '', ...group] = name.split('.');
  const backend = { namespace: 'a', name: 'b', port: 443, ca: '', skipsVerification: false };
  return {
    ...{
      name,
      version,
      group: group.join('.'),
      groupPriority,
      versionPriority,
      isAvailable: true,
      wish: name,
    },
    backend: isRemote ? backend : undefined,
  };
}

function names(services: readonly RegisteredService[]): string[] {
  return registrationsOf(services).ordered.map(({ name }) => name);
}

test('groups are ordered by priority, then by the name of the object', () => {
  const services = [
    service('v1beta1.a.example.com', [100, 1]),
    service('v1.c.example.com', [100, 1]),
    service('v1.b.example.com', [100, 1]),
    service('v1.z.example.com', [200, 1]),
  ];
  expect(names(services)).toEqual([
    'v1.z.example.com',
    'v1.b.example.com',
    'v1.c.example.com',
    'v1beta1.a.example.com',
  ]);
});

test('a group stands where its highest priority is', () => {
  const services = [
    service('v1.low.example.com', [10, 1]),
    service('v2.low.example.com', [300, 1]),
    service('v1.middle.example.com', [200, 1]),
  ];
  expect(names(services).at(-1)).toBe('v1.middle.example.com');
});

test('versions are ordered by their priority, then as Kubernetes versions', () => {
  const versions = [
    'v1alpha1',
    'foo1',
    'v10beta3',
    'v2',
    'v11beta2',
    'v1',
    'v3beta1',
    'foo10',
    'v12alpha1',
    'v11alpha2',
    'v10',
  ];
  const equal = versions.map((version) => service(`${version}.g.example.com`, [1, 5]));
  const first = service('v0.g.example.com', [1, 6]);
  expect(names([...equal, first]).map((name) => name.split('.')[0])).toEqual([
    ...['v0', 'v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'v1alpha1'],
    ...['foo1', 'foo10'],
  ]);
});

test('only services with a backend are remote', () => {
  const found = registrationsOf([
    service('v1.here.example.com', [1, 1]),
    service('v1.there.example.com', [1, 1], true),
  ]);
  expect(found.remote('here.example.com', 'v1')).toBeUndefined();
  expect(found.remote('there.example.com', 'v1')?.name).toBe('v1.there.example.com');
  expect(found.remote('there.example.com', 'v2')).toBeUndefined();
});

describe('the order while services change one by one', () => {
  /** A number from 0 to `most` - 1, the same in every run. */
  function numbers(): (most: number) => number {
    let state = 1;
    return (most) => (state = (state * 48_271) % 2_147_483_647) % most;
  }

  test('is that of all at once', () => {
    const next = numbers();
    const order = new RegistrationOrder();
    const known = new Map<string, RegisteredService>();
    for (let change = 0; change < 500; change += 1) {
      const name = `v${String(next(3) + 1)}.g${String(next(8))}.example.com`;
      if (next(4) === 0) {
        order.delete(name);
        known.delete(name);
      } else {
        const changed = service(name, [next(4), next(3)]);
        order.set(changed);
        known.set(name, changed);
      }
      if (next(3) > 0) expect(order.ordered()).toEqual(registrationsOf([...known.values()]).ordered);
    }
  });

  test('looks at the priority of the others about once each', () => {
    let looks = 0;
    const order = new RegistrationOrder();
    const watched = (i: number): RegisteredService => ({
      ...service(`v1.g${String(i)}.example.com`, [1, 1]),
      get groupPriority() {
        looks += 1;
        return i % 50;
      },
    });
    for (let i = 0; i < 1_000; i += 1) order.set(watched(i));
    order.ordered();
    looks = 0;
    order.set(watched(7));
    order.ordered();
    expect(looks).toBeLessThan(2_100);
  });
});

test('services of other servers are in order; without any, nothing is put in order', () => {
  const [first, second] = [
    service('v1.a.example.com', [1, 1], true),
    service('v1.z.example.com', [2, 1], true),
  ];
  let asked = 0;
  const local = {
    ...service('v1.m.example.com', [3, 1]),
    get groupPriority() {
      asked += 1;
      return 3;
    },
  };
  expect(registrationsOf([first, local, second]).remotes).toEqual([second, first]);
  expect(asked).toBeGreaterThan(0);
  asked = 0;
  expect(registrationsOf([local, local]).remotes).toEqual([]);
  expect(asked).toBe(0);
});

describe('a follower', () => {
  const stored = (i: number): Entry => {
    const name = `v1.g${String(i)}.example.com`;
    const spec = { group: `g${String(i)}.example.com`, version: 'v1', groupPriorityMinimum: 1 };
    const object = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name }, spec };
    return entryOf(object, name, i + 1);
  };

  interface Followed {
    readonly follower: RegistrationFollower;
    readonly onEvents: (changed: readonly Entry[]) => void;
    /** How often the state was looked at as a whole. */
    readonly wholeLooks: () => number;
  }

  function follow(entries: readonly Entry[]): Followed {
    let wholeLooks = 0;
    let subscriber: WatchSubscriber | undefined;
    const storage = {
      watch: (_options: unknown, opened: WatchSubscriber) => {
        subscriber = opened;
        return { close: () => undefined };
      },
      view: () => ({
        page: () => {
          wholeLooks += 1;
          return entries;
        },
        get: (key: string) => entries.find((entry) => entry.key === key),
      }),
    } as unknown as Storage;
    const follower = new RegistrationFollower({
      ...systemEnvironment,
      ...{ naming: namingProfiles.kubernetes, storage, log: silentLogger },
    });
    return {
      follower,
      onEvents: (changed) =>
        subscriber?.onEvents(changed.map((entry) => ({ key: entry.key, entry }) as StoredEvent)),
      wholeLooks: () => wholeLooks,
    };
  }

  test('reads thousands in slices; until all are read, what was known holds', async () => {
    const entries: Entry[] = [];
    const { follower, onEvents } = follow(entries);
    expect(follower.current().ordered).toHaveLength(0);
    const told = new Set<string>();
    follower.onChange((names) => {
      for (const name of names) told.add(name);
    });
    entries.push(...Array.from({ length: 5_000 }, (_, i) => stored(i)));
    onEvents(entries);
    const read = (): number => entries.filter(({ memo }) => memo !== undefined).length;
    await setImmediate();
    expect(read()).toBeLessThan(4_000);
    expect(follower.current().ordered).toHaveLength(0);
    await waitFor('all to be told', () => told.size === 5_000);
    expect(follower.current().ordered).toHaveLength(5_000);
  });

  test('looks at those that changed only, of however many', () => {
    const entries = Array.from({ length: 500 }, (_, i) => stored(i));
    const { follower, onEvents } = follow(entries);
    expect(follower.current().ordered).toHaveLength(500);

    let looks = 0;
    for (const entry of entries) {
      const memo = (entry.memo ??= new Map());
      const has = memo.has.bind(memo);
      memo.has = (key) => {
        looks += 1;
        return has(key);
      };
    }
    const gone = entries.pop();
    entries[7] = { ...stored(7), modRevision: 9_000 };
    onEvents([entries[7], gone].filter((entry) => entry !== undefined));
    expect(follower.current().ordered).toHaveLength(499);
    expect(follower.service(gone?.key ?? '')).toBeUndefined();
    expect(looks).toBeLessThan(10);
  });

  test('does not look at the whole state for a change of one', () => {
    const entries = Array.from({ length: 50 }, (_, i) => stored(i));
    const { follower, onEvents, wholeLooks } = follow(entries);
    follower.current();
    const before = wholeLooks();
    for (let i = 0; i < 20; i += 1) {
      const changed = { ...stored(i), modRevision: 9_000 + i };
      entries[i] = changed;
      onEvents([changed]);
      follower.current();
    }
    expect(wholeLooks()).toBe(before);
  });

  test('tells listeners of a hundred changes in a turn at most', async () => {
    const entries = Array.from({ length: 500 }, (_, i) => stored(i));
    const { follower, onEvents } = follow(entries);
    const told: number[] = [];
    follower.onChange((names) => told.push(names.size));
    onEvents(entries.slice(0, 1));
    await waitFor('all to be told', () => told.reduce((sum, size) => sum + size, 0) === 500);
    expect(Math.max(...told)).toBeLessThanOrEqual(100);
  });
});
