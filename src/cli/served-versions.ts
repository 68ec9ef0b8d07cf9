/** `--emulated-release` and `--runtime-config`, which mean what the catalogue of built-in kinds says. */
import { builtInGroups } from '../api/index.ts';
import { namingProfiles } from '../meta/naming.ts';
import { currentRelease, parseRelease, releaseText, type Release } from '../observe/release.ts';
import {
  decideEnabled,
  knownReleases,
  parseRuntimeConfig,
  type RuntimeConfig,
} from '../registry/enablement.ts';
import type { ServerConfig } from '../server/config.ts';
import { resourcesNeeded } from '../server/controllers/controller-names.ts';
import type { Fault } from '../server/faults.ts';
import type { FlagReader } from './flag-reader.ts';

/** Keys of settings are in the names of the profile, and of what the release has. */
export function readServedVersions(
  flags: FlagReader,
  naming: ServerConfig['naming'],
): Pick<ServerConfig, 'emulatedRelease' | 'runtimeConfig'> {
  const emulatedRelease = flags.parsed('emulated-release', readRelease, currentRelease);
  const read = (text: string): RuntimeConfig => readSettings(text, naming, emulatedRelease);
  return { emulatedRelease, runtimeConfig: flags.parsed('runtime-config', read, {}) };
}

function readRelease(text: string): Release {
  const known = knownReleases(builtInGroups).map(releaseText);
  const release = parseRelease(text);
  if (release === undefined || !known.includes(releaseText(release)))
    throw new Error(`${JSON.stringify(text)} is no release that is known; there are ${known.join(', ')}`);
  return release;
}

function readSettings(text: string, naming: ServerConfig['naming'], release: Release): RuntimeConfig {
  const settings = parseRuntimeConfig(text);
  decideEnabled({ groups: builtInGroups, naming: namingProfiles[naming], release, settings });
  return settings;
}

/** Controllers work through the API: what they need has to be served. */
export function neededVersionFaults({
  controllers: names,
  naming,
  emulatedRelease,
  runtimeConfig,
}: ServerConfig): Fault[] {
  const profile = namingProfiles[naming];
  const parts = { groups: builtInGroups, naming: profile, release: emulatedRelease, settings: runtimeConfig };
  const isEnabled = decideEnabled(parts);
  const isServed = (key: string): boolean => {
    const [resource = '', version = '', group = ''] = key.split('/').reverse();
    return isEnabled(group, version, resource);
  };
  const missing = new Map<string, string[]>();
  for (const name of names) {
    for (const key of resourcesNeeded(name, profile).filter((one) => !isServed(one)))
      missing.set(key, [...(missing.get(key) ?? []), name]);
  }
  return [...missing].map(([key, users]) => ({
    code: 'FLAG_COMBINATION',
    cause: `--runtime-config switches off ${key}, without which these controllers cannot work: ${users.join(', ')}`,
    remedy: `serve it (--runtime-config=…,${key}), or switch them off (--controllers=${users.map((name) => `-${name}`).join(',')}, or '' for none)`,
  }));
}
