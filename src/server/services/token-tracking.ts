/** The ConfigMap that says since when uses of tokens of Secrets are noted (`LegacyServiceAccountTokenTracking`). */
import { isObject } from '../../base/json.ts';
import { systemNamespace, type NamingProfile } from '../../meta/naming.ts';
import { asJson } from '../../meta/object.ts';
import { dayOf, isDay, tokenTrackingName } from '../../meta/secret-token-labels.ts';
import type { MaintainedObject } from './maintained-object.ts';

/** @param now in milliseconds */
export function tokenTracking(naming: NamingProfile, now: number): MaintainedObject {
  const namespace = systemNamespace(naming);
  const name = tokenTrackingName(naming);
  const since = dayOf(now);
  return {
    ...{ group: '', plural: 'configmaps', namespace, name },
    next: (current) => {
      if (!current) return { metadata: { name, namespace }, data: { since } };
      const { data } = asJson(current);
      const before = isObject(data) ? data : {};
      return isDay(before['since']) ? undefined : { ...asJson(current), data: { ...before, since } };
    },
  };
}
