/**
 * Which lists and maps of which kinds are made long, and by which writes. What is looked at for the first time is tried in
 * every way; what other kinds have, too, and pairs of lists are a sample, of which a seed decides: all seeds together try
 * everything (test/unit/support/growth-plan.test.ts).
 */
import type { ServedResource } from '../../../src/registry/types.ts';
import type { WriteKind } from './dry-writer.ts';
import type { Nesting } from './long-objects.ts';
import type { Limits } from './measure.ts';
import type { Pair, Site } from './sites.ts';
import { neighbours, pairsOf, schemaOf, sitesOf } from './sites.ts';
import { collectionOf, varieties, type Variety } from './values.ts';

/** There are thousands of pairs of lists in one object; all of them would take some twenty minutes. */
const everyPair = 40;
/** Seeds are 0 to this number, without it; what a seed leaves out, another one has. */
export const growthSeeds = everyPair;

/** Of a place that is looked at for the first time: a field of a struct, in whatever kind. */
const thorough: Limits = { start: 2_048, maxBytes: 3_000_000 };
/** Of a place that other kinds have, too. */
const quick: Limits = { start: 768, maxBytes: 3_000_000 };
/** Of two lists of one object, which may only be compared with each other where both are long. */
const long: Limits = { start: 8_192, maxBytes: 3_000_000 };

export interface Trial {
  readonly variety: Variety;
  readonly write: WriteKind;
}

/** What is made long in objects of a kind, and how they are written. */
export interface Planned {
  readonly resource: ServedResource;
  readonly sites: readonly Site[];
  readonly nesting?: Nesting;
  readonly limits: Limits;
  readonly trials: readonly Trial[];
  /** Tells it from the others, whatever the seed. */
  readonly turn: number;
  /** By its remainder several processes share the work. */
  readonly share: number;
}

export interface PlanOptions {
  readonly seed: number;
  /** Places that several kinds have are tried by every write in every variety of each kind. */
  readonly isExhaustive?: boolean;
}

const writes: readonly WriteKind[] = ['create', 'update', 'merge patch', 'strategic patch', 'apply'];
const changes = writes.slice(1);

/** One list or map of a kind, those that stand beside each other, or a pair of lists. */
export interface Place {
  readonly resource: ServedResource;
  readonly sites: readonly Site[];
  /** No kind before has it. */
  readonly isNew: boolean;
  readonly pair?: Pair;
  readonly turn: number;
}

/** All that may be planned, whatever the seed. */
export function placesOf(resources: readonly ServedResource[]): Place[] {
  const seen = new Set<string>();
  const places: Place[] = [];
  const isFirst = (resource: ServedResource, sites: readonly Site[]): boolean => {
    const name = placeOf(resource, sites);
    return !seen.has(name) && Boolean(seen.add(name));
  };
  for (const resource of resources) {
    const all = sitesOf(resource.schema);
    for (const sites of [...all.map((site) => [site]), ...neighbours(all)]) {
      const isNew = isFirst(resource, sites);
      if (isNew || sites.length === 1) places.push({ resource, sites, isNew, turn: places.length });
    }
    for (const pair of isWritten(resource) ? pairsOf(all) : []) {
      const { sites } = pair;
      if (sites.some((site) => schemaOf(site).type !== 'list') || !isFirst(resource, sites)) continue;
      places.push({ resource, sites, isNew: true, pair, turn: places.length });
    }
  }
  return places;
}

/** What one run tries. */
export function planOf(places: readonly Place[], options: PlanOptions): Planned[] {
  return places.flatMap((place): Planned[] => {
    const { resource, sites, isNew, pair, turn } = place;
    if (pair) return (turn + options.seed) % everyPair === 0 ? pairPlans(place, pair) : [];
    return [
      {
        resource,
        sites,
        limits: isNew ? thorough : quick,
        trials: trialsOf(place, options),
        turn,
        share: turn,
      },
    ];
  });
}

/** Pods themselves have rules for changes that their templates in other kinds have not. */
function placeOf({ gvr }: ServedResource, sites: readonly Site[]): string {
  return `${gvr.resource === 'pods' ? 'pods ' : ''}${sites.map(({ place }) => place).join()}`;
}

/** Reports of the service itself are only read. */
function isWritten({ definition }: ServedResource): boolean {
  return definition.virtual !== true || definition.verbs.includes('create');
}

function pairPlans({ resource, sites, turn }: Place, { isNested }: Pair): Planned[] {
  const write = resource.definition.virtual === true ? 'create' : 'update';
  const share = Math.floor(turn / everyPair);
  const trials: Trial[] = [{ variety: 'distinct', write }];
  const plan = { resource, sites, limits: long, trials, turn, share };
  return isNested
    ? (['more items', 'longer items'] as const).map((nesting) => ({ ...plan, nesting }))
    : [plan];
}

function trialsOf(
  { resource, sites, isNew, turn }: Place,
  { seed, isExhaustive = false }: PlanOptions,
): Trial[] {
  if (!isWritten(resource)) return [];
  const isVirtual = resource.definition.virtual === true;
  const having = varieties.filter((variety) => hasVariety(sites, variety));
  return having.flatMap((variety, i) => {
    if (isVirtual) return [{ variety, write: 'create' }];
    if (isNew || isExhaustive) return writes.map((write) => ({ variety, write }));
    const change = changes[(turn + seed + i) % changes.length] ?? 'update';
    return sampled({ variety, change, sites, drawn: turn + seed });
  });
}

interface Drawn {
  readonly variety: Variety;
  readonly change: WriteKind;
  readonly sites: readonly Site[];
  readonly drawn: number;
}

/** What templates hold in one kind after the other goes through the same rules: three of four varieties in a run. */
function sampled({ variety, change, sites, drawn }: Drawn): Trial[] {
  const both: Trial[] = [
    { variety, write: 'create' },
    { variety, write: change },
  ];
  const isOfTemplate = sites.some(({ path }) => path.includes('emplate.'));
  if (!isOfTemplate || variety === 'distinct' || variety === 'equal') return both;
  const isLeftOut = (drawn >> 2) % 2 === (variety === 'bare' ? 0 : 1);
  return isLeftOut ? [] : both;
}

/** Whether there is something to make long in this variety. */
export function hasVariety(sites: readonly Site[], variety: Variety): boolean {
  return sites.some((site) => collectionOf(site.field, schemaOf(site), variety, 1) !== undefined);
}
