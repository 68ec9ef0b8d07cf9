/**
 * Connections to agents of nodes, to pods and services: from the target that objects give to a backend of the proxy.
 *
 *   agent    TLS with the client certificate for agents, verified by their CA bundle
 *   node     the same at the agent's port; another port of the node without both
 *   address  a pod, or one behind a service: without credentials, unverified, only at allowed addresses
 */
import type { Destination, PassedRequest, PassOn } from '../../http/pass-on.ts';
import { badRequest, serviceUnavailable, StatusError } from '../../meta/status.ts';
import type { Credentials } from '../../options/credentials.ts';
import type { NodeAgentConfig } from '../../options/node-agent-options.ts';
import { proxyRequest } from '../../proxy/reverse-proxy.ts';
import { BackendError, usualPatience, type Backend, type ProxyPatience } from '../../proxy/types.ts';
import type { NodeAgent } from '../../registry/subresources/connection-target.ts';
import { agentTls, hostOfAgent, portOf } from './agent-backend.ts';
import { allowedAddressOf, isAllowedAddress } from './allowed-address.ts';
import { passLog } from './pass-log.ts';

export interface Connections {
  readonly passOn: PassOn;
  /** Connections made from now on use these credentials. */
  use(credentials: Pick<Credentials, 'nodeAgents'>): void;
}

export interface ConnectionsParts {
  /** Domain of the names that the API defines. */
  readonly apiDomain: string;
  readonly credentials: Pick<Credentials, 'nodeAgents'>;
  /** Replaces the rule for addresses of pods, services and nodes. */
  readonly isAllowed?: (ip: string) => boolean;
}

export function buildConnections(config: NodeAgentConfig, parts: ConnectionsParts): Connections {
  const maker = new BackendMaker(config, parts);
  const toAgent = { ...usualPatience, connectMs: config.timeoutMs };
  return {
    passOn: async (client, destination) => {
      const { target, purpose, name } = destination;
      const { bytesPerSecond } = config;
      const backend = { ...(await maker.backendOf(client, destination)), bytesPerSecond };
      const patience = target.kind === 'agent' ? toAgent : usualPatience;
      try {
        if (purpose === 'log')
          await passLog(client, backend, { name, apiDomain: parts.apiDomain, patience: unhurried(patience) });
        else await proxyRequest(client, backend, patience);
      } catch (error) {
        throw error instanceof BackendError ? statusOf(error, client, purpose) : error;
      }
    },
    use: ({ nodeAgents }) => {
      maker.credentials = nodeAgents;
    },
  };
}

/** Agents send the head with the first line, which may never come. */
function unhurried(patience: ProxyPatience): ProxyPatience {
  return { ...patience, headMs: Infinity };
}

class BackendMaker {
  credentials: Credentials['nodeAgents'];
  readonly #config: NodeAgentConfig;
  readonly #isAllowed: (ip: string) => boolean;

  constructor(config: NodeAgentConfig, { credentials, isAllowed = isAllowedAddress }: ConnectionsParts) {
    this.#config = config;
    this.credentials = credentials.nodeAgents;
    this.#isAllowed = isAllowed;
  }

  /** @throws StatusError 400, 500 */
  async backendOf(client: PassedRequest, destination: Destination): Promise<Backend> {
    const { target } = destination;
    if (target.kind === 'agent')
      return { ...this.#agent(target.agent, target.skipsVerification), path: target.path };
    const mounted = { path: pathOf(client, destination), mount: destination.mount };
    const unverified = { tls: { insecureSkipVerify: true } };
    if (target.kind === 'address') {
      const host = await allowedAddressOf(target.ip === '' ? '0.0.0.0' : target.ip, this.#isAllowed);
      const { scheme } = target;
      return { scheme, host, port: numberOf(target.port, scheme), ...unverified, ...mounted };
    }
    const { agent, port, scheme } = target;
    if (port === '' || port === String(portOf(agent))) return { ...this.#agent(agent), ...mounted };
    const name = hostOfAgent(agent, this.#config.addressTypes);
    const host = await allowedAddressOf(name, this.#isAllowed);
    return { scheme, host, port: numberOf(port, scheme), ...unverified, ...mounted };
  }

  #agent(agent: NodeAgent, skipsVerification = false): Omit<Backend, 'path'> {
    return {
      ...{ scheme: 'https', port: portOf(agent), host: hostOfAgent(agent, this.#config.addressTypes) },
      tls: agentTls(this.credentials, skipsVerification),
    };
  }
}

/** The path at the target, with the query of the client. */
function pathOf({ req }: PassedRequest, { path }: Destination): string {
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  return `${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}${mark < 0 ? '' : url.slice(mark)}`;
}

/** @throws StatusError 400 */
function numberOf(port: string, scheme: 'http' | 'https'): number {
  if (port === '') return scheme === 'https' ? 443 : 80;
  const number = /^[0-9]{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65_535) throw badRequest(`${JSON.stringify(port)} is no port`);
  return number;
}

/** In the words of kube-apiserver. */
function statusOf(error: BackendError, client: PassedRequest, purpose: Destination['purpose']): StatusError {
  const { message } = error;
  if (purpose === 'proxy' && !client.takeConnection)
    return serviceUnavailable(`error trying to reach service: ${message}`, 0);
  const isRefusal = message.startsWith('invalid upgrade response');
  return new StatusError(500, 'InternalError', isRefusal ? message : `error dialing backend: ${message}`);
}
