/**
 * Lengthens every list and map of every kind and version of the catalogue and writes the objects as dry runs; prints
 * which of them take time or memory more than linearly, hold the thread for too long, or are answered at too much
 * length, and ends with 1 if there are any. A seed decides what is tried of the many places that several kinds have
 * (plan.ts). A process of its own, since the test runner's global objects take most of the time that is measured.
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
import { placesOf, planOf } from './plan.ts';
import type { Site } from './sites.ts';
import type { Variety } from './values.ts';

/** Places that several kinds have are tried by every write in every variety of each kind, not by some. */
const isExhaustive = process.env['ORCH_TEST_GROWTH'] === 'every';

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

interface Work {
  /** Part of the names of what is tried. */
  readonly only: string;
  /** Of so many processes that share the work. */
  readonly part: number;
  readonly parts: number;
  readonly seed: number;
}

async function main({ only, part, parts, seed }: Work): Promise<void> {
  const samples = new Map<ServedResource, JsonObject>();
  for (const planned of planOf(placesOf(resources()), { seed, isExhaustive })) {
    const { resource, sites, nesting, share } = planned;
    if (share % parts !== part || !nameOf(resource, sites).includes(only)) continue;
    const sample = samples.get(resource) ?? (await sampleIn(resource));
    samples.set(resource, sample);
    const target = { resource, sample, sites, ...(nesting && { nesting }) };
    const objects = new LongObjects(target);
    for (const trial of planned.trials) await check({ target, objects, ...trial }, planned.limits);
  }
}

function resources(): ServedResource[] {
  return catalogue.groups().flatMap(({ versions }) => versions.flatMap((version) => version.resources));
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
  const { target, variety, write } = one;
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

const [only = '', part = '0', parts = '1', seed = '0'] = process.argv.slice(2);
await main({ only, part: Number(part), parts: Number(parts), seed: Number(seed) });
console.log(`${String(cases)} cases, ${(processCpuMs() / 1000).toFixed(0)} s`);
process.exitCode = failures.length === 0 ? 0 : 1;
