/**
 * Connections to pods, services and nodes. Here it is decided where they lead; whether an address may be spoken to, and
 * how, is decided where the connection is made. Behaviour: registry/core/{pod,node,service} of kube-apiserver.
 */
import { randomIndex } from '../../base/random.ts';
import type { EndpointAddress, Endpoints, Node, Pod, Service } from '../../api/core/v1.types.ts';
import type { JsonObject } from '../../base/json.ts';
import { quoted } from '../../base/short-text.ts';
import { ObjectNotFound } from '../../meta/object-errors.ts';
import { badRequest, invalidObject, serviceUnavailable, type StatusError } from '../../meta/status.ts';
import { derivedScope } from '../derived-scope.ts';
import { getObject } from '../read/get-list.ts';
import { readObject } from '../object-memo.ts';
import type { RegistryDeps } from '../registry-context.ts';
import type { RequestScope } from '../types.ts';
import { agentPath, logErrors, type AgentConnection } from './connection-options.ts';
import type { ConnectionTarget, NodeAgent, Scheme } from './connection-target.ts';
import { containerOf } from './pod-containers.ts';

export interface ConnectRequest {
  /** As in the path: `web`, `web:http`, `https:web:443`. */
  readonly name: string;
  readonly options: JsonObject;
}

/** Finds the target of a connection. @throws StatusError 400, 404, 422, 503 */
type Connect = (
  deps: RegistryDeps,
  scope: RequestScope,
  request: ConnectRequest,
) => Promise<ConnectionTarget>;

const fresh = { resourceVersion: '' };

const readLog: Connect = async (deps, scope, { name, options }) => {
  const errors = logErrors(options);
  if (errors.length > 0) throw invalidObject({ group: '', kind: 'PodLogOptions' }, name, errors);
  const pod = await read<Pod>(deps, scope, name);
  const container = containerOf(pod, options, deps.isFeatureEnabled('EphemeralContainers'));
  const node = pod.spec?.nodeName ?? '';
  if (node === '') return { kind: 'nothing' };
  return {
    ...{ kind: 'agent', agent: await agentOf(deps, scope, node) },
    path: agentPath(['containerLogs', scope.namespace, name, container], 'log', options),
    skipsVerification: options['insecureSkipTLSVerifyBackend'] === true,
  };
};

/** `pods/exec` and `pods/attach`: a process in one container. */
const openStream: Connect = async (deps, scope, { name, options }) => {
  const pod = await read<Pod>(deps, scope, name);
  const container = containerOf(pod, options, deps.isFeatureEnabled('EphemeralContainers'));
  return toAgent(deps, scope, { name, pod, options, below: [container] });
};

const forwardPorts: Connect = async (deps, scope, { name, options }) => {
  const pod = await read<Pod>(deps, scope, name);
  return toAgent(deps, scope, { name, pod, options, below: [] });
};

const proxyToPod: Connect = async (deps, scope, request) => {
  const { scheme, name, port } = targetOf('pod', request.name);
  const pod = await read<Pod>(deps, scope, name);
  const ports = (pod.spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  // Without a port the first one, by its name one of that name.
  const found = port === '' ? ports[0] : ports.find((candidate) => candidate.name === port);
  const ip = pod.status?.podIPs?.[0]?.ip ?? '';
  return { kind: 'address', scheme, ip, port: String(found?.containerPort ?? port) };
};

const proxyToNode: Connect = async (deps, scope, request) => {
  const { scheme, name, port } = targetOf('node', request.name);
  return { kind: 'node', scheme, port, agent: agentIn(name, await read<Node>(deps, scope, name)) };
};

const proxyToService: Connect = async (deps, scope, request) => {
  const { scheme, name, port } = targetOf('service', request.name);
  const wanted = /^[0-9]+$/.test(port) ? await portName(deps, scope, { name, port }) : port;
  const { subsets } = await read<Endpoints>(deps, sibling(deps, scope, 'endpoints'), name);
  const found = (subsets ?? []).flatMap(({ addresses, ports }) =>
    (ports ?? [])
      .filter((candidate) => (candidate.name ?? '') === wanted)
      .flatMap(({ port: number = 0 }) => (addresses ?? []).map((address) => ({ address, number }))),
  );
  const chosen = await oneOfPods(deps, scope, found);
  if (!chosen) throw unavailable(`no endpoints available for service ${JSON.stringify(request.name)}`);
  return { kind: 'address', scheme, ip: chosen.address.ip ?? '', port: String(chosen.number) };
};

/** By the handler names of subresources. */
export const connections: ReadonlyMap<string, Connect> = new Map([
  ['forward-ports', forwardPorts],
  ['log', readLog],
  ['proxy-to-node', proxyToNode],
  ['proxy-to-pod', proxyToPod],
  ['proxy-to-service', proxyToService],
  ['stream', openStream],
]);

async function read<T>(deps: RegistryDeps, scope: RequestScope, name: string): Promise<T> {
  const entry = await getObject(deps.storage, scope, name, fresh);
  return (await readObject(entry)) as T;
}

/** The scope of another resource in the same namespace. */
function sibling(deps: RegistryDeps, scope: RequestScope, plural: string): RequestScope {
  const resource = deps.catalogue.resource('', scope.resource.gvr.version, plural);
  if (!resource) throw unavailable(`${plural} are not served`);
  return derivedScope(scope, { resource, subresource: '' });
}

interface StreamTarget {
  readonly name: string;
  readonly pod: Pod;
  readonly options: JsonObject;
  /** Segments behind the pod. */
  readonly below: readonly string[];
}

async function toAgent(
  deps: RegistryDeps,
  scope: RequestScope,
  { name, pod, options, below }: StreamTarget,
): Promise<ConnectionTarget> {
  const node = pod.spec?.nodeName ?? '';
  if (node === '') throw badRequest(`pod ${name} does not have a host assigned`);
  const stream = scope.subresource as AgentConnection;
  const segment = stream === 'portforward' ? 'portForward' : stream;
  return {
    ...{ kind: 'agent', agent: await agentOf(deps, scope, node), skipsVerification: false },
    path: agentPath([segment, scope.namespace, name, ...below], stream, options),
  };
}

async function agentOf(deps: RegistryDeps, scope: RequestScope, node: string): Promise<NodeAgent> {
  const nodes = derivedScope(sibling(deps, scope, 'nodes'), { namespace: '' });
  return agentIn(node, await read<Node>(deps, nodes, node));
}

function agentIn(node: string, { status }: Node): NodeAgent {
  const addresses = (status?.addresses ?? []).map(({ type = '', address = '' }) => ({ type, address }));
  return { node, addresses, port: status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0 };
}

/** @throws StatusError 400 */
function targetOf(kind: string, text: string): { scheme: Scheme; name: string; port: string } {
  const parts = text.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme))
    throw badRequest(`invalid ${kind} request ${quoted(text)}`);
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port };
}

/**
 * The name of the endpoint port behind the number of a service port.
 * @throws StatusError 404, 503
 */
async function portName(
  deps: RegistryDeps,
  scope: RequestScope,
  { name, port }: { readonly name: string; readonly port: string },
): Promise<string> {
  const { spec } = await read<Service>(deps, scope, name);
  const found = (spec?.ports ?? []).find((candidate) => candidate.port === Number(port));
  if (found) return found.name ?? '';
  throw unavailable(`no service port ${String(Number(port))} found for service ${JSON.stringify(name)}`);
}

/** A choice at random, so that requests spread. */
async function oneOfPods<T extends { readonly address: EndpointAddress }>(
  deps: RegistryDeps,
  scope: RequestScope,
  found: readonly T[],
): Promise<T | undefined> {
  const start = randomIndex(deps.random, found.length);
  for (const candidate of [...found.slice(start), ...found.slice(0, start)].slice(0, maxTries))
    if (await isOfPod(deps, scope, candidate.address)) return candidate;
  return undefined;
}

/** Each try reads a pod. */
const maxTries = 20;

/** Who may write Endpoints could name any address: only addresses of pods of this namespace count. */
async function isOfPod(
  deps: RegistryDeps,
  scope: RequestScope,
  { ip = '', targetRef }: EndpointAddress,
): Promise<boolean> {
  if (!targetRef || targetRef.namespace !== scope.namespace) return false;
  try {
    const { status } = await read<Pod>(deps, sibling(deps, scope, 'pods'), targetRef.name ?? '');
    return (status?.podIPs ?? []).some((own) => own.ip === ip);
  } catch (error) {
    if (error instanceof ObjectNotFound) return false;
    throw error;
  }
}

/** Without Retry-After, as clients would wait and retry. */
function unavailable(message: string): StatusError {
  return serviceUnavailable(message, 0);
}
