/** What the growth test tries: each kind by all writes in every run, and by all seeds everything. */
import { catalogue } from '../../support/growth/dry-writer.ts';
import {
  growthSeeds,
  hasVariety,
  placesOf,
  planOf,
  type Planned,
  type Trial,
} from '../../support/growth/plan.ts';
import { sitesOf } from '../../support/growth/sites.ts';
import { varieties } from '../../support/growth/values.ts';
import type { ServedResource } from '../../../src/registry/types.ts';

const resources = catalogue
  .groups()
  .flatMap(({ versions }) => versions.flatMap((version) => version.resources));
const seeds = Array.from({ length: growthSeeds }, (_, seed) => seed);
const places = placesOf(resources);
const runs = seeds.map((seed) => planOf(places, { seed }));
const writes = ['create', 'update', 'merge patch', 'strategic patch', 'apply'] as const;

const nameOf = ({ gvk, gvr }: ServedResource): string => `${gvk.group}/${gvk.version} ${gvr.resource}`;
const isPair = ({ sites, limits }: Planned): boolean => sites.length === 2 && limits.start > 4_000;
const placeIn = ({ resource, sites }: Planned): string =>
  `${nameOf(resource)} ${sites.map(({ path }) => path).join(' + ')}`;
const wordsOf = ({ variety, write }: Trial): string => `${variety}, ${write}`;

/** The ways in which a kind can be written at all. */
function possibleWrites({ definition }: ServedResource): readonly string[] {
  if (definition.virtual !== true) return writes;
  return definition.verbs.includes('create') ? ['create'] : [];
}

const possibleVarieties = new Map(
  resources.map((resource) => {
    const sites = sitesOf(resource.schema);
    return [resource, varieties.filter((variety) => hasVariety(sites, variety)).sort()];
  }),
);
const written = resources.filter((resource) => possibleWrites(resource).length > 0);

test('there are kinds of all groups, and none but reports of the service itself is left out', () => {
  expect(written.length).toBeGreaterThan(70);
  for (const resource of resources)
    if (!written.includes(resource)) expect(resource.definition.verbs).not.toContain('create');
});

test('in each run every kind and version is written in all ways: distinct, equal and enum-valued items, all writes', () => {
  for (const run of runs) {
    const kinds = Map.groupBy(run, ({ resource }) => resource);
    for (const resource of written) {
      const trials = (kinds.get(resource) ?? []).flatMap((planned) => planned.trials);
      const has = (key: keyof Trial): string[] => [...new Set(trials.map((trial) => trial[key]))].sort();
      expect([nameOf(resource), has('write')]).toEqual([
        nameOf(resource),
        [...possibleWrites(resource)].sort(),
      ]);
      expect([nameOf(resource), has('variety')]).toEqual([nameOf(resource), possibleVarieties.get(resource)]);
    }
  }
});

test('no run writes what is only read', () => {
  for (const { resource, trials } of runs.flat())
    for (const { write } of trials) expect(possibleWrites(resource)).toContain(write);
});

test('in each run every list and map of every kind and version is met', () => {
  const [first = [], ...others] = runs.map((run) => run.filter((planned) => !isPair(planned)).map(placeIn));
  for (const other of others) expect(other).toEqual(first);
  const met = new Set(first);
  const wanted = resources.flatMap((resource) =>
    sitesOf(resource.schema).map(({ path }) => `${nameOf(resource)} ${path}`),
  );
  expect(wanted.filter((place) => !met.has(place))).toEqual([]);
});

test('all runs together try every place of every kind by every write in every variety', () => {
  const tried = new Map<string, Set<string>>();
  for (const planned of runs.flat()) {
    if (isPair(planned)) continue;
    const at = tried.get(placeIn(planned)) ?? new Set();
    for (const trial of planned.trials) at.add(wordsOf(trial));
    tried.set(placeIn(planned), at);
  }
  const all = planOf(places, { seed: 0, isExhaustive: true }).filter((planned) => !isPair(planned));
  for (const planned of all)
    expect([placeIn(planned), [...(tried.get(placeIn(planned)) ?? [])].sort()]).toEqual([
      placeIn(planned),
      planned.trials.map(wordsOf).sort(),
    ]);
});

test('all runs together try every pair of lists, each in one of them', () => {
  const tried = runs.flatMap((run) => [...new Set(run.filter(isPair).map(({ turn }) => turn))]);
  const pairs = places.filter(({ pair }) => pair !== undefined).map(({ turn }) => turn);
  expect(pairs.length).toBeGreaterThan(1_000);
  expect(tried.sort((a, b) => a - b)).toEqual(pairs);
});
