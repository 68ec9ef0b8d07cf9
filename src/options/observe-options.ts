/** Flags of logging and metrics. */
import type { LogFormat } from '../observe/log.ts';
import { parseShowHidden } from '../observe/metric-stage.ts';
import type { Release } from '../observe/release.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const observeFlags = [
  {
    name: 'logging-format',
    value: 'json|text',
    default: 'json',
    description:
      'Format of the log on standard error: json (a record per line) or text (lines as klog writes them).',
  },
  {
    name: 'profiling',
    value: '',
    default: 'true',
    description:
      'Serves profiles of processor time and memory at /debug/pprof/, for users who may read that path.',
  },
  {
    name: 'show-hidden-metrics-for-version',
    value: 'RELEASE',
    default: '',
    description: 'Show metrics that are hidden since this release. Only the previous minor release is valid.',
  },
  {
    name: 'v',
    short: 'v',
    value: 'LEVEL',
    default: '0',
    description:
      'Number for the log level verbosity: 0 logs warnings and errors, 1 to 3 also information, 4 and more also debug messages.',
  },
] as const satisfies readonly FlagDefinition[];

export interface ObserveConfig {
  /** undefined if hidden metrics stay hidden. */
  readonly showHiddenMetricsFor: Release | undefined;
  readonly verbosity: number;
  readonly logFormat: LogFormat;
  /** Profiles are served. */
  readonly profiling: boolean;
}

/** @param release whose metrics are printed */
export function readObserve(texts: FlagValues, errors: FlagErrors, release: Release): ObserveConfig {
  const flags = new FlagReader(observeFlags, texts, errors);
  return {
    showHiddenMetricsFor: flags.parsed(
      'show-hidden-metrics-for-version',
      (text) => parseShowHidden(text, release),
      undefined,
    ),
    verbosity: flags.integer('v', 0, 10),
    logFormat: flags.choice('logging-format', ['json', 'text']),
    profiling: flags.boolean('profiling'),
  };
}
