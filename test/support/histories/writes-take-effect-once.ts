/**
 * No acknowledged write is lost or doubled, no refused one took effect: each write that was acknowledged is one commit,
 * at the version that was told; one of unknown outcome is one commit at most; a condition held when it took effect; a
 * creation found nothing and an update something; every value was written by somebody, after the call.
 */
import type { Step } from './past-index.ts';
import { TruthIndex } from './truth-index.ts';
import { Violations } from './violations.ts';
import { wordsOfWrite } from './words.ts';
import type { History, Validator, WriteRecord } from './types.ts';

export const writesTakeEffectOnce: Validator = (history, truth) => {
  const index = TruthIndex.of(truth);
  const found = new Violations();
  for (const write of history.writes) {
    if (write.value === '') continue;
    for (const words of wrongOutcome(write, index)) found.add(`${wordsOfWrite(write)} ${words}`);
  }
  for (const words of unknownValues(history, index)) found.add(words);
  for (const words of deletionsWithoutCommit(history, index)) found.add(words);
  return found.list();
};

function wrongOutcome(write: WriteRecord, index: TruthIndex): string[] {
  const { outcome, collection, key, value, call } = write;
  const inEach = index.pasts.map((past) => past.arrivals(collection, key, value));
  const wrong = inEach
    .filter((steps) => steps.length > 1)
    .map((steps) => `took effect at ${steps.map(({ revision }) => revision).join(' and ')}`);
  const steps = inEach.flat();
  const [step] = steps;
  if (outcome.kind === 'refused' && step) wrong.push(`was refused and took effect at ${step.revision}`);
  if (outcome.kind === 'done') {
    const { version } = outcome;
    if (!step) wrong.push('was acknowledged and is lost');
    else if (version !== undefined && !steps.some(({ revision }) => revision === version))
      wrong.push(`was told ${version} and took effect at ${step.revision}`);
  }
  if (!step) return wrong;
  const first = index.pasts[inEach.findIndex((some) => some.length > 0)];
  if (first && first.past.from < index.pastAt(call).past.from)
    wrong.push(`took effect at ${step.revision} of a past that was over`);
  return [...wrong, ...wrongGround(write, step)];
}

/** What must have been there when the write took effect. */
function wrongGround({ verb, expected }: WriteRecord, { revision, previousRevision }: Step): string[] {
  if (verb === 'create' && previousRevision !== 0)
    return [`took effect at ${revision} over ${previousRevision}`];
  if (verb === 'update' && previousRevision === 0) return [`took effect at ${revision} without an object`];
  if (expected !== undefined && previousRevision !== expected)
    return [`took effect at ${revision} over ${previousRevision}`];
  return [];
}

function unknownValues({ writes }: History, { pasts }: TruthIndex): string[] {
  const nameOf = (of: { collection: string; key: string; value: string }): string =>
    `${of.collection}/${of.key}=${of.value}`;
  const known = new Set(writes.map(nameOf));
  const collections = new Set(writes.map(({ collection }) => collection));
  const had = pasts.flatMap((past) =>
    [...collections].flatMap((collection) =>
      past.values(collection).map((value) => nameOf({ collection, ...value })),
    ),
  );
  return [...new Set(had)].filter((name) => !known.has(name)).map((name) => `nobody wrote ${name}`);
}

/** For each object, there are as many removals as acknowledged deletions at least. */
function deletionsWithoutCommit({ writes }: History, index: TruthIndex): string[] {
  const done = new Map<string, WriteRecord[]>();
  for (const write of writes) {
    if (write.verb !== 'delete' || write.isMark === true || write.outcome.kind !== 'done') continue;
    const name = JSON.stringify([write.collection, write.key]);
    done.set(name, [...(done.get(name) ?? []), write]);
  }
  return [...done.values()].flatMap((deletions) => {
    const [{ collection, key } = { collection: '', key: '' }] = deletions;
    // What pasts have in common is the same removal.
    const removed = index.pasts
      .flatMap((past) => past.stepsOf(collection, key).filter(({ revision }) => revision > past.past.base))
      .filter(({ put }) => put === undefined).length;
    if (removed >= deletions.length) return [];
    const words = deletions.map(wordsOfWrite).join('; ');
    return [`${key} was removed ${removed} times, but acknowledged were: ${words}`];
  });
}
