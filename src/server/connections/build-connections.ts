/**
 * Connections to agents of nodes, to pods and services: from the target that objects give to a backend of the proxy.
 *
 *   agent    TLS with the client certificate for agents, verified by their CA bundle
 *   node     the same at the agent's port; another port of the node without both
 *   address  a pod, or one behind a service: without credentials, unverified, only at allowed addresses
 */
import type { Clock } from '../../base/clock.ts';
import type { Environment } from '../../base/environment.ts';
import { PacedAgent } from '../../base/paced-agent.ts';
import { timeLimit } from '../../base/time-limit.ts';
import type { Destination, PassedRequest, PassOn } from '../../http/pass-on.ts';
import { openFileLimit } from '../../http/open-files.ts';
import { badRequest, serviceUnavailable, StatusError } from '../../meta/status.ts';
import type { Credentials } from '../../options/credentials.ts';
import type { NodeAgentConfig } from '../../options/node-agent-options.ts';
import { proxyRequest } from '../../proxy/reverse-proxy.ts';
import { BackendError, usualPatience, type Backend, type ProxyPatience } from '../../proxy/types.ts';
import type { NodeAgent } from '../../registry/subresources/connection-target.ts';
import { agentTls, hostOfAgent, portOf } from './agent-backend.ts';
import { allowedAddressOf, type LookupParts } from './allowed-address.ts';
import { OpenPassages, usualPassages, type PassageLimits } from './open-passages.ts';
import { passLog } from './pass-log.ts';

export interface Connections {
  readonly passOn: PassOn;
  /** Connections made from now on use these credentials. */
  use(credentials: Pick<Credentials, 'nodeAgents'>): void;
}

export interface ConnectionsParts {
  readonly environment: Environment;
  /** Domain of the names that the API defines. */
  readonly apiDomain: string;
  readonly credentials: Pick<Credentials, 'nodeAgents'>;
  /** Replaces the rule for addresses of pods, services and nodes. */
  readonly isAllowed?: (ip: string) => boolean;
  /** Finds the addresses of names; absent: as this machine does. */
  readonly find?: LookupParts['find'];
  /** Absent: by the open files that this process may have. */
  readonly limits?: PassageLimits;
}

export function buildConnections(config: NodeAgentConfig, parts: ConnectionsParts): Connections {
  const maker = new BackendMaker(config, parts);
  const toAgent = { ...usualPatience, connectMs: config.timeoutMs };
  const passages = new OpenPassages(parts.limits ?? usualPassages(openFileLimit()));
  return {
    passOn: (client, destination) => passages.use(client.user, () => pass(client, destination)),
    use: ({ nodeAgents }) => {
      maker.use(nodeAgents);
    },
  };

  async function pass(client: PassedRequest, destination: Destination): Promise<void> {
    const { target, purpose, name } = destination;
    const { bytesPerSecond } = config;
    const patience = target.kind === 'agent' ? toAgent : usualPatience;
    const { clock } = parts.environment;
    try {
      const backend = { ...(await maker.backendOf(client, destination)), bytesPerSecond };
      if (purpose === 'log')
        await passLog(client, backend, {
          name,
          apiDomain: parts.apiDomain,
          clock,
          patience: unhurried(patience),
        });
      else await proxyRequest(client, backend, { clock, patience });
    } catch (error) {
      throw error instanceof BackendError ? statusOf(error, client, purpose) : error;
    }
  }
}

/** Agents send the head with the first line, which may never come. */
function unhurried(patience: ProxyPatience): ProxyPatience {
  return { ...patience, headMs: Infinity };
}

/** Connections are not used again: those of upgrades are not, and logs are streams. */
const once = { keepAlive: false };

class BackendMaker {
  #credentials: Credentials['nodeAgents'];
  readonly #clock: Clock;
  /** To agents of nodes that are verified, and to those that are not. */
  #verified: PacedAgent;
  #unverified: PacedAgent;
  /** To pods, services and other ports of nodes: without credentials. */
  readonly #strangers: PacedAgent;
  readonly #config: NodeAgentConfig;
  readonly #addresses: Pick<LookupParts, 'isAllowed' | 'find'>;

  constructor(config: NodeAgentConfig, { environment, credentials, isAllowed, find }: ConnectionsParts) {
    this.#config = config;
    this.#clock = environment.clock;
    this.#addresses = { isAllowed, find };
    this.#strangers = new PacedAgent(this.#clock, {}, once);
    this.#credentials = credentials.nodeAgents;
    [this.#verified, this.#unverified] = this.#agents();
  }

  use(credentials: Credentials['nodeAgents']): void {
    this.#credentials = credentials;
    [this.#verified, this.#unverified] = this.#agents();
  }

  #agents(): [PacedAgent, PacedAgent] {
    const { ca, cert, key } = this.#credentials;
    const own = { ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
    const verified = { ...own, ...(ca !== undefined && { ca }) };
    return [new PacedAgent(this.#clock, verified, once), new PacedAgent(this.#clock, own, once)];
  }

  /** @throws StatusError 400, 500; BackendError where nobody knows the address of a name in time */
  async backendOf(client: PassedRequest, destination: Destination): Promise<Backend> {
    const { target } = destination;
    if (target.kind === 'agent')
      return { ...this.#agent(target.agent, target.skipsVerification), path: target.path };
    const mounted = { path: pathOf(client, destination), mount: destination.mount };
    const unverified = (scheme: Backend['scheme']): Partial<Backend> => ({
      tls: { insecureSkipVerify: true },
      ...(scheme === 'https' && { agent: this.#strangers }),
    });
    if (target.kind === 'address') {
      const host = await this.#addressOf(target.ip === '' ? '0.0.0.0' : target.ip, client.signal);
      const { scheme } = target;
      return { scheme, host, port: numberOf(target.port, scheme), ...unverified(scheme), ...mounted };
    }
    const { agent, port, scheme } = target;
    if (port === '' || port === String(portOf(agent))) return { ...this.#agent(agent), ...mounted };
    const name = hostOfAgent(agent, this.#config.addressTypes);
    const host = await this.#addressOf(name, client.signal);
    return { scheme, host, port: numberOf(port, scheme), ...unverified(scheme), ...mounted };
  }

  /** The lookup has the time that a connection has. */
  async #addressOf(host: string, gone: AbortSignal): Promise<string> {
    using limit = timeLimit(this.#clock, usualPatience.connectMs, gone);
    return await allowedAddressOf(host, { ...this.#addresses, signal: limit.signal });
  }

  #agent(agent: NodeAgent, skipsVerification = false): Omit<Backend, 'path'> {
    const tls = agentTls(this.#credentials, skipsVerification);
    return {
      ...{ scheme: 'https', port: portOf(agent), host: hostOfAgent(agent, this.#config.addressTypes) },
      tls,
      agent: tls.insecureSkipVerify === true ? this.#unverified : this.#verified,
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
