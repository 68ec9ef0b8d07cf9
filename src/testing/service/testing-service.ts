/** A control plane with its testing paths over HTTPS, for tests in other languages. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '../../base/errors.ts';
import { StartError } from '../../base/start-error.ts';
import { badRequest, StatusError, timedOut } from '../../meta/status.ts';
import type { ControlPlaneOptions } from '../options.ts';
import { SettleTimeout } from '../settled.ts';
import { startControlPlane } from '../start-control-plane.ts';
import { accessTo, administrator, authorize, type Access, type Accounts } from './accounts.ts';
import type { Body } from './action.ts';
import { actions } from './actions.ts';
import { checkMembers } from './members.ts';
import { Planes, type ServedPlane } from './planes.ts';
import { dropRest, readBody } from './request-body.ts';

export interface TestingServiceOptions {
  readonly controlPlane: ControlPlaneOptions;
  readonly address: string;
  /** 0: a free one. */
  readonly port: number;
  /** Under which clients reach it; undefined: its own. */
  readonly advertisedPort?: number | undefined;
}

/** Of a request; what it asks for may take longer. */
const headMs = 10_000;
const actionPath = /^\/testing(?:\/forks\/(\d+))?(?:\/([a-z]+(?:\/[a-z]+)?))?$/;

export class TestingService {
  readonly #server: Server;
  readonly #planes: Planes;
  readonly #accounts: Accounts = new Map();

  readonly #advertisedPort: number | undefined;

  private constructor(server: Server, planes: Planes, advertisedPort: number | undefined) {
    this.#server = server;
    this.#planes = planes;
    this.#advertisedPort = advertisedPort;
  }

  /** @throws StartError, ApiError as `startControlPlane`, and StartError if the port is taken */
  static async start({
    controlPlane,
    address,
    port,
    advertisedPort,
  }: TestingServiceOptions): Promise<TestingService> {
    const users = [...(controlPlane.users ?? []), administrator];
    const plane = await startControlPlane({ ...controlPlane, users });
    const { cert, key } = plane.loopbackTls;
    const server = createServer({ cert, key, headersTimeout: headMs, requestTimeout: headMs });
    try {
      await once(server.listen(port, address), 'listening');
    } catch (error) {
      await plane.stop();
      throw StartError.of(
        'PORT_IN_USE',
        `the testing paths cannot be served at port ${String(port)}: ${messageOf(error)}`,
        'choose another --testing-port',
        error,
      );
    }
    const service = new TestingService(server, new Planes(plane), advertisedPort);
    server.on('request', (request, response) => void service.#answer(request, response));
    return service;
  }

  /** What a test needs to know. */
  get access(): Access {
    return accessTo(this.#accounts, this.#planes.first.plane, this.#urlOf(this.#planes.first));
  }

  /** Ends connections and control planes. */
  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#planes.stop();
  }

  #urlOf({ id }: ServedPlane): string {
    const { port } = this.#server.address() as AddressInfo;
    // At the same host as the API.
    const url = new URL(this.#planes.first.plane.url);
    url.port = String(this.#advertisedPort ?? port);
    url.pathname = `/testing${id === '' ? '' : `/forks/${id}`}`;
    return url.href;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { code, value } = await this.#outcome(request);
    if (!(await dropRest(request))) response.setHeader('connection', 'close');
    const text = JSON.stringify(value);
    response.writeHead(code, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
    });
    response.end(text);
  }

  async #outcome(request: IncomingMessage): Promise<{ readonly code: number; readonly value: unknown }> {
    try {
      authorize(this.#accounts, request.headers.authorization);
      return { code: 200, value: await this.#perform(request) };
    } catch (error) {
      const { status } = statusErrorOf(error);
      return { code: status.code, value: status };
    }
  }

  async #perform(request: IncomingMessage): Promise<unknown> {
    const [, fork, name = ''] = actionPath.exec(request.url ?? '') ?? [];
    const served = fork === undefined ? this.#planes.first : this.#planes.fork(fork);
    if (name === '' && fork !== undefined) {
      if (request.method !== 'DELETE')
        throw askBy('DELETE, which ends the fork, or one of its paths by POST');
      await this.#planes.removeFork(fork);
      return {};
    }
    const action = actions.get(name);
    if (action === undefined) throw noPath(name);
    if (request.method !== 'POST') throw askBy('POST');
    const context = {
      ...{ planes: this.#planes, accounts: this.#accounts, served },
      urlOf: (of: ServedPlane) => this.#urlOf(of),
    };
    const body = bodyOf(await readBody(request));
    checkMembers(name, body);
    return action(context, body);
  }
}

function noPath(name: string): StatusError {
  const paths = [...actions.keys()].map((path) => `/${path}`).join(', ');
  return new StatusError(404, 'NotFound', `there is no /${name}; paths are ${paths}`);
}

function askBy(method: string): StatusError {
  return new StatusError(405, 'MethodNotAllowed', `ask by ${method}`);
}

/** @throws StatusError 400 */
function bodyOf(bytes: Buffer): Body {
  if (bytes.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch (error) {
    throw badRequest(`the body is no JSON: ${messageOf(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('the body is no object of JSON');
  return value as Body;
}

function statusErrorOf(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof SettleTimeout) return timedOut(error.message);
  return badRequest(messageOf(error));
}
