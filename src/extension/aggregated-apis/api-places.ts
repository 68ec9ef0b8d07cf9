/**
 * Where group versions are served, for clients inside of this service: requests go to the server that is registered, in
 * the name of the caller, and end when another one is.
 */
import { joinedSignals } from '../../base/joined-signals.ts';
import type { JsonObject } from '../../base/json.ts';
import type { GroupVersion } from '../../meta/gvk.ts';
import { serviceUnavailable } from '../../meta/status.ts';
import type { UserInfo } from '../../meta/user.ts';
import {
  bodyText,
  contentHeaders,
  jsonOf,
  linesOf,
  type ApiRequest,
  type ApiTransport,
} from '../../webhook/api-transport.ts';
import type { BackendConnections } from './backend-connections.ts';
import { serviceName, type RegisteredService } from './registered-service.ts';
import type { RegistrationFollower } from './registrations.ts';

export interface ApiPlacesParts {
  readonly registrations: Pick<RegistrationFollower, 'current' | 'onChange'>;
  readonly connections: Pick<BackendConnections, 'request'>;
  /** Whom the servers are told. */
  readonly user: UserInfo;
}

interface Place {
  readonly transport: ApiTransport | undefined;
  readonly moved: AbortSignal;
}

interface KnownPlace extends Place {
  /** '' if this service serves it. */
  readonly wish: string;
  readonly end: () => void;
}

/** Bytes of a response, and of a watch event, which is parsed in one step. */
const longestAnswer = 4 * 1024 * 1024;

export class ApiPlaces {
  readonly #parts: ApiPlacesParts;
  readonly #known = new Map<string, KnownPlace>();

  constructor(parts: ApiPlacesParts) {
    this.#parts = parts;
    parts.registrations.onChange((names) => {
      for (const name of names) this.#note(name);
    });
  }

  /** The same value until the group version moves. */
  of(group: string, version: string): Place {
    const name = serviceName(group, version);
    const wish = this.#service(group, version)?.wish ?? '';
    const known = this.#known.get(name);
    if (known?.wish === wish) return known;
    known?.end();
    const made = this.#place({ group, version }, wish);
    this.#known.set(name, made);
    return made;
  }

  /** Group versions that other servers serve, in the order of discovery. */
  remote(): readonly GroupVersion[] {
    return this.#parts.registrations.current().remotes;
  }

  #service(group: string, version: string): RegisteredService | undefined {
    return this.#parts.registrations.current().remote(group, version);
  }

  #place({ group, version }: GroupVersion, wish: string): KnownPlace {
    const moving = new AbortController();
    const { connections, user } = this.#parts;
    const serviceNow = (): RegisteredService | undefined => this.#service(group, version);
    const transport =
      wish === '' ? undefined : new BackendTransport({ connections, user, serviceNow, moved: moving.signal });
    return { wish, transport, moved: moving.signal, end: () => moving.abort() };
  }

  #note(name: string): void {
    const known = this.#known.get(name);
    if (!known) return;
    const service = this.#parts.registrations.current().remoteNamed(name);
    const wish = service?.wish ?? '';
    if (known.wish === wish) return;
    this.#known.delete(name);
    known.end();
  }
}

interface BackendTransportParts {
  readonly connections: Pick<BackendConnections, 'request'>;
  readonly user: UserInfo;
  readonly serviceNow: () => RegisteredService | undefined;
  readonly moved: AbortSignal;
}

class BackendTransport implements ApiTransport {
  readonly #parts: BackendTransportParts;

  constructor(parts: BackendTransportParts) {
    this.#parts = parts;
  }

  async json(request: ApiRequest, signal: AbortSignal, longest = longestAnswer): Promise<JsonObject> {
    using both = joinedSignals(signal, this.#parts.moved);
    return await jsonOf(await this.#open(request, both.signal), Math.min(longest, longestAnswer));
  }

  async *lines(request: ApiRequest, signal: AbortSignal): AsyncGenerator<JsonObject> {
    using both = joinedSignals(signal, this.#parts.moved);
    yield* linesOf(await this.#open(request, both.signal), longestAnswer);
  }

  /** @param signal also of a move @throws StatusError 503 while the server is not available, as clients get it */
  async #open(
    request: ApiRequest,
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<BackendConnections['request']>>> {
    const { connections, user, serviceNow, moved } = this.#parts;
    const service = serviceNow();
    if (!service?.isAvailable || moved.aborted)
      throw serviceUnavailable('the server is currently unable to handle the request');
    const body = await bodyText(request);
    const { method, path } = request;
    const headers = contentHeaders(request, body);
    return connections.request(service, { method, path, body, headers, user, signal });
  }
}
