/** The configuration kinds themselves: no webhook is called for them, or one could prevent its own removal. */
import type { NamingProfile } from '../../meta/naming.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';

const plurals = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'];

export function configurationsGroup(naming: NamingProfile): string {
  return `admissionregistration.${naming.apiDomain}`;
}

/** The write is about a configuration of webhooks. */
export function isConfiguration({ scope: { resource } }: AdmissionAttributes): boolean {
  const { group, resource: plural } = resource.gvr;
  return group === configurationsGroup(resource.naming) && plurals.includes(plural);
}
