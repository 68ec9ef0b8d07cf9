/**
 * Reports requests to deprecated versions: a Warning header for the client, a gauge and a log line for the operator,
 * an annotation of the audit event. The service's own controllers get the warning but are not counted, as no operator
 * can change them.
 */
import type { ServedResource } from '../../registry/types.ts';
import type { PassiveClock } from '../../base/clock.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { expandNames } from '../../meta/naming.ts';
import { parseRelease } from '../../observe/release.ts';
import type { Release } from '../../observe/release.ts';
import type { Logger } from '../../observe/log.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { RequestContext } from '../request-context.ts';
import { FirstUses } from './first-uses.ts';

interface Deprecation {
  readonly warning: string;
  readonly removedRelease: string;
}

export interface DeprecationParts {
  readonly metrics: Pick<ServerMetrics, 'requestedDeprecatedApis'>;
  readonly release: Release;
  readonly logger: Logger;
  /** User name of the service's own controllers. */
  readonly ownUser: string;
  readonly clock: PassiveClock;
}

/** Reports a request to a resource; cheap if it is not deprecated. */
export function createDeprecationNotice(
  parts: DeprecationParts,
): (context: RequestContext, resource: ServedResource) => void {
  const { metrics, release, logger, ownUser, clock } = parts;
  const uses = new FirstUses(clock);
  const known = new WeakMap<ServedResource, { readonly deprecation: Deprecation | undefined }>();
  return function noteDeprecation(context: RequestContext, resource: ServedResource): void {
    let found = known.get(resource);
    if (!found) known.set(resource, (found = { deprecation: deprecationOf(resource, release) }));
    if (!found.deprecation) return;
    const { warning, removedRelease } = found.deprecation;
    context.warn(warning);
    const { apiDomain } = resource.naming;
    context.annotate(`${apiDomain}/deprecated`, 'true');
    if (removedRelease !== '') context.annotate(`${apiDomain}/removed-release`, removedRelease);
    const user = context.user.name;
    if (user === ownUser) return;
    const { group, version, resource: plural } = resource.gvr;
    const subresource = resource.subresource(context.info.subresource) ? context.info.subresource : '';
    metrics.requestedDeprecatedApis
      .series({ group, version, resource: plural, subresource, removed_release: removedRelease })
      .set(1);
    if (!uses.isFirst(`${user}\0${group}\0${version}\0${plural}\0${subresource}`)) return;
    const userAgent = userAgentOf(context);
    const used = { group, version, resource: plural, subresource, removedRelease };
    logger.info('a deprecated API is used', { user, userAgent, ...used });
  };
}

const longestUserAgent = 200;

function userAgentOf({ req }: RequestContext): string {
  return (req.headers['user-agent'] ?? '').slice(0, longestUserAgent);
}

function deprecationOf(resource: ServedResource, release: Release): Deprecation | undefined {
  const version = resource.definition.versions.find((v) => v.version === resource.gvr.version);
  if (version?.deprecationWarning) return { warning: version.deprecationWarning, removedRelease: '' };
  const since = parseRelease(version?.deprecatedIn ?? '');
  if (!version?.deprecatedIn || !since || since.major !== release.major || since.minor > release.minor) {
    return undefined;
  }
  const removedRelease = version.removedIn ?? '';
  const name = `${apiVersionOf(resource.gvk)} ${resource.gvk.kind}`;
  const gone = removedRelease === '' ? '' : `, unavailable in v${removedRelease}+`;
  const instead = version.replacement ? `; use ${expandNames(version.replacement, resource.naming)}` : '';
  return { warning: `${name} is deprecated in v${version.deprecatedIn}+${gone}${instead}`, removedRelease };
}
