/** The feature gates of a release: which names it knows, their stages and defaults. */
import { knownFeatures, type Feature, type FeatureStage } from './feature-gates.ts';
import { gateHistory } from './gate-history.ts';
import { inertGateHistory } from './inert-gate-history.ts';
import { isAtLeast, parseRelease, type Release } from './release.ts';

const featuresByRelease = new Map<number, readonly Feature[]>();

/**
 * All gates that code may ask for in a release, and those that it knows and that change nothing here, in alphabetical order. A
 * gate that the release does not know yet is off; one that it does not know any more is what it was in the end. Neither can be set.
 */
export function featuresOf(release: Release): readonly Feature[] {
  const known = featuresByRelease.get(release.minor) ?? createFeatures(release);
  featuresByRelease.set(release.minor, known);
  return known;
}

function createFeatures(release: Release): Feature[] {
  const purposes = new Map(knownFeatures.map(({ name, purpose }) => [name, purpose]));
  const features = [
    ...Object.entries(gateHistory).map(([name, life]) => featureIn(release, name, life)),
    ...Object.entries(inertGateHistory).map(([name, life]) => inertIn(release, name, life)),
  ];
  return features
    .map((feature) => ({ ...feature, purpose: purposes.get(feature.name) ?? '' }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function inertIn(release: Release, name: string, life: string): Feature {
  return { ...featureIn(release, name, life), isInert: true };
}

function featureIn(release: Release, name: string, life: string): Feature {
  const words = life
    .split(', ')
    .map((step) => step.split(' '))
    .filter(([, since = '']) => isReached(release, since))
    .map(([word = '']) => word);
  const stages = words.filter((word) => word !== 'gone');
  const isKnown = stages.length > 0 && stages.length === words.length && stages.at(-1) !== unnamed;
  return { name, purpose: '', ...stageOf(stages.at(-1) ?? 'alpha'), ...(!isKnown && { isUnknown: true }) };
}

/** The feature is there in releases before its gate. */
const unnamed = 'unnamed';

function isReached(release: Release, since: string): boolean {
  const other = parseRelease(since);
  return other !== undefined && isAtLeast(release, other);
}

/** What a word of the history says. A gate that is locked off is one of a feature that went. */
function stageOf(word: string): Pick<Feature, 'stage' | 'default' | 'isLocked'> {
  const [first = '', state] = word.split('-');
  if (first === unnamed) return { stage: 'ga', default: true };
  if (first === 'locked')
    return { stage: state === 'off' ? 'deprecated' : 'ga', default: state !== 'off', isLocked: true };
  const stage = first as FeatureStage;
  const isOn = stage === 'beta' || stage === 'ga' ? state !== 'off' : state === 'on';
  return { stage, default: isOn };
}
