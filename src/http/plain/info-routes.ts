/** `/version`, `/metrics` and the list of paths at `/`. */
import { Slice } from '../../base/cooperate.ts';
import { resultInSlices } from '../../base/sliced-work.ts';
import { byCodeUnits } from '../../base/by-code-units.ts';
import { sortedInSteps } from '../../base/sorted-in-steps.ts';
import { currentRelease, isAtLeast, type Release } from '../../observe/release.ts';
import type { MetricsText } from '../../observe/metric-snapshot.ts';
import { concatSliced } from '../concat-sliced.ts';
import { jsonForm, type ValueForm } from '../representation/value-form.ts';
import type { RequestContext } from '../request-context.ts';
import { sendJson } from '../respond.ts';
import { sendSliced, slicedBytes } from '../sliced-stream.ts';
import type { PlainRoute } from './plain-route.ts';

/** The release that tells which one it emulates. */
const effectiveSince: Release = { major: 1, minor: 33 };

/** The content of `/version`; clients compare `gitVersion`. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  /** From release 1.33 on: the emulated release, and the oldest that it works together with. */
  readonly emulationMajor?: string;
  readonly emulationMinor?: string;
  readonly minCompatibilityMajor?: string;
  readonly minCompatibilityMinor?: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** Where the code comes from; texts are empty if that is not known. */
export type BuildInfo = Pick<VersionInfo, 'gitCommit' | 'gitTreeState' | 'buildDate'>;

const unknownBuild: BuildInfo = { gitCommit: '', gitTreeState: '', buildDate: '' };

/**
 * The emulated release, which clients and charts compare, and the build behind it: the product version is build metadata
 * after the plus sign, which does not affect precedence (semver, section 10).
 */
export function versionInfo(
  productVersion: string,
  emulated: Release = currentRelease,
  build: BuildInfo = unknownBuild,
): VersionInfo {
  const [major, minor] = [String(emulated.major), String(emulated.minor)];
  return {
    major,
    minor,
    ...(isAtLeast(emulated, effectiveSince) && effectiveRelease(emulated)),
    gitVersion: `v${major}.${minor}.0+orch.${productVersion}`,
    ...build,
    // The field that clients know for the toolchain.
    goVersion: `node${process.versions.node}`,
    compiler: 'v8',
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}

/** Replicas of the release before may run beside it. */
function effectiveRelease({ major, minor }: Release): Partial<VersionInfo> {
  return {
    ...{ emulationMajor: String(major), emulationMinor: String(minor) },
    ...{ minCompatibilityMajor: String(major), minCompatibilityMinor: String(minor - 1) },
  };
}

export function versionRoute(version: VersionInfo): PlainRoute {
  return {
    path: '/version',
    serve: (context) => {
      sendJson(context, 200, version);
    },
  };
}

export function metricsRoute(metrics: MetricsText, path = '/metrics'): PlainRoute {
  return {
    path,
    async serve(context: RequestContext): Promise<void> {
      const slices = bytesOf(await metrics.pieces());
      await sendSliced(context, 200, metrics.contentType, { length: undefined, slices });
    },
  };
}

function* bytesOf(pieces: Iterable<string>): Iterable<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

/** Lists the paths of the other routes without duplicates; in slices, for there may be thousands of groups. */
export function indexRoute(routes: readonly PlainRoute[]): PlainRoute {
  return {
    path: '/',
    listed: () => [],
    async serve(context: RequestContext): Promise<void> {
      const given: (readonly string[])[] = [];
      const slice = new Slice();
      for (const route of routes) {
        given.push((await route.listed?.()) ?? [route.path]);
        await slice.breathe();
      }
      const form = jsonForm(context);
      const parts = await resultInSlices(pathList(given.flat(), form));
      await sendSliced(context, 200, form.mediaType, slicedBytes(await concatSliced(parts, slice)));
    },
  };
}

function* pathList(given: readonly string[], form: ValueForm): Generator<void, Buffer[], void> {
  const paths: string[] = [];
  for (const path of yield* sortedInSteps(given, byCodeUnits)) {
    if (path !== paths.at(-1)) paths.push(path);
    yield;
  }
  return yield* form.inSteps({ paths });
}
