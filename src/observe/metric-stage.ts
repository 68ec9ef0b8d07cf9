/**
 * Lifecycle of a metric (Kubernetes documentation, "Metric lifecycle"): Active ──deprecatedIn──▶ Deprecated
 * ──deprecatedIn = release − 3──▶ Hidden (shown again by --show-hidden-metrics-for-version)
 */
import type { Release } from './release.ts';
import { parseRelease, releaseText } from './release.ts';

export type MetricStage = 'active' | 'deprecated' | 'hidden';

/** Releases between deprecation and hiding. */
const visibleReleases = 3;

/** How much a metric may still change: a stable one keeps its name, type and labels. */
export type Stability = 'STABLE' | 'BETA' | 'ALPHA';

/** The text behind `# HELP`: the stability, whether the metric is deprecated, and what it means. */
export function helpText(
  {
    help,
    stability = 'ALPHA',
    deprecatedIn,
  }: { readonly help: string; readonly stability?: Stability; readonly deprecatedIn?: string },
  release: Release,
): string {
  const isDeprecated = metricStage(deprecatedIn, release) !== 'active';
  return `[${stability}] ${isDeprecated ? `(Deprecated from ${deprecatedIn ?? ''}) ` : ''}${help}`;
}

/** The stage of a metric at a release. `deprecatedIn` absent: always active. @throws Error for a malformed release */
export function metricStage(deprecatedIn: string | undefined, release: Release): MetricStage {
  if (deprecatedIn === undefined) return 'active';
  const deprecated = parseRelease(deprecatedIn);
  if (!deprecated) throw new Error(`not a release: ${deprecatedIn}`);
  if (isAfter(deprecated, release)) return 'active';
  return hiddenFrom(deprecated).minor <= release.minor ? 'hidden' : 'deprecated';
}

/**
 * Whether a hidden metric is shown by `--show-hidden-metrics-for-version`: those that the named release still had.
 */
export function isShown(deprecatedIn: string, showHiddenFor: Release | undefined): boolean {
  const deprecated = parseRelease(deprecatedIn);
  return !!deprecated && !!showHiddenFor && isAfter(hiddenFrom(deprecated), showHiddenFor);
}

/**
 * Reads the flag's value; only the release before the current one is a valid value.
 * @throws Error that names the valid value
 */
export function parseShowHidden(text: string, release: Release): Release | undefined {
  if (text === '') return undefined;
  const previous = { major: release.major, minor: release.minor - 1 };
  const given = parseRelease(text);
  if (given?.major !== previous.major || given.minor !== previous.minor) {
    throw new Error(
      `--show-hidden-metrics-for-version must be the previous release ${releaseText(previous)}, not ${JSON.stringify(text)}`,
    );
  }
  return given;
}

function hiddenFrom(deprecated: Release): Release {
  return { major: deprecated.major, minor: deprecated.minor + visibleReleases };
}

function isAfter(a: Release, b: Release): boolean {
  return a.major > b.major || (a.major === b.major && a.minor > b.minor);
}
