/** Service: one name and address for a set of pods. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepStatus, statusSubresource } from '../define.ts';
import { isSince } from '../since.ts';
import type { ApiContext, NameRule } from '../types.ts';
import { nameIsDns1035Label, nameIsDns1123Label } from '../validation/name-rules.ts';
import { each, same } from '../validation/rules.ts';
import { proxyConnection } from './connect-subresources.ts';
import { alignAddresses, alignChangedAddresses, validateAddressChange } from './service/addresses.ts';
import { balancerAddresses, serviceAddresses } from './service/service-addresses.ts';
import { serviceWarnings } from './service/service-warnings.ts';
import { serviceColumns } from './service/service-columns.ts';
import { applyServiceDefaults } from './service/service-defaults.ts';
import { serviceAllocation } from './service/service-allocation.ts';
import { validateIngress, validateServiceSpec } from './service/service-spec.ts';
import {
  dropFamilies,
  dropSecondFamily,
  dropUnusedFields,
  keepPorts,
  needsHealthCheck,
} from './service/type-dependent.ts';
import type { Service as ServiceFields, ServiceSpec } from './v1.types.ts';

type Service = Stored<ServiceFields>;

const path = FieldPath.of('spec');

/** A name may begin with a digit where feature gate RelaxedServiceNameValidation is on (KEP-5311). */
const validateName: NameRule = (name, isPrefix, context) =>
  context?.isFeatureEnabled('RelaxedServiceNameValidation') === true
    ? nameIsDns1123Label(name, isPrefix)
    : nameIsDns1035Label(name, isPrefix);

const gated = {
  ServiceTopology: 'topologyKeys',
  ServiceLBNodePortControl: 'allocateLoadBalancerNodePorts',
  ServiceLoadBalancerClass: 'loadBalancerClass',
  ServiceInternalTrafficPolicy: 'internalTrafficPolicy',
} as const;

/** Fields behind gates that are off are dropped, unless the stored service has them. */
function dropDisabled(next: ServiceSpec, current: ServiceSpec | undefined, context: ApiContext): void {
  for (const [gate, field] of Object.entries(gated)) {
    if (!context.isFeatureEnabled(gate) && current?.[field] == null) Reflect.deleteProperty(next, field);
  }
  dropFamilies(next, current, context);
}

function prepareForCreate(service: Service, context: ApiContext): void {
  dropStatus(service);
  if (!service.spec) return;
  alignAddresses(service.spec);
  dropDisabled(service.spec, undefined, context);
}

function prepareForUpdate(next: Service, current: Service, context: ApiContext): void {
  keepStatus(next, current);
  if (!next.spec || !current.spec) return;
  alignChangedAddresses(next.spec, current.spec);
  keepPorts(next.spec, current.spec);
  dropDisabled(next.spec, current.spec, context);
  dropUnusedFields(next.spec, current.spec, context);
  dropSecondFamily(next.spec, current.spec, context);
  // Of a load balancer that it no longer has, nothing is reported.
  const wasBalancer = current.spec.type === 'LoadBalancer' && next.spec.type !== 'LoadBalancer';
  if (wasBalancer && next.status) next.status = { ...next.status, loadBalancer: {} };
}

function validateUpdate(next: Service, current: Service): FieldError[] {
  const to = next.spec ?? {};
  const from = current.spec ?? {};
  const fixedPort = needsHealthCheck(to) && needsHealthCheck(from) && from.healthCheckNodePort;
  const fixedClass = to.type === 'LoadBalancer' && from.type === 'LoadBalancer';
  return [
    ...validateAddressChange(to, from, path),
    ...(fixedPort && to.healthCheckNodePort !== from.healthCheckNodePort
      ? [invalid(path.child('healthCheckNodePort'), to.healthCheckNodePort, 'field is immutable')]
      : []),
    ...(fixedClass && !same(to.loadBalancerClass, from.loadBalancerClass)
      ? [invalid(path.child('loadBalancerClass'), to.loadBalancerClass, 'may not change once set')]
      : []),
  ];
}

/** What is reported of a load balancer is so of a service that has one; releases before 1.29 did not look. */
function validateBalancerStatus({ spec, status }: Service, context: ApiContext): FieldError[] {
  const ingress = status?.loadBalancer?.ingress ?? [];
  const at = FieldPath.of('status').child('loadBalancer').child('ingress');
  const isLoose = !isSince(context, 29) || context.isFeatureEnabled('AllowServiceLBStatusOnNonLB');
  return [
    ...each(ingress, at, validateIngress),
    ...(!isLoose && spec?.type !== 'LoadBalancer' && ingress.length > 0
      ? [forbidden(at, "may only be used when `spec.type` is 'LoadBalancer'")]
      : []),
  ];
}

export const services = defineResource<Service>({
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  namespaced: true,
  laterVerbs: { deletecollection: '1.23' },
  versions: [{ version: 'v1', applyDefaults: applyServiceDefaults }],
  validateName,
  strategy: {
    createOnUpdate: true,
    prepareForCreate,
    prepareForUpdate,
    validate: (service, context) => validateServiceSpec(service.spec ?? {}, path, context),
    validateUpdate,
    warnings: serviceWarnings,
    addresses: ({ spec }) => serviceAddresses(spec ?? {}),
    allocation: serviceAllocation,
  },
  subresources: [
    statusSubresource<Service>({
      addresses: ({ status }) => balancerAddresses(status?.loadBalancer?.ingress),
      validateUpdate: (next, _current, context) => validateBalancerStatus(next, context),
    }),
    proxyConnection('ServiceProxyOptions', 'proxy-to-service'),
  ],
  columns: serviceColumns,
  selectableFields: {
    'spec.clusterIP': ({ spec }) => spec?.clusterIP ?? '',
    'spec.type': ({ spec }) => spec?.type ?? '',
  },
  laterSelectors: { 'spec.clusterIP': '1.31', 'spec.type': '1.31' },
});
