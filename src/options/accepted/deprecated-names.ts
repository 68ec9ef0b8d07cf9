/** Deprecated names of flags, with what takes their place; the old name works, with a warning. */
import { admissionPluginNames } from '../../admission/plugin-names.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import type { FlagErrors, FlagValues } from '../flag-reader.ts';

export interface DeprecatedName {
  readonly name: string;
  readonly value: string;
  /** The flag to use. */
  readonly use: string;
  /** The flags that its value stands for; absent if that is the value of `use`. */
  readonly meaning?: (value: string) => Readonly<Record<string, string>>;
}

export const deprecatedNames: readonly DeprecatedName[] = [
  {
    name: 'admission-control',
    value: 'PLUGINS',
    use: 'enable-admission-plugins',
    meaning: onlyThese,
  },
  {
    name: 'audit-webhook-batch-initial-backoff',
    value: 'DURATION',
    use: 'audit-webhook-initial-backoff',
  },
  { name: 'experimental-encryption-provider-config', value: 'FILE', use: 'encryption-provider-config' },
  { name: 'service-account-api-audiences', value: 'AUDIENCES', use: 'api-audiences' },
];

export const deprecatedNameDefinitions: readonly FlagDefinition[] = deprecatedNames.map(
  ({ name, value, use }) => ({
    ...{ name, value, default: '', repeatable: true },
    description: `Deprecated. Use --${use}.`,
  }),
);

/** The texts under the names that are read, and a warning for each deprecated one. */
export function withoutDeprecatedNames(
  texts: FlagValues,
  errors: FlagErrors,
): { readonly texts: FlagValues; readonly warnings: readonly string[] } {
  const renamed: Record<string, string | undefined> = { ...texts };
  const warnings: string[] = [];
  for (const { name, use, meaning = (value: string) => ({ [use]: value }) } of deprecatedNames) {
    const value = texts[name];
    if (value === undefined) continue;
    warnings.push(`flag --${name} is deprecated: use --${use}`);
    for (const [target, text] of Object.entries(meaning(value))) {
      if (texts[target] !== undefined)
        errors.addCombination(`--${name} is given with --${target}`, `give --${target} only`);
      renamed[target] = text;
    }
  }
  return { texts: renamed, warnings };
}

/** The list is that of all plugins to run. `ServiceAccount,LimitRanger` turns off what else is on by default. */
function onlyThese(value: string): Record<string, string> {
  const chosen = new Set(value.split(',').map((name) => name.trim()));
  const others = admissionPluginNames.filter((name) => !chosen.has(name));
  return { 'enable-admission-plugins': value, 'disable-admission-plugins': others.join(',') };
}
