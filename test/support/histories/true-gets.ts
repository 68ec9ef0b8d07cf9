/**
 * Gets show states that were: what is found is a state of the object that etcd had, at the version that it says. An
 * exact get is the state at that version, one that is not older no state that ended before it, and absence is possible
 * only if the object was absent at some version that the freshness allows.
 */
import type { PastIndex, Step } from './past-index.ts';
import { TruthIndex } from './truth-index.ts';
import { Violations } from './violations.ts';
import { wordsOfGet } from './words.ts';
import type { GetRecord, Revision, State, Validator } from './types.ts';

export const trueGets: Validator = ({ gets }, truth) => {
  const index = TruthIndex.of(truth);
  const found = new Violations();
  for (const get of gets) {
    if ('error' in get.answer) continue;
    const { found: state } = get.answer;
    const each = index
      .pastsOfGet(get)
      .map((past) => (state === undefined ? wrongAbsence(get, past) : wrongState(get, state, past)));
    const words = each.includes('') ? '' : (each[0] ?? '');
    if (words !== '') found.add(`${wordsOfGet(get)} ${words}`);
  }
  return found.list();
};

function wrongState({ collection, key, freshness }: GetRecord, state: State, past: PastIndex): string {
  const words = `found ${state.key}=${state.value} at ${state.version}`;
  if (state.key !== key) return words;
  if (!past.had(collection, state)) return `${words}, which etcd never had`;
  const uid = past.stepAt(collection, key, state.version)?.put?.uid;
  if (uid !== undefined && state.uid !== undefined && uid !== state.uid)
    return `${words} with uid ${state.uid}, which is ${uid}`;
  const asked = askedRevision(freshness);
  const steps = past.stepsOf(collection, key);
  const next = steps.find(({ revision }) => revision > state.version)?.revision ?? Infinity;
  if (next <= asked) return `${words}, which ended at ${next}`;
  if (freshness.kind === 'exact' && state.version > asked) return words;
  return '';
}

function wrongAbsence({ collection, key, freshness }: GetRecord, past: PastIndex): string {
  const asked = askedRevision(freshness);
  const now = past.stepAt(collection, key, asked);
  if (now?.put === undefined) return '';
  const later = (step: Step): boolean => step.revision > asked && step.put === undefined;
  const mayBeLater = freshness.kind !== 'exact' && past.stepsOf(collection, key).some(later);
  return mayBeLater ? '' : `found nothing, but there is ${key}=${now.put.value} at ${now.revision}`;
}

function askedRevision(freshness: GetRecord['freshness']): Revision {
  return 'revision' in freshness ? freshness.revision : 0;
}
