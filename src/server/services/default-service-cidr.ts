/**
 * The ServiceCIDR `kubernetes`, which shows the configured ranges of service addresses (gate `MultiCIDRServiceAllocator`). An
 * existing one is left alone, but for a second family that it lacks.
 */
import { parseServiceRanges } from '../../api/core/service/value-range.ts';
import type { ServiceCIDR } from '../../api/networking/v1.types.ts';
import type { JsonObject } from '../../base/json.ts';
import { asJson, type ApiObject } from '../../meta/object.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ServiceConfig } from '../../options/service-options.ts';
import type { MaintainedObject } from './maintained-object.ts';

export function defaultServiceCidr(
  { apiDomain, serviceName: name }: NamingProfile,
  config: ServiceConfig,
): MaintainedObject {
  const { addresses } = parseServiceRanges(config.clusterIpRanges, config.nodePortRange);
  const cidrs = addresses.map(({ text }) => text);
  return {
    ...{ group: `networking.${apiDomain}`, versions: ['v1', 'v1beta1'], plural: 'servicecidrs' },
    ...{ namespace: '', name },
    next: (current) => (current ? extended(current, cidrs) : { metadata: { name }, spec: { cidrs } }),
  };
}

/** undefined if there is no family to add. */
function extended(current: ApiObject, cidrs: readonly string[]): JsonObject | undefined {
  const { spec } = current as ServiceCIDR;
  const before = spec?.cidrs ?? [];
  const isLacking = before.length === 1 && cidrs.length === 2 && before[0] === cidrs[0];
  return isLacking ? asJson({ ...current, spec: { ...spec, cidrs } }) : undefined;
}
