/** The file of `--admission-control-config-file` and those that it names: read and checked. */
import { dirname, resolve } from 'node:path';
import type { EventLimit } from '../../admission/event-rate-limit.ts';
import type { JsonObject } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { FileCheck } from '../file-check.ts';
import { at, YamlFile, type Placed } from '../yaml-file.ts';
import type { AdmissionConfig } from './admission-options.ts';
import { readEventLimits } from './event-limits.ts';

/** Plain data, so that it can be sent to worker processes. */
export interface AdmissionFiles {
  /** Empty if EventRateLimit is disabled. */
  readonly eventLimits: readonly EventLimit[];
}

const rule = { flag: '--admission-control-config-file', code: 'PLUGIN_FILE_INVALID' } as const;
/** The only plugin that the file can configure. */
const configurable = 'EventRateLimit';

/** Errors are added to those of `check`. */
export async function readAdmissionFiles(
  { configFile, plugins }: AdmissionConfig,
  naming: NamingProfile,
  check: FileCheck,
): Promise<AdmissionFiles> {
  const found = await check.parsedInPart(configFile, {
    ...rule,
    parse: (text) => {
      const file = new YamlFile(text);
      const value = readConfiguration(file, naming, plugins.has(configurable));
      return { value, errors: file.errors };
    },
  });
  if (!found || found.path === '') return { eventLimits: found?.limits ?? [] };
  const limits = await check.parsedInPart(resolve(dirname(configFile), found.path), {
    ...rule,
    parse: (text) => {
      const file = new YamlFile(text);
      return { value: readEventLimits(file, file.root, naming), errors: file.errors };
    },
  });
  return { eventLimits: limits ?? [] };
}

interface Found {
  readonly limits: readonly EventLimit[];
  /** File that holds the configuration; '' if it is inline. */
  readonly path: string;
}

const nothing: Found = { limits: [], path: '' };

function readConfiguration(file: YamlFile, naming: NamingProfile, isNeeded: boolean): Found {
  const { apiDomain } = naming;
  const versions = [`apiserver.config.${apiDomain}/v1`, `apiserver.${apiDomain}/v1alpha1`];
  const root = file.typed(file.root, { kind: 'AdmissionConfiguration', versions }, ['plugins']);
  if (!root) return nothing;
  const plugins = file.objects(root, 'plugins');
  const [own, ...others] = plugins.filter((plugin) => isOwn(file, plugin));
  for (const { path } of others) file.add(at(path, 'name'), `${configurable} is configured twice`, path);
  if (own) return readPlugin(file, own, naming);
  if (isNeeded) file.add('plugins', `${configurable} is enabled but not configured`);
  return nothing;
}

function isOwn(file: YamlFile, plugin: Placed<JsonObject>): boolean {
  file.known(plugin, ['name', 'path', 'configuration']);
  const name = file.text(plugin, 'name');
  if (name === configurable) return true;
  const place = at(plugin.path, 'name');
  file.add(
    place,
    `plugin ${JSON.stringify(name)} cannot be configured, only ${configurable} can`,
    plugin.path,
  );
  return false;
}

function readPlugin(file: YamlFile, plugin: Placed<JsonObject>, naming: NamingProfile): Found {
  const path = file.text(plugin, 'path');
  const { configuration } = plugin.value;
  if ((path === '') === (configuration === undefined))
    file.add(plugin.path, 'give either path or configuration');
  if (path !== '' || configuration === undefined) return { limits: [], path };
  const place = { value: configuration, path: at(plugin.path, 'configuration') };
  return { limits: readEventLimits(file, place, naming), path: '' };
}
