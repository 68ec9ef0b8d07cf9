/**
 * The life of a metric from release to release: `ALPHA 1.21, BETA 1.28, STABLE 1.30, deprecated 1.34, gone 1.35`. Before its
 * first word, and from `gone` on, a release does not print it.
 */
import type { Stability } from './metric-stage.ts';
import { isAtLeast, parseRelease, type Release } from './release.ts';

export interface MetricState {
  readonly isServed: boolean;
  readonly stability: Stability;
  /** Release that deprecated it. */
  readonly deprecatedIn?: string;
}

interface Step {
  readonly word: string;
  readonly since: string;
}

const absent: MetricState = { isServed: false, stability: 'ALPHA' };

/** Of lives, which are written in the code, by release: another replica in the process asks for the same ones. */
const known = new Map<string, MetricState>();

/** What a release has of a metric. @throws Error for a word or a release that is none */
export function stateIn(life: string, release: Release): MetricState {
  const key = `${String(release.major)}.${String(release.minor)} ${life}`;
  const state = known.get(key) ?? read(life, release);
  known.set(key, state);
  return state;
}

function read(life: string, release: Release): MetricState {
  return life
    .split(', ')
    .map(stepOf)
    .filter((step) => isReached(step, release))
    .reduce(after, absent);
}

function stepOf(text: string): Step {
  const [, word, since] = /^(ALPHA|BETA|STABLE|deprecated|gone) (1\.\d+)$/.exec(text) ?? [];
  if (word === undefined || since === undefined) throw new Error(`not a step of a life: ${text}`);
  return { word, since };
}

function isReached({ since }: Step, release: Release): boolean {
  const begin = parseRelease(since);
  return begin !== undefined && isAtLeast(release, begin);
}

function after(state: MetricState, { word, since }: Step): MetricState {
  if (word === 'gone') return { ...state, isServed: false };
  if (word === 'deprecated') return { ...state, deprecatedIn: since };
  return { ...state, isServed: true, stability: word as Stability };
}
