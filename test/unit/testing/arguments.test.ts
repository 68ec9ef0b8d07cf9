/** Each call of a control plane says what is wrong with what a caller without types gives it, before anything is asked. */
import { makeMemoryPki, type MemoryPki } from '../../../src/pki/memory-pki.ts';
import { ControlPlane } from '../../../src/testing/control-plane.ts';
import type { HostThread } from '../../../src/testing/host-thread.ts';
import { ApiClient, explore, Faults, startControlPlane, until } from '../../../src/testing/index.ts';
import { Users } from '../../../src/testing/users.ts';

type Call = (...args: unknown[]) => unknown;
type Wrong = readonly [args: readonly unknown[], message: string | RegExp];

let pki: MemoryPki;
let controlPlane: ControlPlane;
const asked: string[] = [];

beforeAll(async () => {
  pki = await makeMemoryPki(Date.now());
  const call = (name: string): Promise<unknown> => {
    // What errors of waits end with is no question of the call.
    if (!name.startsWith('log')) asked.push(name);
    return Promise.reject(new Error(`${name} was asked for`));
  };
  controlPlane = new ControlPlane({
    host: { call } as unknown as HostThread,
    pki,
    users: new Users(),
    order: { flags: {} } as never,
    started: { plane: 1, port: 1, offsetMs: 0, first: 1 },
    advertised: { address: undefined, port: undefined },
    attachesLog: true,
    seed: 1,
  });
});

beforeEach(() => asked.splice(0));

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' } };
const kind = { apiVersion: 'v1', kind: 'Pod' };
const snapshot = { plane: 1, id: 1 };
const isThere = (found: unknown): boolean => found !== undefined;

/** Options of a call: none at all, one that is not there, one that is wrong. `before`: its arguments before them. */
function options(
  names: string,
  wrong: readonly [option: Readonly<Record<string, unknown>>, message: string],
  before: readonly unknown[] = [],
): Wrong[] {
  const [first = ''] = names.split(', ');
  const [option, message] = wrong;
  return [
    [[...before, null], `give an object with options (${names}), not null`],
    [[...before, 'x'], `give an object with options (${names}), not "x"`],
    [[...before, { [`${first}s`]: 1 }], `there is no option ${first}s; options are ${names}`],
    [[...before, option], `the option ${Object.keys(option).join('')} cannot be used: ${message}`],
  ];
}

const aUser: Wrong[] = [
  [[null], 'give the name of a user, not null'],
  [[{ name: 'jane' }], 'give the name of a user, not an object'],
];
const aSnapshot: Wrong[] = [
  [[null], 'give a snapshot: what `await controlPlane.snapshot()` gives'],
  [[Promise.resolve(snapshot)], 'give a snapshot'],
  [[{ plane: 2, id: 1 }], 'the snapshot is of another control plane'],
];
const anObject: Wrong[] = [
  [[null], 'give an object with apiVersion, kind and metadata.name, not null'],
  [['pods'], 'give an object with apiVersion, kind and metadata.name, not "pods"'],
  [[{ ...kind, metadata: {} }], 'the object has no metadata.name'],
  [[{ metadata: { name: 'one' } }], 'the object has no apiVersion or no kind'],
];
const aKind: Wrong[] = [
  [[null], 'give an object with apiVersion and kind, not null'],
  [[{ kind: 'Pod' }], 'the object has no apiVersion or no kind'],
];
const aPath: Wrong[] = [
  [[undefined], 'give the path of a file, not undefined'],
  [[7], 'give the path of a file, not 7'],
];
const scope = 'user, verb, resource, namespace, name, rate, times, after, requests, includeAdminClient';
const rate = [{ rate: '0.2' }, 'give a number from 0 to 1, not "0.2"'] as const;
const list = 'namespace, labelSelector, fieldSelector, resourceVersion';
const wait = [{ timeoutMs: '1s' }, 'give a number of milliseconds, not "1s"'] as const;

const ofControlPlane: Readonly<Record<string, readonly Wrong[]>> = {
  kubeconfig: aUser,
  kubeconfigText: aUser,
  kubeconfigFile: aUser,
  as: aUser,
  addUser: [
    [[null], 'give an object with options (name, groups), not null'],
    [[{ name: 'jane', group: 'x' }], 'there is no option group; options are name, groups'],
    [[{ name: 'jane', groups: 'x' }], 'groups of user jane: give a list of names'],
  ],
  until: [
    [[null, isThere], 'give an object with apiVersion, kind and metadata.name'],
    [[pod, true], 'until: give a predicate: a function, not true'],
    ...options('timeoutMs, notes', wait, [pod, isThere]),
  ],
  advance: [
    [[60], '60 is no duration to advance by'],
    [[undefined], 'undefined is no duration to advance by'],
  ],
  settled: options('timeoutMs', wait),
  restore: aSnapshot,
  save: [
    ...aPath,
    ...options('snapshot, managedFields', [{ managedFields: 1 }, 'give true or false, not 1'], ['a.yaml']),
    [['a.yaml', { snapshot: null }], 'give a snapshot'],
  ],
  load: aPath,
  dump: aSnapshot,
  fork: [
    ...aSnapshot,
    ...options('port, advertisePort', [{ advertisePort: 0 }, 'give a port, not 0'], [undefined]),
    [[undefined, { prot: 1 }], 'fork: there is no option prot; options are port, advertisePort'],
  ],
};

const ofFaults: Readonly<Record<string, readonly Wrong[]>> = {
  useSeed: [[['x'], 'useSeed: give a whole number, not "x"']],
  closeWatches: options(`${scope}, cut`, [{ cut: 1 }, 'give true or false, not 1']),
  expireHistory: options(scope, rate),
  staleReads: options(scope, rate, ['1s']),
  lagReplica: options(scope, rate, ['1s']),
  conflicts: options(scope, rate, [1]),
  delay: options(scope, rate, ['1s']),
  refuse: options(
    `${scope.replace('verb, resource, ', '')}, retryAfter`,
    [{ retryAfter: '2s' }, 'give a whole number of seconds, not "2s"'],
    ['get', 'pods', 500],
  ),
  restart: options(`${scope}, downFor`, [{ downFor: 5 }, 'give a text, not 5']),
  loseAnswers: options(`${scope}, as`, [{ as: 'lost' }, 'give cut or timeout, not "lost"']),
  end: [
    [[null], 'there is no fault null'],
    [[7], 'there is no fault 7'],
  ],
};

const ofClient: Readonly<Record<string, readonly Wrong[]>> = {
  request: [
    ...options('method, path, body, contentType, signal', [{ path: 1 }, 'give a text, not 1']),
    [[{ path: '/version' }], 'request: give a method such as GET, not undefined'],
    [[{ method: 'GET', path: 'version' }], 'request: give a path such as /version, not "version"'],
  ],
  get: anObject,
  find: anObject,
  list: [...aKind, ...options(list, [{ namespace: 1 }, 'give a text, not 1'], [kind])],
  create: aKind,
  update: anObject,
  updateStatus: anObject,
  patch: [
    ...anObject.map(([args, message]): Wrong => [[...args, {}], message]),
    [[pod, null], 'patch: give the patch as an object, not null'],
  ],
  apply: [
    ...anObject,
    ...options('fieldManager, force', [{ force: 'yes' }, 'give true or false, not "yes"'], [pod]),
  ],
  delete: [...anObject, [[pod, null], 'delete: give DeleteOptions as an object, not null']],
  watch: [
    ...aKind,
    ...options(`${list}, signal`, [{ signal: {} }, 'give an AbortSignal, not an object'], [kind]),
  ],
};

/** Calls that take nothing, or what nobody can get wrong. */
const withoutArguments = new Set([
  ...[
    'constructor',
    'now',
    'snapshot',
    'reset',
    'logs',
    'stop',
    'remember',
    'close',
    'clear',
    'log',
    'describe',
  ],
  // What it is given is data of any kind, which is judged where it is carried out.
  'start',
]);

const holders: readonly (readonly [
  string,
  { readonly prototype: object },
  () => object,
  Readonly<Record<string, readonly Wrong[]>>,
])[] = [
  ['controlPlane', ControlPlane, () => controlPlane, ofControlPlane],
  ['faults', Faults, () => controlPlane.faults, ofFaults],
  ['admin', ApiClient, () => controlPlane.admin, ofClient],
];

test.each(holders)('%s: each of its calls is among these', (_name, { prototype }, _of, wrongs) => {
  const properties = Object.entries(Object.getOwnPropertyDescriptors(prototype));
  const calls = properties.filter(([, { value }]) => typeof value === 'function').map(([name]) => name);
  expect(calls.filter((name) => !withoutArguments.has(name)).sort()).toEqual(Object.keys(wrongs).sort());
});

/** A watch says it when its first event is asked for. */
async function given(holder: object, name: string, args: readonly unknown[]): Promise<unknown> {
  const answer = (holder as Readonly<Record<string, Call>>)[name]?.(...args);
  return name === 'watch' ? (answer as AsyncIterator<unknown>).next() : answer;
}

const cases = holders.flatMap(([holder, , of, wrongs]) =>
  Object.entries(wrongs).flatMap(([name, all]) =>
    all.map(([args, message]) => ({ holder, name, args, message, of })),
  ),
);

test.each(cases)('$holder.$name of $args is refused', async ({ name, args, message, of }) => {
  const refused = given(of(), name, args);
  await expect(refused).rejects.toThrow(message);
  expect(asked).toEqual([]);
});

test.each([null, 'virtual', []])('a start and an exploration with %j are refused', async (wrong) => {
  await expect(startControlPlane(wrong as never)).rejects.toThrow(
    'startControlPlane: give an object with options (engine, ',
  );
  await expect(explore(() => Promise.resolve(), wrong as never)).rejects.toThrow(
    'explore: give an object with options (seeds, ',
  );
  await expect(until(controlPlane.admin, pod, isThere, wrong as never)).rejects.toThrow(
    'until: give an object',
  );
});
