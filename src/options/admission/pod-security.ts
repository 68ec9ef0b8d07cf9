/** The configuration of PodSecurity: defaults for namespaces without labels, and what is exempt. */
import { isVersion, latest, levels, modes, type LevelVersion } from '../../admission/pod-security/levels.ts';
import type { PodSecurityConfig } from '../../admission/pod-security/plugin.ts';
import { dns1123Label, dns1123Subdomain } from '../../api/validation/name-rules.ts';
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { at, type Placed, type YamlFile } from '../yaml-file.ts';

const privileged: LevelVersion = { level: 'privileged', version: latest };

/** Without a configuration everything is allowed where no label says otherwise. */
export const defaultPodSecurity: PodSecurityConfig = {
  defaults: { enforce: privileged, audit: privileged, warn: privileged },
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
};

/** Reads it from a file or from a place within it; errors are added to those of the file. */
export function readPodSecurity(
  file: YamlFile,
  place: Placed<JsonValue | undefined>,
  { apiDomain }: NamingProfile,
): PodSecurityConfig {
  const group = `pod-security.admission.config.${apiDomain}`;
  const versions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${group}/${version}`);
  const kind = 'PodSecurityConfiguration';
  const configuration = file.typed(place, { kind, versions }, ['defaults', 'exemptions']);
  if (!configuration) return defaultPodSecurity;
  const defaults = child(file, configuration, 'defaults');
  file.known(
    defaults,
    modes.flatMap((mode) => [mode, `${mode}-version`]),
  );
  const read = (mode: (typeof modes)[number]): LevelVersion => readLevel(file, defaults, mode);
  const exemptions = child(file, configuration, 'exemptions');
  file.known(exemptions, ['usernames', 'namespaces', 'runtimeClasses']);
  return {
    defaults: { enforce: read('enforce'), audit: read('audit'), warn: read('warn') },
    exemptions: {
      usernames: names(file, exemptions, { field: 'usernames', problems: () => [] }),
      namespaces: names(file, exemptions, { field: 'namespaces', problems: dns1123Label }),
      runtimeClasses: names(file, exemptions, { field: 'runtimeClasses', problems: dns1123Subdomain }),
    },
  };
}

function child(file: YamlFile, { value, path }: Placed<JsonObject>, name: string): Placed<JsonObject> {
  const object = value[name] ?? {};
  if (!isObject(object)) file.add(at(path, name), `${name} must be an object`, path);
  return { value: isObject(object) ? object : {}, path: at(path, name) };
}

function readLevel(file: YamlFile, defaults: Placed<JsonObject>, mode: string): LevelVersion {
  const isGiven = (defaults.value[mode] ?? '') !== '';
  const level = isGiven ? file.word(defaults, mode, levels) : 'privileged';
  const field = `${mode}-version`;
  const version = file.text(defaults, field) || latest;
  if (!isVersion(version)) file.add(at(defaults.path, field), `${field} must be "latest" or "v1.x"`);
  return { level: level ?? 'restricted', version };
}

interface NameList {
  readonly field: string;
  /** What is wrong with a name that is not empty. */
  readonly problems: (name: string) => readonly string[];
}

function names(file: YamlFile, exemptions: Placed<JsonObject>, { field, problems }: NameList): string[] {
  const list = file.texts(exemptions, field);
  const seen = new Set<string>();
  for (const [i, name] of list.entries()) {
    const path = `${at(exemptions.path, field)}[${String(i)}]`;
    const found = name === '' ? ['must not be empty'] : problems(name);
    for (const problem of found) file.add(path, `${field}: ${problem}`);
    if (seen.has(name)) file.add(path, `${field} names ${JSON.stringify(name)} twice`);
    seen.add(name);
  }
  return list;
}
