/** Feature gates. */
import { assertGates, parseFeatureGates } from '../observe/feature-gates.ts';
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

export function readFeatures(texts: FlagValues, errors: FlagErrors): FeatureConfig {
  const flags = new FlagReader(featureFlags, texts, errors);
  return { featureGates: flags.parsed('feature-gates', readFeatureGates, {}) };
}

function readFeatureGates(text: string): Record<string, boolean> {
  const settings = parseFeatureGates(text);
  assertGates(settings);
  return settings;
}
