/** How much is logged, and which metrics are shown. */
import { parseShowHidden } from '../observe/metric-stage.ts';
import { currentRelease, type Release } from '../observe/release.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const observeFlags = [
  {
    name: 'show-hidden-metrics-for-version',
    value: 'RELEASE',
    default: '',
    description: 'show metrics that this release hid; only the previous release is a valid value',
  },
  {
    name: 'v',
    short: 'v',
    value: 'LEVEL',
    default: '0',
    description: 'how much to log: 0 warnings, 1 to 3 also information, 4 and more everything',
  },
] as const satisfies readonly FlagDefinition[];

export interface ObserveConfig {
  /** The release that hid them; undefined: they stay hidden. */
  readonly showHiddenMetricsFor: Release | undefined;
  readonly verbosity: number;
}

export function readObserve(texts: FlagValues, errors: FlagErrors): ObserveConfig {
  const flags = new FlagReader(observeFlags, texts, errors);
  return {
    showHiddenMetricsFor: flags.parsed('show-hidden-metrics-for-version', readShowHidden, undefined),
    verbosity: flags.integer('v', 0, 10),
  };
}

function readShowHidden(text: string): Release | undefined {
  return parseShowHidden(text, currentRelease);
}
