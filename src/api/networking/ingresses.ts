/** Ingress: which host and path of requests from outside go to which service. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepStatus, statusSubresource } from '../define.ts';
import { balancerAddresses } from '../core/service/service-addresses.ts';
import { isSince } from '../since.ts';
import type { ApiContext } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { same } from '../validation/rules.ts';
import { ingressFromStorage, ingressToStorage } from './ingress-conversion.ts';
import { validateIngressSpec, validateLoadBalancer } from './ingress-spec.ts';
import type { Ingress as IngressFields } from './v1.types.ts';

type Ingress = Stored<IngressFields>;

const shownHosts = 3;

/** The annotation of before there were classes, and the field, are not both given at creation. */
function classErrors({ metadata, spec }: Ingress, naming: NamingProfile): FieldError[] {
  const annotation = metadata.annotations?.[`${naming.labelDomain}/ingress.class`];
  return annotation === undefined || spec?.ingressClassName == null
    ? []
    : [
        invalid(
          FieldPath.of('annotations').child(`${naming.labelDomain}/ingress.class`),
          annotation,
          'can not be set when the class field is also set',
        ),
      ];
}

/** Since there are classes, an annotation that a new object has is one of former days. */
function classWarnings({ metadata }: Ingress, context: ApiContext, before?: Ingress): string[] {
  const annotation = `${context.naming.labelDomain}/ingress.class`;
  return !before && isSince(context, 22) && metadata.annotations?.[annotation] !== undefined
    ? [`annotation "${annotation}" is deprecated, please use 'spec.ingressClassName' instead`]
    : [];
}

function hosts({ spec }: Ingress): string {
  const rules = spec?.rules ?? [];
  const named = rules
    .flatMap(({ host = '' }, at) => (host === '' ? [] : [{ host, at }]))
    .slice(0, shownHosts);
  if (named.length === 0) return '*';
  const shown = named.map(({ host }) => host).join(',');
  // Behind the last that is shown every rule counts, also one for all hosts.
  const isMore = named.length === shownHosts && named.at(-1)?.at !== rules.length - 1;
  return isMore ? `${shown} + ${String(rules.length - shownHosts)} more...` : shown;
}

function addresses({ status }: Ingress): string {
  const found = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || (hostname ?? ''));
  return [...new Set(found.filter((address) => address !== ''))].sort().join(',');
}

export const ingresses = defineResource<Ingress>({
  kind: 'Ingress',
  plural: 'ingresses',
  shortNames: ['ing'],
  namespaced: true,
  versions: [
    { version: 'v1' },
    {
      version: 'v1beta1',
      deprecatedIn: '1.19',
      removedIn: '1.22',
      replacement: 'networking.{api}/v1 Ingress',
      toStorage: ingressToStorage,
      fromStorage: ingressFromStorage,
    },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate: ({ spec }) => validateIngressSpec(spec ?? {}, FieldPath.of('spec')),
    warnings: classWarnings,
    validateCreate: (ingress, { naming }) => classErrors(ingress, naming),
  },
  subresources: [
    statusSubresource<Ingress>({
      addresses: ({ status }) => balancerAddresses(status?.loadBalancer?.ingress),
      validateUpdate: ({ status }) =>
        validateLoadBalancer(status?.loadBalancer, FieldPath.of('status').child('loadBalancer')),
    }),
  ],
  columns: [
    nameColumn,
    column<Ingress>('Class', ({ spec }) => spec?.ingressClassName ?? '<none>', {
      description: 'Class, that is who answers.',
    }),
    column<Ingress>('Hosts', hosts, { description: 'Hosts that it answers for.' }),
    column<Ingress>('Address', addresses, { description: 'Where it is reached.' }),
    column<Ingress>('Ports', ({ spec }) => ((spec?.tls ?? []).length > 0 ? '80, 443' : '80'), {
      description: 'Ports that are open.',
    }),
    ageColumn,
  ],
});
