/** Passes requests for a group version on to the server that its APIService names. */
import type { AggregatedApis, RegisteredService } from '../../extension/aggregated-apis/index.ts';
import { namesUser, userHeaders } from '../../meta/user-headers.ts';
import { labelsOf } from '../../http/filters/request-metrics.ts';
import type { Step } from '../../http/filters/step.ts';
import { passedRequest } from '../../http/pass-on.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { Clock } from '../../base/clock.ts';
import { FewATurn } from '../../base/few-a-turn.ts';
import { messageOf } from '../../base/errors.ts';
import { inStep, type Span } from '../../base/span.ts';
import { serviceUnavailable, type StatusError } from '../../meta/status.ts';
import type { Logger } from '../../observe/log.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import { proxyRequest } from '../../proxy/reverse-proxy.ts';
import {
  BackendError,
  usualPatience,
  type Backend,
  type ProxiedRequest,
  type ProxyPatience,
} from '../../proxy/types.ts';

export interface ServeRemoteParts {
  readonly clock: Clock;
  readonly apis: Pick<AggregatedApis, 'access'>;
  /** Whether servers are told the UID of the user. */
  readonly passesUid: boolean;
  readonly metrics: Pick<ServerMetrics, 'requestTerminations'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Discovery of one group version must not make clients wait for a server that is slow. */
const discoveryPatience: ProxyPatience = { connectMs: 5_000, headMs: 5_000 };

/** Thousands may end at once. */
const ending = new FewATurn();

export class RemoteRequests {
  readonly #parts: ServeRemoteParts;
  /** Long-running requests by the name of their service. */
  readonly #open = new Map<string, Set<RequestContext>>();

  constructor(parts: ServeRemoteParts) {
    this.#parts = parts;
  }

  /** The step that serves the requests of this service, as it is registered now. */
  stepFor(service: RegisteredService): Step {
    return (context) => this.#serve(context, service);
  }

  /** Ends the long-running requests of a service: it changed or is gone, and clients have to begin again. */
  end(name: string): void {
    const open = this.#open.get(name);
    for (const context of open ?? [])
      ending.add(() => {
        if (open?.has(context)) context.cancel();
      });
  }

  /** Ends all long-running requests. */
  endAll(): void {
    for (const name of this.#open.keys()) this.end(name);
  }

  async #serve(context: RequestContext, service: RegisteredService): Promise<void> {
    // What a watch costs is for the other server to count.
    context.begun();
    const backend = this.#backendOf(context, service);
    if (context.longRunning) this.#keep(context, service.name);
    const isDiscovery = !context.info.isResourceRequest;
    try {
      const patience = isDiscovery ? discoveryPatience : usualPatience;
      await inStep(
        `HTTP ${context.req.method ?? ''}`,
        (step) =>
          proxyRequest(clientOf(context), continued(backend, step), { clock: this.#parts.clock, patience }),
        { kind: 'client', attributes: { 'server.address': backend.host, 'server.port': backend.port } },
      );
    } catch (error) {
      if (!(error instanceof BackendError) || context.res.headersSent || context.upgrade?.isTaken === true)
        throw error;
      throw this.#unavailable(context, `error trying to reach service: ${messageOf(error)}`);
    }
  }

  /** @throws StatusError 503 */
  #backendOf(context: RequestContext, service: RegisteredService): Backend {
    if (!service.isAvailable) throw this.#unavailable(context, 'service unavailable');
    try {
      const { host, port, tls, agent } = this.#parts.apis.access(service);
      return {
        ...{ scheme: 'https', host, port, tls, agent, path: context.req.url ?? '/' },
        hostHeader: host.includes(':') ? `[${host}]:${String(port)}` : `${host}:${String(port)}`,
        headers: userHeaders(context.user, this.#parts.passesUid),
        isWithheld: namesUser,
      };
    } catch (error) {
      this.#parts.log.warn('the Service of an APIService leads nowhere', {
        apiService: service.name,
        err: error,
      });
      throw this.#unavailable(context, 'service unavailable');
    }
  }

  #unavailable(context: RequestContext, message: string): StatusError {
    const labels = { ...labelsOf(context), component: 'aggregator', code: '503' };
    this.#parts.metrics.requestTerminations.series(labels).add();
    return serviceUnavailable(message);
  }

  #keep(context: RequestContext, name: string): void {
    const open = this.#open.get(name) ?? new Set();
    this.#open.set(name, open);
    open.add(context);
    context.onClose(() => {
      open.delete(context);
      if (open.size === 0 && this.#open.get(name) === open) this.#open.delete(name);
    });
  }
}

/** The server of the API continues the trace of the request; a client cannot pass a trace of its own on. */
function continued(backend: Backend, step: Span | undefined): Backend {
  return step ? { ...backend, headers: { ...backend.headers, ...step.headers } } : backend;
}

/** A response that does not last has one audit event. */
function clientOf(context: RequestContext): ProxiedRequest {
  const { beginResponse, ownHeaders, ...client } = passedRequest(context);
  return {
    ...client,
    ownHeaders: [...ownHeaders, ...(context.flowHeaders ?? [])],
    ...(context.longRunning && { beginResponse }),
  };
}
