/** Namespaces of very many quotas: a write is counted in several at once, in a bounded time. */
import { createResourceQuotaPlugin, type QuotaAccessor } from '../../../src/admission/resource-quota.ts';
import { SharedCharges } from '../../../src/admission/shared-charges.ts';
import { laterTurn } from '../../../src/base/cooperate.ts';
import { useEventLoop } from '../../../src/base/event-loop.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { attributesOf, readerOf } from '../../support/admission.ts';
import { cpuBudget, leastOfThree, threadCpuMs } from '../../support/cpu-time.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { turnsOf } from '../../support/turns.ts';
import { waitFor } from '../../support/wait-for.ts';

const names = Array.from({ length: 200 }, (_, i) => `quota-${String(i).padStart(3, '0')}`);
const clock = new HandClock();
/** Charges that are made together. */
const atOnce = 32;

function quota(name: string, used: string): object {
  return { metadata: { name }, spec: { hard: { configmaps: '10' } }, status: { used: { configmaps: used } } };
}

/** Charges that wait until the test lets them go on. */
class Charges implements QuotaAccessor {
  readonly begun: string[] = [];
  readonly #waiting: { readonly name: string; readonly go: () => void }[] = [];
  readonly #full: ReadonlySet<string>;

  constructor(full: readonly string[] = []) {
    this.#full = new Set(full);
  }

  async update(...[, name, change, signal]: Parameters<QuotaAccessor['update']>): Promise<void> {
    this.begun.push(name);
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ name, go: resolve });
      signal.addEventListener('abort', () => {
        reject(new Error('aborted'));
      });
    });
    change(quota(name, this.#full.has(name) ? '10' : '1') as Parameters<typeof change>[0]);
  }

  /** Lets those go on that wait, the last one first, or one of them. */
  goOn(only?: string): void {
    const isMeant = ({ name }: { readonly name: string }): boolean => only === undefined || name === only;
    const meant = this.#waiting.filter(isMeant);
    this.#waiting.splice(0, Infinity, ...this.#waiting.filter((one) => !isMeant(one)));
    for (const { go } of meant.reverse()) go();
  }
}

/** Begins the write of a config map. */
function begin(charges: Charges, seemFull: readonly string[] = []): Promise<string> {
  const quotas = Object.fromEntries(
    names.map((name) => [
      `core/resourcequotas/web/${name}`,
      quota(name, seemFull.includes(name) ? '10' : '1'),
    ]),
  );
  const plugin = createResourceQuotaPlugin(readerOf(quotas), charges, clock);
  const write = plugin.validate?.(attributesOf({ resource: 'configmaps', object: {} }));
  return Promise.resolve(write).then(
    () => 'in',
    (error: unknown) => {
      if (error instanceof StatusError) return `${String(error.code)} ${error.message}`;
      throw error;
    },
  );
}

test('all quotas are charged once, several at a time', async () => {
  const charges = new Charges();
  const write = begin(charges);
  for (let most = 0; most < names.length; most += atOnce) {
    await waitFor('the next charges', () => charges.begun.length === Math.min(most + atOnce, names.length));
    charges.goOn();
  }
  expect(await write).toBe('in');
  expect(charges.begun).toEqual(names);
});

test('the first by name that has no room is the one that is named, and no more are charged', async () => {
  const charges = new Charges(['quota-002', 'quota-005']);
  const write = begin(charges);
  await waitFor('the first charges', () => charges.begun.length === atOnce);
  charges.goOn('quota-005');
  charges.goOn('quota-002');
  await laterTurn();
  charges.goOn();
  expect(await write).toMatch(/^403 .*exceeded quota: quota-002,/);
  expect(charges.begun.length).toBe(atOnce);
});

test('quotas that seem to have no room are asked first: a refused write takes nothing of the others', async () => {
  const charges = new Charges(['quota-150', 'quota-170']);
  const write = begin(charges, ['quota-150', 'quota-170']);
  await waitFor('the first charges', () => charges.begun.length > 0);
  charges.goOn();
  expect(await write).toMatch(/^403 .*exceeded quota: quota-150,/);
  expect(charges.begun).toEqual(['quota-150', 'quota-170']);
});

test('a quota that seems to have no room may have it by now', async () => {
  const charges = new Charges();
  const write = begin(charges, ['quota-150']);
  await waitFor('the first charge', () => charges.begun.length === 1);
  for (let most = 0; most < names.length; most += atOnce) {
    charges.goOn();
    await waitFor('the next', () => charges.begun.length === Math.min(1 + most + atOnce, names.length));
  }
  charges.goOn();
  expect(await write).toBe('in');
  expect([...charges.begun].sort()).toEqual(names);
});

test('when they take too long, the write may be tried again', async () => {
  const charges = new Charges();
  const write = begin(charges);
  await waitFor('the first charges', () => charges.begun.length === atOnce);
  clock.advance(10_001);
  expect(await write).toMatch(/^503 .*200 quotas.*within 10 s.* fewer$/);
  expect(charges.begun.length).toBe(atOnce);
  expect(clock.timers).toBe(0);
});

test.each([
  // At this pace all 200 take 22 s.
  [
    'a pace that is far too slow is told after a few',
    3_500,
    atOnce,
    /^503 .*200 quotas that limit it within 10 s/,
  ],
  // At this one 19 s: it may become faster.
  ['a pace that is too slow may become faster', 3_000, 2 * atOnce, /^503 /],
])('%s', async (_what, slowMs, begun, outcome) => {
  const charges = new Charges();
  const write = begin(charges);
  await waitFor('the first charges', () => charges.begun.length === atOnce);
  clock.advance(slowMs);
  charges.goOn();
  if (begun > atOnce) {
    await waitFor('the next charges', () => charges.begun.length === begun);
    clock.advance(10_001 - slowMs);
  }
  expect(await write).toMatch(outcome);
  expect(charges.begun.length).toBe(begun);
  charges.goOn();
});

/** Quotas that are about pods. */
function ofPods(count: number): readonly object[] {
  return Array.from({ length: count }, (_, i) => ({
    metadata: { name: `quota-${String(i).padStart(5, '0')}` },
    spec: { hard: { pods: '10', 'requests.cpu': '4' } },
  }));
}

test('a write looks at ten thousand quotas about something else in slices', async () => {
  const list = ofPods(10_000) as readonly ApiObject[];
  const charges = new Charges();
  const plugin = createResourceQuotaPlugin({ ...readerOf(), list: () => list }, charges, clock);
  let [looks, turns] = [0, 0];
  // Each look at the clock finds it 0.1 ms further on.
  useEventLoop({ now: () => (looks += 1) / 10, nextTurn: (go) => void ((turns += 1), setImmediate(go)) });
  try {
    await plugin.validate?.(attributesOf({ resource: 'configmaps', object: {} }));
  } finally {
    useEventLoop(undefined);
  }
  expect(looks).toBeGreaterThan(10_000);
  expect(turns).toBeGreaterThan(100);
  expect(charges.begun).toEqual([]);
});

test('writes that look at many quotas at once share a slice of each turn', async () => {
  const hard = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`count/things-${String(i)}.example.com`, '10']),
  );
  const list = names.map((name) => ({
    metadata: { name },
    spec: { hard: { ...hard, configmaps: '1k' } },
    status: { used: { ...hard, configmaps: '1' } },
  })) as readonly object[] as readonly ApiObject[];
  const reader = { ...readerOf(), bytesOf: () => 1_000_000, listInSlices: () => Promise.resolve(list) };
  const quotaOf = new Map(list.map((one) => [one.metadata.name, one]));
  const accessor: QuotaAccessor = {
    async update(_namespace, name, change) {
      await laterTurn();
      change(quotaOf.get(name) as Parameters<typeof change>[0]);
    },
  };
  const shared = new SharedCharges(accessor, clock);
  const plugin = createResourceQuotaPlugin(reader, shared, clock);
  const write = (): unknown => plugin.validate?.(attributesOf({ resource: 'configmaps', object: {} }));
  const longest = await leastOfThree(async () => {
    const [turn = 0] = await turnsOf(() => Promise.all(Array.from({ length: 20 }, write)));
    return turn;
  });
  expect(longest).toBeLessThan(cpuBudget(20));
});

test('a pod is counted once, and not for each of thousands of quotas', async () => {
  const requests = { cpu: '1', memory: '1Gi' };
  const containers = Array.from({ length: 100 }, () => ({ resources: { requests, limits: requests } }));
  const scopes = ['BestEffort', 'CrossNamespacePodAffinity'];
  const list = ofPods(3_000).map((one, i) => {
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: [`class-${String(i)}`] }];
    const elsewhere = { hard: { [`count/things-${String(i)}.example.com`]: '1' } };
    const scoped = i % 2 === 0 ? { scopes } : { scopeSelector: { matchExpressions } };
    return { ...one, spec: i % 3 === 0 ? elsewhere : { hard: { pods: '10', 'limits.cpu': '4' }, ...scoped } };
  }) as readonly object[] as readonly ApiObject[];
  const charges = new Charges();
  const plugin = createResourceQuotaPlugin({ ...readerOf(), list: () => list }, charges, clock);
  const tookMs = await leastOfThree(async () => {
    const begun = threadCpuMs();
    await plugin.validate?.(attributesOf({ resource: 'pods', object: { spec: { containers } } }));
    return threadCpuMs() - begun;
  });
  expect(charges.begun).toEqual([]);
  expect(tookMs).toBeLessThan(cpuBudget(20));
});

test('very many quotas are read in slices, where the write is', async () => {
  const list = names.map((name) => quota(name, '1')) as readonly ApiObject[];
  const reader = {
    ...readerOf(),
    bytesOf: () => 1_000_000,
    largestOf: () => 400,
    list: () => {
      throw new Error('they are not read in one step');
    },
    listInSlices: () => Promise.resolve(list),
  };
  const plugin = createResourceQuotaPlugin(reader, new Charges(), clock);
  const attributes = attributesOf({ resource: 'secrets', object: {} });
  await plugin.validate?.({ ...attributes, scope: { ...attributes.scope, growth: 'moves' } });
});

test.each([
  ['a large quota', 1_000_000, 100_000],
  ['more than can be read beside others', 10_000_000, 400],
])('a write into a namespace of %s moves to where large ones are carried out', (_, bytes, largest) => {
  const reader = {
    ...readerOf(),
    bytesOf: () => bytes,
    largestOf: () => largest,
    list: () => {
      throw new Error('they are not read here');
    },
  };
  const plugin = createResourceQuotaPlugin(reader, new Charges(), clock);
  const attributes = attributesOf({ resource: 'configmaps', object: {} });
  const scope = { ...attributes.scope, growth: 'moves' as const };
  expect(() => plugin.validate?.({ ...attributes, scope })).toThrow(GrownWrite);
});
