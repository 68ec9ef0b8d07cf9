/** The configuration kinds themselves: no webhook and no policy judges them, or one could prevent its own removal. */
import type { NamingProfile } from '../../meta/naming.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';

const plurals = [
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
];

export function configurationsGroup(naming: NamingProfile): string {
  return `admissionregistration.${naming.apiDomain}`;
}

/** The write is about a configuration of webhooks or policies. */
export function isConfiguration({ scope: { resource } }: AdmissionAttributes): boolean {
  const { group, resource: plural } = resource.gvr;
  return group === configurationsGroup(resource.naming) && plurals.includes(plural);
}
