/** The etcd in memory answers as a real one does: the same random programs run on both, and all answers are compared. */
import fc from 'fast-check';

import { program, resolved, type Step } from './support/programs.ts';
import { Twins, type Outcome, type TwinWatch } from './support/twins.ts';

const { ORCH_TEST_ETCD_PROGRAMS: asked } = process.env;
/** The same programs each time; those of a run that asks for a number are fresh ones. */
const runs = asked === undefined ? { numRuns: 15, seed: 19 } : { numRuns: Number(asked) };

let twins: Twins;

beforeAll(async () => {
  twins = await Twins.start();
});
afterAll(() => twins.close());

interface WatchFields {
  readonly key: Buffer;
  readonly filters: readonly number[];
  readonly start_revision: number;
}

interface OpenWatch {
  readonly watch: TwinWatch;
  readonly key: Buffer;
  readonly filters: readonly number[];
}

test('random programs', async () => {
  const run = async (steps: readonly Step[]): Promise<void> => {
    await twins.reset();
    const watches: OpenWatch[] = [];
    try {
      for (const each of steps) await runStep(each, watches);
      // The last events of each watch, so that one too many would be seen.
      for (const { key, filters } of watches) await poke(key, filters);
      for (const { watch } of watches) await watch.settle();
    } finally {
      for (const { watch } of watches) watch.cancel();
    }
  };
  await fc.assert(fc.asyncProperty(program, run), { ...runs, endOnFailure: true });
}, 600_000);

async function runStep({ name, request }: Step, watches: OpenWatch[]): Promise<void> {
  const now = resolved(request, twins.origin);
  if (name === 'watch') watches.push(await openWatch(now));
  else if (name === 'timeToLive' || name === 'leases') await askAboutLeases(name, now);
  else {
    // etcd reads what was before an event when it sends the event; a compaction must not come in between.
    if (name === 'compact') for (const { watch } of watches) await watch.settle();
    await twins.ask(name, now);
  }
}

/** Remaining times differ by what a call takes, and so may the order of leases that end at almost the same time. */
async function askAboutLeases(name: 'timeToLive' | 'leases', request: object): Promise<void> {
  const [real, memory] = (await twins.outcomes(name, request)).map(withoutTimes);
  expect(memory).toEqual(real);
}

function withoutTimes(outcome: Outcome): unknown {
  if (!('answer' in outcome)) return outcome;
  const answer = outcome.answer as { TTL?: string; leases?: { ID: string }[] };
  const TTL = answer.TTL === undefined ? undefined : Number(answer.TTL) > 0;
  return { ...answer, TTL, leases: answer.leases?.map(({ ID }) => ID).sort() };
}

/**
 * Waits until both have caught up, which etcd does ten times a second: what happens before that it sends together. A
 * watch that gets something when it is poked has caught up.
 */
async function openWatch(request: object): Promise<OpenWatch> {
  const { key, filters, start_revision: start } = request as WatchFields;
  // Only late releases of 3.5 and 3.6 refuse negative revisions.
  // A watch that never gets an event does not show when it has caught up.
  const isAsked = (start >= 0 || twins.release === '3.4') && filters.length < 2;
  const watch = twins.watch({ ...request, start_revision: isAsked ? start : 0 });
  await watch.settle();
  await poke(key, filters);
  await watch.settle();
  return { watch, key, filters };
}

/** Makes an event for a watch of this key that is not left out, if there is one. */
async function poke(key: Buffer, filters: readonly number[]): Promise<void> {
  const watched = key.length === 0 ? Buffer.from([0]) : key;
  if (filters.length > 1) return;
  await twins.ask('put', { key: watched, value: Buffer.from('poke') });
  if (filters.includes(0)) await twins.ask('deleteRange', { key: watched });
}
