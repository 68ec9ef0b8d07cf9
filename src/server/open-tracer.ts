/** The tracer of a replica. */
import type { Environment } from '../base/environment.ts';
import type { Tracer } from '../observe/tracing/tracer.ts';
import type { CompletedConfig } from '../options/complete-config.ts';

/** undefined without `--tracing-config-file`: the SDK is loaded only for those who trace, as it takes time and memory. */
export async function openTracer(
  { files: { tracing } }: CompletedConfig,
  environment: Environment,
): Promise<Tracer | undefined> {
  if (!tracing) return undefined;
  const { createTracer } = await import('../observe/tracing/open-telemetry.ts');
  return createTracer(tracing, environment, environment.random.uuid());
}
