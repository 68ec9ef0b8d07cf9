/** What a user is warned of who asks for a resource. */
import { createDeprecationNotice } from '../../../src/http/filters/deprecation.ts';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { silentLogger } from '../../../src/observe/log.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';
import type { ServedResource } from '../../../src/registry/types.ts';

/** The warnings of release 1.`minor`. */
export function deprecationWarnings(resource: ServedResource, minor: number): string[] {
  const warned: string[] = [];
  const context = {
    ...{ warn: (text: string) => warned.push(text), annotate: () => undefined },
    ...{ user: { name: 'own' }, info: { subresource: '' } },
  } as unknown as RequestContext;
  createDeprecationNotice({
    metrics: createServerMetrics(new Metrics()),
    ...{ release: { major: 1, minor }, logger: silentLogger, ownUser: 'own' },
    clock: { now: () => 0, monotonic: () => 0 },
  })(context, resource);
  return warned;
}
