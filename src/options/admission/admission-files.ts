/** The file of `--admission-control-config-file` and those that it names: read and checked. */
import { dirname, resolve } from 'node:path';
import type { EventLimit } from '../../admission/event-rate-limit.ts';
import type { PodSecurityConfig } from '../../admission/pod-security/plugin.ts';
import type { PodTolerationConfig } from '../../admission/pod-toleration-restriction.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { FileCheck } from '../file-check.ts';
import { at, YamlFile, type Placed } from '../yaml-file.ts';
import { requiredConfigurations, type AdmissionConfig } from './admission-options.ts';
import { readEventLimits } from './event-limits.ts';
import { readImagePolicy, type ImagePolicyFile } from './image-policy.ts';
import { defaultPodSecurity, readPodSecurity } from './pod-security.ts';
import { readPodTolerations } from './pod-tolerations.ts';

/** Plain data, so that it can be sent to worker processes. Plugins that are not configured have their defaults. */
export interface AdmissionFiles {
  /** Empty if EventRateLimit is disabled. */
  readonly eventLimits: readonly EventLimit[];
  readonly podSecurity: PodSecurityConfig;
  readonly podTolerations: PodTolerationConfig;
  /** undefined if ImagePolicyWebhook is disabled. */
  readonly imagePolicy: ImagePolicyFile | undefined;
}

const rule = { flag: '--admission-control-config-file', code: 'PLUGIN_FILE_INVALID' } as const;

/** A configuration in its file, and the folder to which its paths are relative. */
interface Place {
  readonly file: YamlFile;
  readonly place: Placed<JsonValue | undefined>;
  readonly folder: string;
}

type Reader = (place: Place, naming: NamingProfile) => Partial<AdmissionFiles>;

/** The plugins that the file can configure. */
const readers: Readonly<Record<string, Reader>> = {
  EventRateLimit: ({ file, place }, naming) => ({ eventLimits: readEventLimits(file, place, naming) }),
  ImagePolicyWebhook: ({ file, place, folder }) => ({ imagePolicy: readImagePolicy(file, place, folder) }),
  PodSecurity: ({ file, place }, naming) => ({ podSecurity: readPodSecurity(file, place, naming) }),
  PodTolerationRestriction: ({ file, place }, naming) => ({
    podTolerations: readPodTolerations(file, place, naming),
  }),
};
const configurable = Object.keys(readers);

/** Errors are added to those of `check`. */
export async function readAdmissionFiles(
  { configFile, plugins }: AdmissionConfig,
  naming: NamingProfile,
  check: FileCheck,
): Promise<AdmissionFiles> {
  const parts: Partial<AdmissionFiles>[] = [];
  const folder = dirname(configFile);
  const named = await check.parsedInPart(configFile, {
    ...rule,
    parse: (text) => {
      const file = new YamlFile(text);
      const { inline, named: others } = readConfiguration(file, naming, plugins);
      parts.push(...inline.map(({ reader, place }) => reader({ file, place, folder }, naming)));
      return { value: others, errors: file.errors };
    },
  });
  for (const { reader, path } of named ?? []) {
    const part = await check.parsedInPart(resolve(folder, path), {
      ...rule,
      parse: (text) => {
        const file = new YamlFile(text);
        const value = reader({ file, place: file.root, folder: dirname(resolve(folder, path)) }, naming);
        return { value, errors: file.errors };
      },
    });
    if (part) parts.push(part);
  }
  return completed(parts, check);
}

/** The webhook's own file is read last. */
async function completed(
  parts: readonly Partial<AdmissionFiles>[],
  check: FileCheck,
): Promise<AdmissionFiles> {
  const nothing = {
    eventLimits: [],
    podSecurity: defaultPodSecurity,
    podTolerations: { default: [], whitelist: [] },
    imagePolicy: undefined,
  };
  const files = parts.reduce<AdmissionFiles>((all, part) => ({ ...all, ...part }), nothing);
  if (!files.imagePolicy) return files;
  const webhook = await check.webhook(files.imagePolicy.kubeconfig, rule.flag);
  return { ...files, imagePolicy: { ...files.imagePolicy, webhook } };
}

interface Found {
  /** Those whose configuration stands in the file itself. */
  readonly inline: readonly { readonly reader: Reader; readonly place: Placed<JsonValue | undefined> }[];
  /** Those whose configuration stands in a file of its own. */
  readonly named: readonly { readonly reader: Reader; readonly path: string }[];
}

const nothingFound: Found = { inline: [], named: [] };

function readConfiguration(file: YamlFile, naming: NamingProfile, enabled: ReadonlySet<string>): Found {
  const { apiDomain } = naming;
  const versions = [`apiserver.config.${apiDomain}/v1`, `apiserver.${apiDomain}/v1alpha1`];
  const root = file.typed(file.root, { kind: 'AdmissionConfiguration', versions }, ['plugins']);
  if (!root) return nothingFound;
  const seen = new Set<string>();
  const found = file.objects(root, 'plugins').map((plugin) => readPlugin(file, plugin, seen));
  for (const name of requiredConfigurations)
    if (enabled.has(name) && !seen.has(name)) file.add('plugins', `${name} is enabled but not configured`);
  return { inline: found.flatMap(({ inline }) => inline), named: found.flatMap(({ named }) => named) };
}

/** @param seen the names so far; its own is added */
function readPlugin(file: YamlFile, plugin: Placed<JsonObject>, seen: Set<string>): Found {
  file.known(plugin, ['name', 'path', 'configuration']);
  const name = file.text(plugin, 'name');
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  const addAtName = (problem: string): void => {
    file.add(at(plugin.path, 'name'), problem, plugin.path);
  };
  if (!reader)
    addAtName(`plugin ${JSON.stringify(name)} cannot be configured, only ${configurable.join(', ')} can`);
  else if (seen.has(name)) addAtName(`${name} is configured twice`);
  if (!reader || seen.has(name)) return nothingFound;
  seen.add(name);
  const path = file.text(plugin, 'path');
  const { configuration } = plugin.value;
  if ((path === '') === (configuration === undefined))
    file.add(plugin.path, 'give either path or configuration');
  if (path !== '') return { ...nothingFound, named: [{ reader, path }] };
  if (configuration === undefined) return nothingFound;
  const place = { value: configuration, path: at(plugin.path, 'configuration') };
  return { ...nothingFound, inline: [{ reader, place }] };
}
