/** The service as a process of its own, started the way users start it. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request, type Agent } from 'node:https';
import { join } from 'node:path';
import { Child, type ChildExit } from './child-process.ts';
import { workersOf } from './processes.ts';
import { entryPoint, nodeBinary, repositoryRoot } from './paths.ts';
import { waitFor, within } from './wait-for.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly token?: string;
  readonly body?: object;
  /** Content type of the body; absent: JSON. */
  readonly type?: string | undefined;
  /** Base name of a pair in the PKI folder; '' for no certificate. */
  readonly as?: string;
  /** Without anything from the service for so long it fails; default: 10 s. */
  readonly timeoutMs?: number;
  /** Keeps its connections; absent: each request has one of its own. */
  readonly agent?: Agent;
  /** Sees the head of the answer. */
  readonly onHead?: (response: IncomingMessage) => void;
}

/** Longest time from a start until it serves; also that of a worker that takes the place of another. */
export const startMs = 30_000;

/** Starts the service with these words; it may well end by itself. */
export function launch(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Child> {
  return Child.start({
    name: 'service',
    env: { ...process.env, ...env },
    program: nodeBinary(),
    args: [entryPoint(), ...words],
    cwd: repositoryRoot,
  });
}

/** Runs words that end by themselves. */
export async function runToEnd(
  words: readonly string[],
  deadlineMs = 30_000,
  env: NodeJS.ProcessEnv = {},
): Promise<ChildExit & { output: string }> {
  const child = await launch(words, env);
  const exit = await within(`the end of ${words.join(' ')}`, deadlineMs, child.exited);
  await within(`the output of ${words.join(' ')}`, 10_000, child.closed);
  return { ...exit, output: child.output() };
}

/** A service that serves. */
export class Service {
  readonly child: Child;
  readonly url: string;
  private readonly pki: string;

  /** Asks a process that runs, at this address of its; credentials are in the folder `pki`. */
  constructor(child: Child, url: string, pki: string) {
    this.child = child;
    this.url = url;
    this.pki = pki;
  }

  /** Starts it on a free port with its PKI in `folder` and waits until it is ready. */
  static async start(
    folder: string,
    words: readonly string[] = [],
    env: NodeJS.ProcessEnv = {},
  ): Promise<Service> {
    const child = await launch([`--data-dir=${folder}`, '--secure-port=0', ...words], env);
    const url = await waitFor('the service to serve', () => servedUrl(child), {
      timeout: startMs,
      details: () => child.output(),
    });
    return new Service(child, url, join(folder, 'pki'));
  }

  /** The process ids of its workers. */
  workerPids(): number[] {
    return workersOf(this.child.pid);
  }

  /** One request; as the administrator unless told otherwise. */
  ask({ method = 'GET', path, token, body, type, as = 'admin', ...how }: Ask): Promise<Answer> {
    const { agent, timeoutMs = 10_000, onHead } = how;
    const read = (name: string): Buffer => readFileSync(join(this.pki, name));
    const pair = as === '' ? {} : { cert: read(`${as}.crt`), key: read(`${as}.key`) };
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': type ?? 'application/json' }),
    };
    return new Promise((resolve, reject) => {
      const options = {
        method,
        headers,
        ca: read('ca.crt'),
        ...pair,
        agent: agent ?? false,
        timeout: timeoutMs,
      };
      const outgoing = request(`${this.url}${path}`, options, (response) => {
        let text = '';
        onHead?.(response);
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body: text });
        });
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
      outgoing.on('error', reject);
      outgoing.end(body && JSON.stringify(body));
    });
  }

  /** Asks it to end and gives the exit code. */
  async stop(): Promise<number | null> {
    this.child.signal('SIGTERM');
    return (await within('the service to stop', 20_000, this.child.exited)).code;
  }
}

function servedUrl(child: Child): string | undefined {
  const exit = child.exit();
  if (exit) throw new Error(`it ended with code ${String(exit.code)}`);
  return /"url":"(https:[^"]+)".*"msg":"Serving /.exec(child.output())?.[1];
}
