/**
 * API enablement flags: the versions and resources that are served, the naming profile, and their typed
 * configuration.
 */
import type { NamingProfile } from '../../meta/naming.ts';
import type { Release } from '../../observe/release.ts';
import type { RuntimeConfig } from '../../registry/catalogue/enablement.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import type { FlagReader } from '../flag-reader.ts';

export const apiEnablementFlags = [
  {
    name: 'emulated-release',
    value: 'RELEASE',
    default: '1.21',
    description:
      'Kubernetes release to emulate, 1.21 to 1.36. API versions that this release removed are not served, and its deprecation warnings are returned.',
  },
  {
    name: 'naming',
    value: 'PROFILE',
    default: 'orch',
    description: 'Naming profile of the API groups, labels and well-known names: orch or kubernetes.',
  },
  {
    name: 'runtime-config',
    value: 'SETTINGS',
    default: '',
    description:
      'A set of key=value pairs that enable or disable built-in APIs. Keys: api/all, api/ga, api/beta, api/alpha, GROUP/VERSION and GROUP/VERSION/RESOURCE.',
    repeatable: true,
  },
] as const satisfies readonly FlagDefinition[];

export type ApiEnablementFlags = FlagReader<(typeof apiEnablementFlags)[number]['name']>;

export interface ApiEnablementConfig {
  readonly naming: NamingProfile['name'];
  /** Versions and resources that are enabled or disabled; checked against those of the release. */
  readonly runtimeConfig: RuntimeConfig;
  /** The release whose API lifecycle applies. */
  readonly emulatedRelease: Release;
}
