/** The feature gates of a release: which names it knows, their stages and defaults. */
import { knownFeatures, type Feature, type FeatureStage } from './feature-gates.ts';
import { gateHistory } from './gate-history.ts';
import { currentRelease, isAtLeast, parseRelease, type Release } from './release.ts';

const featuresByRelease = new Map<number, readonly Feature[]>();

/**
 * All gates that code may ask for in a release. A gate that the release does not know yet is off; one that it does not
 * know any more is what it was in the end. Neither can be set.
 */
export function featuresOf(release: Release): readonly Feature[] {
  if (release.minor === currentRelease.minor) return knownFeatures;
  const known = featuresByRelease.get(release.minor) ?? createFeatures(release);
  featuresByRelease.set(release.minor, known);
  return known;
}

function createFeatures(release: Release): Feature[] {
  const former = new Map(knownFeatures.map((feature) => [feature.name, feature]));
  const names = new Set([...former.keys(), ...Object.keys(gateHistory)]);
  return [...names].sort().map((name) => featureIn(release, name, former.get(name)));
}

function featureIn(release: Release, name: string, former: Feature | undefined): Feature {
  const history = gateHistory[name];
  if (history === undefined) return former as Feature;
  const purpose = former?.purpose ?? '';
  const words = history
    .split(', ')
    .map((step) => step.split(' '))
    .filter(([, since = '']) => isReached(release, since))
    .map(([word = '']) => word);
  const stages = words.filter((word) => word !== 'gone');
  const { stage, isOn } = stageOf(stages.at(-1) ?? 'deprecated');
  const isKnown = stages.length > 0 && stages.length === words.length;
  return { name, stage, purpose, default: isOn, ...(!isKnown && { isUnknown: true }) };
}

function isReached(release: Release, since: string): boolean {
  const other = parseRelease(since);
  return other !== undefined && isAtLeast(release, other);
}

function stageOf(word: string): { readonly stage: FeatureStage; readonly isOn: boolean } {
  const [stage = '', state] = word.split('-');
  if (stage === 'locked') return { stage: 'ga', isOn: true };
  // A stable gate that is not locked yet can still be switched off.
  if (stage === 'ga') return { stage: 'beta', isOn: state !== 'off' };
  if (stage === 'beta') return { stage: 'beta', isOn: state !== 'off' };
  return { stage: 'alpha', isOn: state === 'on' };
}
