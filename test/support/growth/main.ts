/**
 * Lengthens every list and map of every kind and version of the catalogue and writes the objects as dry runs; prints
 * which of them take time or memory more than linearly, hold the thread for too long, or are answered at too much
 * length, and ends with 1 if there are any. Lists of one object are tried in pairs as well, a sample of them. A process
 * of its own, since the test runner's global objects take most of the time that is measured.
 */
import type { JsonObject } from '../../../src/base/json.ts';
import { deepCopy } from '../../../src/base/json.ts';
import { apiVersionOf } from '../../../src/meta/gvk.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import { sampleOf } from '../samples.ts';
import { collectAllErrors } from './all-errors.ts';
import type { WriteKind } from './dry-writer.ts';
import { catalogue, DryWriter } from './dry-writer.ts';
import type { Target } from './long-objects.ts';
import { LongObjects } from './long-objects.ts';
import type { Limits } from './measure.ts';
import { processCpuMs, superlinear } from './measure.ts';
import type { Pair, Site } from './sites.ts';
import { neighbours, pairsOf, schemaOf, sitesOf } from './sites.ts';
import type { Variety } from './values.ts';
import { varieties } from './values.ts';

/** Of a place that is looked at for the first time: a field of a struct, in whatever kind. */
const thorough: Limits = { start: 2_048, maxBytes: 3_000_000 };
/** Of a place that other kinds have, too. */
const quick: Limits = { start: 768, maxBytes: 3_000_000 };

/** Of two lists of one object, which may only be compared with each other where both are long. */
const long: Limits = { start: 8_192, maxBytes: 3_000_000 };
/** There are thousands of such pairs; all of them would take some twenty minutes. */
const everyPair = 40;
/** Places that several kinds have are tried by every write in every variety of each kind, not by some in turns. */
const isExhaustive = process.env['ORCH_TEST_GROWTH'] === 'every';

const writes: readonly WriteKind[] = ['create', 'update', 'merge patch', 'strategic patch', 'apply'];
const laterWrites = writes.slice(2);
const maxAnswerBytes = 150_000;
const maxCauses = 500;

/** A write of an object that is long in some way. */
interface Case {
  readonly target: Target;
  readonly objects: LongObjects;
  readonly variety: Variety;
  readonly write: WriteKind;
}

const failures: string[] = [];

function fail(text: string): void {
  failures.push(text);
  console.log(text);
}
let cases = 0;

/** @param only part of the names of what is tried; @param part of so many processes that share the work */
async function main(only: string, part: number, parts: number): Promise<void> {
  let turn = 0;
  const seen = new Set<string>();
  for (const resource of resources()) {
    const sample = await sampleIn(resource);
    const all = sitesOf(resource.schema);
    for (const sites of [...all.map((site) => [site]), ...neighbours(all)]) {
      const place = placeOf(resource, sites);
      const isNew = !seen.has(place);
      seen.add(place);
      if (!isNew && sites.length > 1) continue;
      turn += 1;
      if (turn % parts !== part || !nameOf(resource, sites).includes(only)) continue;
      await checkAll({ resource, sample, sites }, isNew, turn);
    }
    for (const pair of pairsOf(all)) {
      const place = placeOf(resource, pair.sites);
      if (seen.has(place) || pair.sites.some((site) => schemaOf(site).type !== 'list')) continue;
      seen.add(place);
      turn += 1;
      const isChosen = turn % everyPair === 0 && (turn / everyPair) % parts === part;
      if (isChosen && nameOf(resource, pair.sites).includes(only))
        await checkPair({ resource, sample }, pair);
    }
  }
}

async function checkPair(
  kind: Pick<Target, 'resource' | 'sample'>,
  { sites, isNested }: Pair,
): Promise<void> {
  const nestings = isNested ? (['more items', 'longer items'] as const) : [undefined];
  const write = kind.resource.definition.virtual === true ? 'create' : 'update';
  for (const nesting of nestings) {
    const target = { ...kind, sites, ...(nesting && { nesting }) };
    await check({ target, objects: new LongObjects(target), variety: 'distinct', write }, long);
  }
}

/** Pods themselves have rules for changes that their templates in other kinds have not. */
function placeOf({ gvr }: ServedResource, sites: readonly Site[]): string {
  return `${gvr.resource === 'pods' ? 'pods ' : ''}${sites.map(({ place }) => place).join()}`;
}

async function checkAll(target: Target, isNew: boolean, turn: number): Promise<void> {
  const objects = new LongObjects(target);
  for (const variety of varieties)
    for (const planned of writesOf(target.resource, isNew)) {
      // Where the place is known, patches and apply take turns in the stead of one of four updates.
      const isTheirs = !isNew && !isExhaustive && variety === 'equal' && planned === 'update';
      const write = isTheirs ? (laterWrites[Math.floor(turn / 2) % laterWrites.length] ?? planned) : planned;
      // What templates hold in one kind after the other goes through the same rules.
      const isKnown = !isNew && !isExhaustive && target.sites.some(({ path }) => path.includes('emplate.'));
      if (isKnown && (variety === 'bare' || (variety === 'words' && write === 'update'))) continue;
      await check({ target, objects, variety, write }, isNew ? thorough : quick);
    }
}

function resources(): ServedResource[] {
  return catalogue.groups().flatMap(({ versions }) => versions.flatMap((version) => version.resources));
}

function writesOf({ definition }: ServedResource, isNew: boolean): readonly WriteKind[] {
  if (definition.virtual === true) return definition.verbs.includes('create') ? ['create'] : [];
  return isNew || isExhaustive ? writes : ['create', 'update'];
}

/** Of kinds that are asked for and never stored. */
const unstored: JsonObject = {
  metadata: { name: 'a' },
  spec: { token: 't', user: 'ann', resourceAttributes: { namespace: 'default', verb: 'get' } },
};

/** The sample of the kind in this version; what is never stored has one of its own. */
async function sampleIn(resource: ServedResource): Promise<JsonObject> {
  const stored = (await sampleOf(resource.storage.collection)) ?? unstored;
  const sample = resource.conversion.isInternal ? stored : resource.conversion.fromInternal(deepCopy(stored));
  return { ...sample, kind: resource.gvk.kind, apiVersion: apiVersionOf(resource.gvk) };
}

async function check(one: Case, limits: Limits): Promise<void> {
  const { target, objects, variety, write } = one;
  if (!objects.has(variety)) return;
  cases += 1;
  // Answers are as the service gives them where something is created; for the rest all rules run to their end.
  collectAllErrors(write !== 'create');
  let problem = '';
  const growth = await superlinear((length) => {
    const { bytes, run } = prepared(one, length);
    return {
      bytes,
      run: async () => {
        const { code, size, causes } = await run();
        if (code !== 0 && write === 'create' && (size > maxAnswerBytes || causes > maxCauses))
          problem = `${String(code)} of ${String(size)} bytes and ${String(causes)} causes`;
      },
    };
  }, limits);
  const name = `${nameOf(target.resource, target.sites)}, ${variety}, ${write}`;
  if (problem !== '') fail(`${name}: ${problem}`);
  if (!growth) return;
  const { ms, bytes, length, ratio, allocated, allocatedRatio } = growth;
  fail(
    `${name}: ${ms.toFixed(0)} ms and ${(allocated / 1_048_576).toFixed(0)} MiB for ${String(length)} items (${String(bytes)} bytes), ${ratio.toFixed(1)} times as long and ${allocatedRatio.toFixed(1)} times as much as for half of them`,
  );
}

function nameOf({ gvr, gvk }: ServedResource, sites: readonly Site[]): string {
  return `${apiVersionOf(gvk)}/${gvr.resource} ${sites.map(({ path }) => path).join(' + ')}`;
}

function prepared(
  { target, objects, variety, write }: Case,
  length: number,
): { bytes: number; run: () => ReturnType<DryWriter['write']> } {
  const { resource, sites } = target;
  const isOfStatus = sites.every(({ path }) => path.startsWith('status'));
  const subresource = isOfStatus && write !== 'create' && resource.subresource('status') ? 'status' : '';
  const body = objects.body(variety, length, write === 'apply');
  const stored = write === 'create' ? new Map<string, Buffer>() : objects.stored(variety, length);
  const writer = new DryWriter(stored);
  const bytes = stored.values().reduce((sum, { length: more }) => sum + more, body.length);
  return { bytes, run: () => writer.write(write, { resource, name: objects.name, body, subresource }) };
}

const [only = '', part = '0', parts = '1'] = process.argv.slice(2);
await main(only, Number(part), Number(parts));
console.log(`${String(cases)} cases, ${(processCpuMs() / 1000).toFixed(0)} s`);
process.exitCode = failures.length === 0 ? 0 : 1;
