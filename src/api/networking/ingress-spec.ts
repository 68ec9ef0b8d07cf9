/** Rules of an Ingress: hosts, paths, backends, certificates. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { LoadBalancerStatus } from '../core/v1.types.ts';
import {
  dns1035Label,
  dns1123Subdomain,
  ianaPortName,
  pathSegment,
  wildcardDns1123Subdomain,
} from '../validation/name-rules.ts';
import { ipAddress, ipFamily, portNumber } from '../validation/net.ts';
import type { Maybe } from '../validation/rules.ts';
import { each, given, need, obeys } from '../validation/rules.ts';
import type {
  HTTPIngressPath,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  IngressTLS,
} from './v1.types.ts';

const backsteps = ['//', '/./', '/../', '%2f', '%2F'];
const lastSteps = ['/..', '/.'];

export function validateIngressSpec(spec: IngressSpec, path: FieldPath): FieldError[] {
  const hasRules = (spec.rules ?? []).length > 0;
  return [
    ...(hasRules || spec.defaultBackend != null
      ? []
      : [invalid(path, spec.rules ?? [], 'either `defaultBackend` or `rules` must be specified')]),
    ...given(spec.defaultBackend, path.child('defaultBackend'), validateBackend),
    ...each(spec.rules, path.child('rules'), validateRule),
    ...each(spec.tls, path.child('tls'), validateTls),
    ...given(spec.ingressClassName, path.child('ingressClassName'), obeys(dns1123Subdomain)),
  ];
}

function validateTls(tls: IngressTLS, path: FieldPath): FieldError[] {
  return [
    ...each(tls.hosts, path.child('hosts'), obeys(hostName)),
    ...given(tls.secretName || undefined, path.child('secretName'), obeys(dns1123Subdomain)),
  ];
}

function hostName(host: string): string[] {
  return host.includes('*') ? wildcardDns1123Subdomain(host) : dns1123Subdomain(host);
}

function validateRule(rule: IngressRule, path: FieldPath): FieldError[] {
  const host = rule.host ?? '';
  const at = path.child('host');
  return [
    ...(host === '' ? [] : obeys(hostName)(host, at)),
    ...(ipFamily(host) === undefined ? [] : [invalid(at, host, 'must be a DNS name, not an IP address')]),
    ...given(rule.http, path.child('http'), (http, p) =>
      (http.paths ?? []).length === 0
        ? [required(p.child('paths'))]
        : each(http.paths, p.child('paths'), validatePath),
    ),
  ];
}

function validatePath(item: HTTPIngressPath, path: FieldPath): FieldError[] {
  const text = item.path ?? '';
  const at = path.child('path');
  return [
    ...(item.pathType ? [] : [required(path.child('pathType'), 'pathType must be specified')]),
    ...(item.pathType === 'ImplementationSpecific' ? looseErrors(text, at) : strictErrors(text, at)),
    ...validateBackend(item.backend ?? {}, path.child('backend')),
  ];
}

function looseErrors(text: string, at: FieldPath): FieldError[] {
  return text === '' || text.startsWith('/') ? [] : [invalid(at, text, 'must be an absolute path')];
}

/** A path that can be compared step by step. */
function strictErrors(text: string, at: FieldPath): FieldError[] {
  return [
    ...(text.startsWith('/') ? [] : [invalid(at, text, 'must be an absolute path')]),
    ...backsteps
      .filter((part) => text.includes(part))
      .map((part) => invalid(at, text, `must not contain '${part}'`)),
    ...lastSteps
      .filter((end) => text.endsWith(end))
      .map((end) => invalid(at, text, `cannot end with '${end}'`)),
  ];
}

/** A service or another object of the namespace, not both. */
function validateBackend(backend: IngressBackend, path: FieldPath): FieldError[] {
  const { resource, service } = backend;
  if (resource != null && service != null)
    return [invalid(path, '', 'cannot set both resource and service backends')];
  if (resource != null) {
    const at = path.child('resource');
    return [
      ...need(resource.kind, at.child('kind'), obeys(pathSegment)),
      ...need(resource.name, at.child('name'), obeys(pathSegment)),
      ...given(resource.apiGroup, at.child('apiGroup'), (group, p) => obeys(dns1123Subdomain)(group, p)),
    ];
  }
  return service == null
    ? [required(path, 'resource or service backend is required')]
    : validateService(service, path.child('service'));
}

function validateService(service: IngressServiceBackend, path: FieldPath): FieldError[] {
  const port = path.child('port');
  const name = service.port?.name ?? '';
  const number = service.port?.number ?? 0;
  return [
    ...need(service.name, path.child('name'), obeys(dns1035Label)),
    ...(name !== '' && number !== 0 ? [invalid(path, '', 'cannot set both port name & port number')] : []),
    ...(name === '' && number === 0 ? [required(port, 'port name or number is required')] : []),
    ...(name === '' ? [] : obeys(ianaPortName)(name, port.child('name'))),
    ...(number === 0 ? [] : portNumber(number, port.child('number'))),
  ];
}

/** Addresses that a balancer reports. */
export function validateLoadBalancer(status: Maybe<LoadBalancerStatus>, path: FieldPath): FieldError[] {
  return each(status?.ingress, path.child('ingress'), ({ ip, hostname }, at) => [
    ...(ip ? ipAddress(ip, at.child('ip')) : []),
    ...(hostname ? obeys(dns1123Subdomain)(hostname, at.child('hostname')) : []),
    ...(hostname && ipFamily(hostname) !== undefined
      ? [invalid(at.child('hostname'), hostname, 'must be a DNS name, not an IP address')]
      : []),
  ]);
}
