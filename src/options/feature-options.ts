/** Feature gates. */
import { assertGates, parseFeatureGates } from '../observe/feature-gates.ts';
import { featuresOf } from '../observe/release-gates.ts';
import type { Release } from '../observe/release.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const featureFlags = [
  {
    name: 'feature-gates',
    value: 'GATES',
    default: '',
    description: 'A set of key=value pairs that enable or disable feature gates, such as A=true,B=false.',
    repeatable: true,
  },
] as const satisfies readonly FlagDefinition[];

export interface FeatureConfig {
  /** Checked: the gates exist and may have these values. */
  readonly featureGates: Readonly<Record<string, boolean>>;
}

/** @param release whose gates there are */
export function readFeatures(texts: FlagValues, errors: FlagErrors, release: Release): FeatureConfig {
  const flags = new FlagReader(featureFlags, texts, errors);
  const read = (text: string): Record<string, boolean> => {
    const settings = parseFeatureGates(text);
    assertGates(settings, featuresOf(release));
    return settings;
  };
  return { featureGates: flags.parsed('feature-gates', read, {}) };
}
