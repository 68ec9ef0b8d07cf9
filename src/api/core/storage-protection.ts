/** The finalizers of volumes and claims that are kept as long as something uses them. */
import type { NamingProfile } from '../../meta/naming.ts';

export function volumeProtection({ labelDomain }: NamingProfile): string {
  return `${labelDomain}/pv-protection`;
}

export function claimProtection({ labelDomain }: NamingProfile): string {
  return `${labelDomain}/pvc-protection`;
}
