/**
 * Connections to pods, services and nodes. This service has no connection to kubelets or to the pod network. Requests
 * are validated as usual (object, container and node exist), and then rejected with 503.
 */
import type {
  Container,
  EndpointSubset,
  PodLogOptions,
  PodSpec,
  ServicePort,
} from '../../api/core/v1.types.ts';
import type { JsonValue } from '../../base/json.ts';
import { quoted } from '../../base/short-text.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid } from '../../meta/field-error.ts';
import { badRequest, invalidObject, serviceUnavailable, type StatusError } from '../../meta/status.ts';
import type { Action, ActionRequest } from './action.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { derivedScope } from '../derived-scope.ts';
import { entryObject } from '../written-entry.ts';
import { getObject } from '../read/get-list.ts';
import type { RequestScope } from '../types.ts';

interface Target {
  readonly name: string;
  readonly port: string;
}

const fresh = { resourceVersion: '' };

/**
 * `pods/log`: empty if the pod has no node.
 * @throws StatusError 400, 404, 422, 503
 */
export const readLog: Action = async (deps, scope, request) => {
  const options = (request.body ?? {}) as PodLogOptions;
  const errors = logErrors(options);
  if (errors.length > 0) throw invalidObject({ group: '', kind: 'PodLogOptions' }, request.name, errors);
  const spec = await podSpec(deps, scope, request.name);
  assertContainer(request.name, spec, options.container ?? '');
  if ((spec.nodeName ?? '') === '') return '';
  throw noAgent(spec.nodeName ?? '');
};

/** `pods/exec` and `pods/attach`. @throws StatusError 400, 404, 503 */
export const openStream: Action = async (deps, scope, request) => {
  const spec = await podSpec(deps, scope, request.name);
  const { container } = request.body ?? {};
  assertContainer(request.name, spec, typeof container === 'string' ? container : '');
  return refuseStream(request, spec);
};

/** `pods/portforward`. @throws StatusError 400, 404, 503 */
export const forwardPorts: Action = async (deps, scope, request) =>
  refuseStream(request, await podSpec(deps, scope, request.name));

/** `pods/proxy`. @throws StatusError 400, 404, 503 */
export const proxyToPod: Action = async (deps, scope, request) => {
  const { name } = targetOf('pod', request.name);
  const entry = await getObject(deps.storage, scope, name, fresh);
  const { podIP = '' } = (entryObject(entry)['status'] ?? {}) as { podIP?: string };
  if (podIP === '') throw badRequest('address not allowed');
  throw noNetwork(`pod ${JSON.stringify(name)}`);
};

/** `nodes/proxy`. @throws StatusError 400, 404, 503 */
export const proxyToNode: Action = async (deps, scope, request) => {
  const { name } = targetOf('node', request.name);
  await getObject(deps.storage, scope, name, fresh);
  throw noAgent(name);
};

/** `services/proxy`. @throws StatusError 400, 404, 503 */
export const proxyToService: Action = async (deps, scope, request) => {
  const { name, port } = targetOf('service', request.name);
  const service = entryObject(await getObject(deps.storage, scope, name, fresh));
  const { ports } = (service['spec'] ?? {}) as { ports?: ServicePort[] | null };
  const wanted = portName(name, port, ports ?? []);
  const resource = deps.catalogue.resource('', scope.resource.gvr.version, 'endpoints');
  if (!resource) throw noEndpoints(name);
  const found = await getObject(deps.storage, scopeOn(scope, resource), name, fresh);
  const { subsets } = entryObject(found) as { subsets?: EndpointSubset[] | null };
  if (!(subsets ?? []).some((subset) => offers(subset, wanted))) throw noEndpoints(name);
  throw noNetwork(`service ${JSON.stringify(name)}`);
};

function scopeOn(scope: RequestScope, resource: RequestScope['resource']): RequestScope {
  return derivedScope(scope, { resource, subresource: '' });
}

async function podSpec(deps: RegistryDeps, scope: RequestScope, name: string): Promise<PodSpec> {
  return entryObject(await getObject(deps.storage, scope, name, fresh))['spec'] ?? {};
}

function logErrors(options: PodLogOptions): FieldError[] {
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = options;
  const isBelow = (value: unknown, least: number): boolean => typeof value === 'number' && value < least;
  return [
    ...(isBelow(tailLines, 0)
      ? [invalid('tailLines', tailLines ?? 0, 'must be greater than or equal to 0')]
      : []),
    ...(isBelow(limitBytes, 1) ? [invalid('limitBytes', limitBytes ?? 0, 'must be greater than 0')] : []),
    ...(sinceSeconds != null && sinceTime != null
      ? [forbidden('', 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
      : []),
    ...(isBelow(sinceSeconds, 1)
      ? [invalid('sinceSeconds', sinceSeconds ?? 0, 'must be greater than 0')]
      : []),
  ];
}

/**
 * A pod with several containers requires a container name.
 * @throws StatusError 400
 */
function assertContainer(pod: string, spec: PodSpec, wanted: string): void {
  const containers = namesOf(spec.containers);
  const init = namesOf(spec.initContainers);
  if (wanted !== '') {
    const all = [...containers, ...init, ...namesOf(spec.ephemeralContainers)];
    if (!all.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${pod}`);
  } else if (containers.length !== 1) {
    const others = init.length === 0 ? '' : ` or one of the init containers: [${init.join(' ')}]`;
    throw badRequest(
      `a container name must be specified for pod ${pod}, choose one of: [${containers.join(' ')}]${others}`,
    );
  }
}

function namesOf(containers: readonly Pick<Container, 'name'>[] | null | undefined): string[] {
  return (containers ?? []).map(({ name = '' }) => name);
}

function refuseStream({ name }: ActionRequest, { nodeName = '' }: PodSpec): JsonValue {
  if (nodeName === '') throw badRequest(`pod ${name} does not have a host assigned`);
  throw noAgent(nodeName);
}

/** `web`, `web:http`, `https:web:443`. @throws StatusError 400 */
function targetOf(kind: string, text: string): Target {
  const parts = text.split(':');
  const [scheme, name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme ?? '')) {
    throw badRequest(`invalid ${kind} request ${quoted(text)}`);
  }
  return { name, port };
}

/**
 * The endpoint port name of a service port, which may be given by number.
 * @throws StatusError 503
 */
function portName(service: string, port: string, ports: readonly ServicePort[]): string {
  if (!/^[0-9]+$/.test(port)) return port;
  const found = ports.find((candidate) => String(candidate.port) === port);
  if (found) return found.name ?? '';
  throw unavailable(`no service port ${port} found for service ${JSON.stringify(service)}`);
}

/** Without a name any port matches. */
function offers({ addresses, ports }: EndpointSubset, wanted: string): boolean {
  return (
    (addresses ?? []).length > 0 && (ports ?? []).some(({ name = '' }) => wanted === '' || name === wanted)
  );
}

/** Without Retry-After, as clients would wait and retry. */
function unavailable(message: string): StatusError {
  return serviceUnavailable(message, 0);
}

function noEndpoints(service: string): StatusError {
  return unavailable(`no endpoints available for service ${JSON.stringify(service)}`);
}

function noAgent(node: string): StatusError {
  return unavailable(`this service has no connection to the agent of node ${JSON.stringify(node)}`);
}

function noNetwork(target: string): StatusError {
  return unavailable(`this service has no connection to the network of ${target}`);
}
