/** The version of this build, for `/version` and the command `version`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Labels } from '../observe/metric-series.ts';
import { currentRelease, type Release } from '../observe/release.ts';
import { versionInfo, type BuildInfo, type VersionInfo } from '../http/plain/info-routes.ts';

/**
 * The Kubernetes release with the package version as build metadata, the emulated release, and what the build has recorded
 * of itself.
 */
export function serviceVersion(emulated: Release = currentRelease): VersionInfo {
  built ??= readBuild();
  return versionInfo(built.version, emulated, built.recorded);
}

/** The labels of `kubernetes_build_info`, spelled as metrics spell them. */
export function buildLabels(version: VersionInfo): Labels {
  const { major, minor, compiler, platform } = version;
  return {
    ...{ major, minor, compiler, platform },
    git_version: version.gitVersion,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    build_date: version.buildDate,
    go_version: version.goVersion,
  };
}

/** Read once: it does not change while the process runs. */
let built: { readonly version: string; readonly recorded: BuildInfo | undefined } | undefined;

function readBuild(): NonNullable<typeof built> {
  const { version } = jsonIn(join(import.meta.dirname, '..', '..', 'package.json'));
  return { version: typeof version === 'string' ? version : '0', recorded: recordedBuild() };
}

/** Sources that run without a build have no record. */
function recordedBuild(): BuildInfo | undefined {
  const path = join(import.meta.dirname, '..', 'build.json');
  let recorded: JsonObject;
  try {
    recorded = jsonIn(path);
  } catch {
    return undefined;
  }
  const { gitCommit, gitTreeState, buildDate } = recorded;
  return { gitCommit: text(gitCommit), gitTreeState: text(gitTreeState), buildDate: text(buildDate) };
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function jsonIn(path: string): JsonObject {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return isObject(value) ? value : {};
}
