/** Flags of encryption at rest, and the file that they name. */
import type { NamingProfile } from '../../meta/naming.ts';
import type { EncryptionRule } from '../../storage/encryption/rules.ts';
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

export interface EncryptionConfig {
  /** '' if nothing is encrypted. */
  readonly configFile: string;
}

export function readEncryption(texts: FlagValues, errors: FlagErrors): EncryptionConfig {
  const flags = new FlagReader(encryptionFlags, texts, errors);
  return {
    configFile: flags.text('encryption-provider-config'),
  };
}

/** undefined without a file; errors are added to those of `check`. */
export function readEncryptionFile(
  file: string,
  naming: NamingProfile,
  check: FileCheck,
): Promise<readonly EncryptionRule[] | undefined> {
  return check.parsedInPart(file, {
    flag: '--encryption-provider-config',
    code: 'ENCRYPTION_INVALID',
    parse: (text) => {
      const source = new YamlFile(text);
      return { value: readEncryptionRules(source, naming), errors: source.errors };
    },
  });
}
