/** Makes the chosen admission plugins, in the order in which they are asked. */
import { createAdmissionChain, type AdmissionPlugin } from '../../admission/chain.ts';
import { createLimitRanger } from '../../admission/limit-ranger.ts';
import { createNamespaceLifecycle } from '../../admission/namespace-lifecycle.ts';
import type { ObjectReader } from '../../admission/object-reader.ts';
import { admissionPluginNames, type AdmissionPluginName } from '../../admission/plugin-names.ts';
import { createServiceAccountPlugin } from '../../admission/service-account.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { AdmissionChain } from '../../registry/types.ts';
import type { Storage } from '../../storage/types.ts';
import type { AdmissionConfig } from './config.ts';
import { createStorageReader } from './storage-reader.ts';

export interface AdmissionParts {
  readonly naming: NamingProfile;
  readonly storage: Pick<Storage, 'peek' | 'get' | 'view'>;
}

export function buildAdmission(config: AdmissionConfig, { naming, storage }: AdmissionParts): AdmissionChain {
  const reader = createStorageReader(storage);
  const makers: Readonly<Record<AdmissionPluginName, () => AdmissionPlugin>> = {
    NamespaceLifecycle: () => createNamespaceLifecycle(namespacesIn(reader)),
    LimitRanger: () => createLimitRanger(reader, naming),
    ServiceAccount: () => createServiceAccountPlugin(reader, naming),
  };
  const chosen = admissionPluginNames.filter((name) => config.plugins.has(name));
  return createAdmissionChain(chosen.map((name) => makers[name]()));
}

function namespacesIn(reader: ObjectReader): Parameters<typeof createNamespaceLifecycle>[0] {
  const collection = 'core/namespaces';
  return {
    peek: (name) => reader.peek(collection, name),
    read: (name, signal) => reader.read(collection, name, signal),
  };
}
