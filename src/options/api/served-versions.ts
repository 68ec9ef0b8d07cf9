/** `--emulated-release` and `--runtime-config`, read against the catalogue of built-in kinds. */
import { builtInGroups } from '../../api/index.ts';
import { resourcesNeeded, type ControllerName } from '../../controllers/controller-names.ts';
import { namingProfiles, type NamingProfile } from '../../meta/naming.ts';
import { currentRelease, parseRelease, releaseText, type Release } from '../../observe/release.ts';
import {
  decideEnabled,
  knownReleases,
  parseRuntimeConfig,
  type IsEnabled,
  type RuntimeConfig,
} from '../../registry/catalogue/enablement.ts';
import type { ApiEnablementConfig, ApiEnablementFlags } from './api-enablement-flags.ts';

/** Keys of `--runtime-config` use the names of the naming profile and must exist in the release. */
export function readServedVersions(
  flags: ApiEnablementFlags,
  naming: NamingProfile['name'],
): Pick<ApiEnablementConfig, 'emulatedRelease' | 'runtimeConfig'> {
  const emulatedRelease = flags.parsed('emulated-release', readRelease, currentRelease);
  const read = (text: string): RuntimeConfig => {
    const runtimeConfig = parseRuntimeConfig(text);
    servedVersions({ naming, emulatedRelease, runtimeConfig });
    return runtimeConfig;
  };
  return { emulatedRelease, runtimeConfig: flags.parsed('runtime-config', read, {}) };
}

/**
 * Decides which built-in versions and resources are served: what the flags are checked against, what controllers can
 * rely on and what the catalogue of a replica holds all come from here.
 * @throws Error for keys of what does not exist; if too little would be served
 */
export function servedVersions({ naming, emulatedRelease, runtimeConfig }: ApiEnablementConfig): IsEnabled {
  const profile = namingProfiles[naming];
  const parts = { groups: builtInGroups, naming: profile, release: emulatedRelease, settings: runtimeConfig };
  return decideEnabled(parts);
}

/** @throws Error with the known releases */
export function readRelease(text: string): Release {
  const known = knownReleases().map(releaseText);
  const release = parseRelease(text);
  if (release === undefined || !known.includes(releaseText(release)))
    throw new Error(`${JSON.stringify(text)} is not a known release; known releases are ${known.join(', ')}`);
  return release;
}

export interface NeededVersions extends ApiEnablementConfig {
  readonly controllers: ReadonlySet<ControllerName>;
}

/** Controllers use the API, so the versions that they need must be served. */
export function checkNeededVersions(flags: ApiEnablementFlags, needed: NeededVersions): void {
  for (const [key, names] of missingVersions(needed)) {
    const without = names.map((name) => `-${name}`).join(',');
    flags.conflict(
      `--runtime-config disables ${key}, which these controllers require: ${names.join(', ')}`,
      `enable it (--runtime-config=…,${key}), or disable the controllers (--controllers=${without}, or '' for none)`,
    );
  }
}

/** Versions that controllers need and that are not served, each with the names of these controllers. */
export function missingVersions({
  controllers,
  ...config
}: NeededVersions): ReadonlyMap<string, readonly ControllerName[]> {
  const isEnabled = servedVersions(config);
  const isServed = (key: string): boolean => {
    const [resource = '', version = '', group = ''] = key.split('/').reverse();
    return isEnabled(group, version, resource);
  };
  const missing = new Map<string, ControllerName[]>();
  for (const name of controllers) {
    for (const key of resourcesNeeded(name, namingProfiles[config.naming]).filter((one) => !isServed(one)))
      missing.set(key, [...(missing.get(key) ?? []), name]);
  }
  return missing;
}
