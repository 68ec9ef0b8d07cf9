/** The configuration kinds themselves: no webhook is asked about them, or one could forbid its own removal. */
import type { NamingProfile } from '../../meta/naming.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';

const plurals = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'];

export function configurationsGroup(naming: NamingProfile): string {
  return `admissionregistration.${naming.apiDomain}`;
}

/** The write is about a configuration of webhooks. */
function isConfiguration({ scope: { resource } }: AdmissionAttributes): boolean {
  const { group, resource: plural } = resource.gvr;
  return group === configurationsGroup(resource.naming) && plurals.includes(plural);
}

/** No webhook is asked: about its own kind, and about the change of a pod that a Binding makes, which it was asked about. */
export function isUnasked(attributes: AdmissionAttributes): boolean {
  const { scope, operation } = attributes;
  const handler = scope.resource.subresource(scope.subresource)?.handler;
  return isConfiguration(attributes) || (operation === 'UPDATE' && handler === 'binding');
}
