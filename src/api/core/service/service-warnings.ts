/**
 * What clients are told about Services whose fields have no effect, or a successor (kube-apiserver; the first release of each but the
 * annotation is assumed).
 */
import { FieldPath } from '../../../meta/field-path.ts';
import type { ObjectMeta } from '../../meta/v1.types.ts';
import { isSince } from '../../since.ts';
import type { ApiContext } from '../../types.ts';
import type { Maybe } from '../../validation/rules.ts';
import type { ServiceSpec } from '../v1.types.ts';

interface Service {
  readonly metadata: Maybe<Pick<ObjectMeta, 'annotations'>>;
  readonly spec?: Maybe<ServiceSpec>;
}

export function serviceWarnings({ metadata, spec }: Service, context: ApiContext): string[] {
  return [...hintWarnings(metadata, context), ...fieldWarnings(spec ?? {}, context)];
}

function hintWarnings(metadata: Service['metadata'], context: ApiContext): string[] {
  const domain = `service.${context.naming.labelDomain}`;
  const key = `${domain}/topology-aware-hints`;
  if (!isSince(context, 27) || !metadata?.annotations?.[key]) return [];
  const at = FieldPath.of('metadata').child('annotations').key(key);
  return [`${String(at)}: deprecated since v1.27; use "${domain}/topology-mode" instead`];
}

function fieldWarnings(spec: ServiceSpec, context: ApiContext): string[] {
  const {
    type = 'ClusterIP',
    clusterIP,
    externalIPs,
    externalName,
    sessionAffinity,
    trafficDistribution,
  } = spec;
  if (!isSince(context, 32)) return [];
  const isName = type === 'ExternalName';
  const isHeadless = type === 'ClusterIP' && clusterIP === 'None';
  const isKept = (sessionAffinity ?? 'None') !== 'None';
  const hasAddresses = (externalIPs ?? []).length > 0;
  return [
    ...(isHeadless && isKept ? ['spec.sessionAffinity is ignored for headless services'] : []),
    ...(isName && hasAddresses ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : []),
    ...(!isName && externalName ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : []),
    ...(isSince(context, 34) && trafficDistribution === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}
