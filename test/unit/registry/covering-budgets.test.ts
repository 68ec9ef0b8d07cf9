/** The disruption budgets that cover a pod, among many and among large ones. */
import fc from 'fast-check';
import { createAdmissionChain } from '../../../src/admission/admission-chain.ts';
import { selectorHolds } from '../../../src/api/selector-holds.ts';
import { selectorText } from '../../../src/api/selector-text.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import { parseLabelSelector } from '../../../src/meta/label-selector.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { asApiObject, type ApiObject } from '../../../src/meta/object.ts';
import { createRegistry } from '../../../src/registry/registry.ts';
import { coveringBudgets } from '../../../src/registry/subresources/covering-budgets.ts';
import type { RequestScope } from '../../../src/registry/types.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { CollectionSnapshot, Entry } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { cpuBudget } from '../../support/cpu-time.ts';
import { dryRunStorage } from '../../support/growth/memory-storage.ts';
import { turnsOf } from '../../support/turns.ts';

const { catalogue } = realCatalogue(namingProfiles.kubernetes);
const resource = catalogue.resource('policy', 'v1', 'poddisruptionbudgets');
const scope = { resource, signal: new AbortController().signal } as unknown as RequestScope;
const pod = asApiObject({ metadata: { name: 'p', labels: { app: 'web' } } });

function budget(name: string, selector: unknown): Entry {
  const text = JSON.stringify({ kind: 'PodDisruptionBudget', metadata: { name }, spec: { selector } });
  return newEntry('policy/poddisruptionbudgets', `ns/${name}`, Buffer.from(text), 7);
}

const mine = { matchLabels: { app: 'web' } };
const others = { matchLabels: { app: 'db' } };

async function covering(entries: readonly Entry[]): Promise<unknown[]> {
  const found = await coveringBudgets(scope, entries, pod);
  return found.map(({ budget: { metadata } }) => metadata.name);
}

test('those whose selector matches, each time', async () => {
  const entries = [budget('a', others), budget('b', mine), budget('c', null), budget('d', others)];
  expect(await covering(entries)).toEqual(['b']);
  expect(await covering(entries)).toEqual(['b']);
  expect(await covering([budget('all', {})])).toEqual(['all']);
});

/** A large budget, each time as a thread has it that gets a copy of the entry; `reads` counts those of its text. */
class LargeBudget {
  reads = 0;
  readonly #entry: Entry;

  constructor(selector: unknown) {
    const annotations = { long: 'x'.repeat(9_000) };
    const text = JSON.stringify({ metadata: { name: 'b', annotations }, spec: { selector } });
    this.#entry = newEntry('policy/poddisruptionbudgets', 'ns/b', Buffer.from(text), 7);
  }

  get entry(): Entry {
    const read = (): Buffer => {
      this.reads += 1;
      return this.#entry.bytes;
    };
    const copy: Entry = { ...this.#entry, size: this.#entry.bytes.length };
    return Object.defineProperty(copy, 'bytes', { get: read });
  }
}

const labelled = (labels: Record<string, string>): ApiObject => asApiObject({ metadata: { labels } });

test.each<[string, unknown, ApiObject]>([
  ['a value', { matchLabels: { app: 'db' } }, labelled({ app: 'web', tier: 'front' })],
  ['a missing label', { matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, labelled({ app: 'db' })],
  ['no selector', null, labelled({})],
])('a large one is parsed once for all pods that it refuses for %s', async (_, selector, other) => {
  const large = new LargeBudget(selector);
  expect(await coveringBudgets(scope, [large.entry], pod)).toEqual([]);
  const before = large.reads;
  // What it was refused for is looked up by the digest of the text.
  expect(await coveringBudgets(scope, [large.entry], other)).toEqual([]);
  expect([before, large.reads - before]).toEqual([2, 1]);
});

test('a large one that has refused some pods covers others', async () => {
  const large = new LargeBudget({ matchLabels: { app: 'db' } });
  for (let i = 0; i < 40; i += 1)
    expect(await coveringBudgets(scope, [large.entry], labelled({ app: `web-${String(i)}` }))).toEqual([]);
  expect(await coveringBudgets(scope, [large.entry], labelled({ app: 'db' }))).toHaveLength(1);
});

test('two are enough to know that there are too many', async () => {
  expect(await covering([budget('a', mine), budget('b', mine), budget('c', mine)])).toEqual(['a', 'b']);
});

/** Evicts a running pod beside the budgets. */
async function evictBeside(budgets: readonly Entry[], growth?: 'moves'): Promise<void> {
  const running = { kind: 'Pod', metadata: pod.metadata, status: { phase: 'Running' } };
  const snapshot: Partial<CollectionSnapshot> = { revision: 7, entries: () => budgets, count: () => 1 };
  const verbs = createRegistry({
    storage: {
      ...dryRunStorage(new Map([['core/pods/ns/p', Buffer.from(JSON.stringify(running))]])),
      snapshot: () => Promise.resolve(snapshot as CollectionSnapshot),
    },
    ...{ catalogue, admission: createAdmissionChain([]), isFeatureEnabled: () => true },
    ...{ ...systemEnvironment, collectsGarbage: false },
  });
  const request = {
    ...{ resource: catalogue.resource('', 'v1', 'pods'), namespace: 'ns', subresource: 'eviction' },
    ...{ dryRun: true, fieldManager: '', user: { name: 'ann', uid: '', groups: [], extra: {} } },
    ...{ growth, signal: AbortSignal.timeout(60_000), warn: () => undefined },
    assertMayCreate: () => Promise.resolve(),
  } as unknown as RequestScope;
  await verbs.act(request, 'p', 'create', {});
}

test('large budgets are looked through in several turns, by several evictions at once', async () => {
  const matchExpressions = Array.from({ length: 4_000 }, (_, i) => ({
    ...{ key: `k${String(i)}`, operator: 'NotIn', values: ['v'] },
  }));
  const selector = { matchExpressions: [...matchExpressions, { key: 'app', operator: 'DoesNotExist' }] };
  let longest = Infinity;
  for (let round = 0; round < 4 && longest >= cpuBudget(15); round += 1) {
    const entries = Array.from({ length: 10 }, (_, i) => budget(`b${String(round)}-${String(i)}`, selector));
    const [turn = 0] = await turnsOf(() => Promise.all([evictBeside(entries), evictBeside(entries)]));
    longest = Math.min(longest, turn);
  }
  expect(longest).toBeLessThan(cpuBudget(15));
});

test('a large budget is spent where large writes are carried out', async () => {
  const values = Array.from({ length: 20_000 }, (_, i) => `v${String(i)}`);
  const selector = { matchExpressions: [{ key: 'app', operator: 'In', values: [...values, 'web'] }] };
  await expect(evictBeside([budget('b', selector)], 'moves')).rejects.toThrow(GrownWrite);
});

test('nothing is looked at for a client that is gone', async () => {
  const gone = { ...scope, resource, signal: AbortSignal.abort(new Error('gone')) } as RequestScope;
  await expect(coveringBudgets(gone, [budget('a', mine)], pod)).rejects.toThrow('gone');
});

test('a selector holds for the labels that match its text', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'constructor');
  const expression = fc
    .record({
      key: word,
      operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
      values: fc.array(word, { minLength: 1, maxLength: 3 }),
    })
    .map(({ values, ...one }) => (one.operator.endsWith('In') ? { ...one, values } : one));
  const labels = fc.dictionary(word, word);
  const selector = fc.record({
    matchLabels: labels,
    matchExpressions: fc.array(expression, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(selector, labels, (one, own) => {
      expect(selectorHolds(one, own)).toBe(parseLabelSelector(selectorText(one)).matches(own));
    }),
  );
});
