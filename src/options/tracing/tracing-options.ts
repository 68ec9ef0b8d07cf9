/** The flag of traces, and the file that it names. */
import type { NamingProfile } from '../../meta/naming.ts';
import { createFeatureGates } from '../../observe/feature-gates.ts';
import { featuresOf } from '../../observe/release-gates.ts';
import type { TracingSettings } from '../../observe/tracing/tracer.ts';
import type { ApiEnablementConfig } from '../api/api-enablement-flags.ts';
import type { FeatureConfig } from '../feature-options.ts';
import type { FileCheck } from '../file-check.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from '../flag-reader.ts';
import { YamlFile } from '../yaml-file.ts';
import { readTracing } from './tracing-configuration.ts';

export const tracingFlags = [
  {
    name: 'tracing-config-file',
    value: 'FILE',
    default: '',
    description:
      'File with the tracing configuration (TracingConfiguration, YAML): the collector that takes traces of requests over OTLP/gRPC, and how many are recorded. Since release 1.27, or with the feature gate APIServerTracing since 1.22.',
  },
] as const satisfies readonly FlagDefinition[];

export interface TracingConfig {
  /** '' without a file. */
  readonly file: string;
  /** Minor number of the emulated release. */
  readonly minor: number;
}

/** Errors are added to `errors`. */
export function readTracingFlag(
  texts: FlagValues,
  errors: FlagErrors,
  { featureGates, emulatedRelease }: FeatureConfig & Pick<ApiEnablementConfig, 'emulatedRelease'>,
): { readonly tracing: TracingConfig } {
  const flags = new FlagReader(tracingFlags, texts, errors);
  const gates = createFeatureGates(featureGates, featuresOf(emulatedRelease));
  if (flags.isGiven('tracing-config-file') && !gates.isEnabled('APIServerTracing'))
    flags.conflict(
      '--tracing-config-file needs the feature gate APIServerTracing',
      'emulate release 1.27 or later, or enable it from 1.22 on',
    );
  return { tracing: { file: flags.text('tracing-config-file'), minor: emulatedRelease.minor } };
}

/** undefined without a file; errors are added to those of `check`. */
export function readTracingFile(
  { file, minor }: TracingConfig,
  { apiDomain }: NamingProfile,
  check: FileCheck,
): Promise<TracingSettings | undefined> {
  return check.parsedInPart(file, {
    ...{ flag: '--tracing-config-file', code: 'TRACING_INVALID' as const },
    parse: (text) => {
      const source = new YamlFile(text);
      return { value: readTracing(source, { apiDomain, minor }), errors: source.errors };
    },
  });
}
