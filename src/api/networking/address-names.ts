/** Names on the objects of addresses: who made them, and what keeps a range (networking/v1, well-known labels). */
import type { NamingProfile } from '../../meta/naming.ts';

export interface AddressNames {
  /** Label of an IPAddress: `IPv4` or `IPv6`. */
  readonly family: string;
  /** Label of an IPAddress: who maintains it. */
  readonly managedBy: string;
  /** The value of that label on addresses of services. */
  readonly allocator: string;
  /** Finalizer of a ServiceCIDR. */
  readonly finalizer: string;
}

export function addressNames({ labelDomain, apiDomain }: NamingProfile): AddressNames {
  return {
    family: `ipaddress.${labelDomain}/ip-family`,
    managedBy: `ipaddress.${labelDomain}/managed-by`,
    allocator: `ipallocator.${apiDomain}`,
    finalizer: `networking.${apiDomain}/service-cidr-finalizer`,
  };
}
