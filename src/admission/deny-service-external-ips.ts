/** DenyServiceExternalIPs: no Service gets external IPs that it does not have (CVE-2020-8554). */
import type { Service as ServiceFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import { forbidden } from '../meta/status.ts';
import { isWriteOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

export function createDenyServiceExternalIPs(): AdmissionPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    validate(attributes): void {
      if (!isWriteOf(attributes, 'services')) return;
      const { object, oldObject, scope, name } = attributes;
      const before = new Set(externalIPs(oldObject));
      if (externalIPs(object as Stored<ServiceFields>).every((ip) => before.has(ip))) return;
      throw forbidden(scope.resource.gvr, name, 'Use of external IPs is denied by admission control');
    },
  };
}

function externalIPs(service: Stored<ServiceFields> | undefined): readonly string[] {
  return service?.spec?.externalIPs ?? [];
}
