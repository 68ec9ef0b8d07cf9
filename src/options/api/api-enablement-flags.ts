/** The flags that say which versions and resources of the API are served, and under which names; and what they become. */
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
    description: 'serve only what this later release still serves, and warn as it does',
  },
  { name: 'naming', value: 'PROFILE', default: 'orch', description: 'names of the API: orch or kubernetes' },
  {
    name: 'runtime-config',
    value: 'SETTINGS',
    default: '',
    description: 'served or not: GROUP/VERSION[/RESOURCE]=true or false; api/all, ga, beta, alpha',
    repeatable: true,
  },
] as const satisfies readonly FlagDefinition[];

export type ApiEnablementFlags = FlagReader<(typeof apiEnablementFlags)[number]['name']>;

export interface ApiEnablementConfig {
  readonly naming: NamingProfile['name'];
  /** Versions and resources switched on or off; checked against what the release has. */
  readonly runtimeConfig: RuntimeConfig;
  /** The release whose life cycle of versions applies. */
  readonly emulatedRelease: Release;
}
