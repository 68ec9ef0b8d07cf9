/** Flags of encryption at rest, and the file that they name. */
import type { NamingProfile } from '../../meta/naming.ts';
import type { EncryptionRule, KmsProvider } from '../../storage/encryption/rules.ts';
import { createFeatureGates } from '../../observe/feature-gates.ts';
import { featuresOf } from '../../observe/release-gates.ts';
import type { Release } from '../../observe/release.ts';
import type { FeatureConfig } from '../feature-options.ts';
import type { FileCheck } from '../file-check.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from '../flag-reader.ts';
import { YamlFile } from '../yaml-file.ts';
import { readEncryptionRules } from './encryption-configuration.ts';

export const encryptionFlags = [
  {
    name: 'encryption-provider-config',
    value: 'FILE',
    default: '',
    description:
      'File with the encryption configuration (EncryptionConfiguration, YAML): which resources are encrypted in etcd, and how. If empty, none is. Changes take effect while the service runs.',
  },
] as const satisfies readonly FlagDefinition[];

const kmsGates = { v1: 'KMSv1', v2: 'KMSv2' } as const;

export interface EncryptionConfig {
  /** '' if nothing is encrypted. */
  readonly configFile: string;
  /** Versions of the API of KMS plugins that the gates let be configured. */
  readonly kmsVersions: readonly KmsProvider['apiVersion'][];
}

export function readEncryption(
  texts: FlagValues,
  errors: FlagErrors,
  { featureGates, emulatedRelease }: FeatureConfig & { readonly emulatedRelease: Release },
): EncryptionConfig {
  const flags = new FlagReader(encryptionFlags, texts, errors);
  const gates = createFeatureGates(featureGates, featuresOf(emulatedRelease));
  return {
    configFile: flags.text('encryption-provider-config'),
    kmsVersions: (['v1', 'v2'] as const).filter((version) => gates.isEnabled(kmsGates[version])),
  };
}

/** undefined without a file; errors are added to those of `check`. */
export function readEncryptionFile(
  { configFile, kmsVersions }: EncryptionConfig,
  naming: NamingProfile,
  check: FileCheck,
): Promise<readonly EncryptionRule[] | undefined> {
  return check.parsedInPart(configFile, {
    flag: '--encryption-provider-config',
    code: 'ENCRYPTION_INVALID',
    parse: (text) => {
      const source = new YamlFile(text);
      return { value: readEncryptionRules(source, naming, kmsVersions), errors: source.errors };
    },
  });
}
