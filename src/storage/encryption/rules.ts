/** Which providers encrypt which collections: the contents of an EncryptionConfiguration as plain data. */
import { announcedGroup, claimedGroup, type CollectionId } from '../types.ts';

/** A key by its name; `secret` is base64. */
export interface NamedKey {
  readonly name: string;
  readonly secret: string;
}

/** A KMS plugin. */
export interface KmsProvider {
  readonly kind: 'kms';
  readonly apiVersion: 'v1' | 'v2';
  readonly name: string;
  /** `unix:///path`. */
  readonly endpoint: string;
  readonly timeoutMs: number;
  /** Data keys in the cache; less than 0: no cache. */
  readonly cacheSize: number;
}

export type EncryptionProvider =
  | KmsProvider
  | { readonly kind: 'identity' }
  | { readonly kind: 'aesgcm' | 'aescbc' | 'secretbox'; readonly keys: readonly NamedKey[] };

export interface EncryptionRule {
  /** `plural` of the core group, `plural.group`, `*.group` (`*.` is the core group) or `*.*`. */
  readonly resources: readonly string[];
  /** The first encrypts what is written; all decrypt what is read. */
  readonly providers: readonly EncryptionProvider[];
}

/**
 * The providers of a collection, in order: those of the rules that name its resource, otherwise of those that name its
 * group, otherwise of those for everything. Empty if none does.
 */
export function providersOf(
  rules: readonly EncryptionRule[],
  collection: CollectionId,
): readonly EncryptionProvider[] {
  const slash = collection.indexOf('/');
  const [group, plural] = [collection.slice(0, slash), collection.slice(slash + 1)];
  if (group === claimedGroup || group === announcedGroup) return [];
  const suffix = group === 'core' ? '' : group;
  const names = [suffix === '' ? [plural, `${plural}.`] : [`${plural}.${suffix}`], [`*.${suffix}`], ['*.*']];
  for (const name of names) {
    const found = rules.filter(({ resources }) => resources.some((resource) => name.includes(resource)));
    if (found.length > 0) return found.flatMap(({ providers }) => providers);
  }
  return [];
}
