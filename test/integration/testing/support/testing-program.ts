/** `orch-apiserver testing`, and its paths as a test in another language asks for them. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Child } from '../../../support/child-process.ts';
import { entryPoint, nodeBinary } from '../../../support/paths.ts';
import { makeTempFolder } from '../../../support/temp-folder.ts';
import { waitFor } from '../../../support/wait-for.ts';

export interface Access {
  readonly url: string;
  readonly testing: string;
  readonly ca: string;
  readonly token: string;
}

export interface Answer {
  readonly code: number;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface Asked {
  readonly url: string;
  readonly method?: string;
  readonly token?: string | undefined;
  readonly body?: string | undefined;
}

export const configMaps = '/api/v1/namespaces/default/configmaps';

export class TestingProgram {
  readonly child: Child;
  /** Its working folder. */
  readonly folder: string;
  readonly readyFile: string;
  readonly access: Access;
  readonly #remove: () => Promise<void>;

  private constructor(child: Child, access: Access, folder: { path: string; remove: () => Promise<void> }) {
    this.child = child;
    this.access = access;
    this.folder = folder.path;
    this.readyFile = readyFileIn(folder.path);
    this.#remove = () => folder.remove();
  }

  static async start(words: readonly string[] = []): Promise<TestingProgram> {
    const folder = await makeTempFolder('testing-service');
    const file = readyFileIn(folder.path);
    const child = await Child.start({
      name: 'testing service',
      program: nodeBinary(),
      args: [entryPoint(), 'testing', `--ready-file=${file}`, ...words],
      cwd: folder.path,
    });
    await waitFor('the ready file', () => existsSync(file) || child.exit() !== undefined, {
      timeout: 50_000,
    });
    return new TestingProgram(child, JSON.parse(readFileSync(file, 'utf8')) as Access, folder);
  }

  /** Asks for one of the paths below /testing, as the administrator. */
  act(path: string, body: object = {}, of = this.access): Promise<Answer> {
    return this.ask({ url: `${of.testing}/${path}`, token: this.access.token, body: JSON.stringify(body) });
  }

  create(name: string, of = this.access): Promise<Answer> {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    return this.ask({ url: of.url + configMaps, token: this.access.token, body });
  }

  /** @returns the code of the answer */
  async get(name: string, of = this.access): Promise<number> {
    const url = `${of.url}${configMaps}/${name}`;
    return (await this.ask({ url, method: 'GET', token: this.access.token })).code;
  }

  /** Any request, over a connection of its own. @throws Error if the connection is cut */
  async ask({ url, method = 'POST', token, body }: Asked): Promise<Answer> {
    const agent = new Agent({ ca: this.access.ca });
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = request(url, { method, headers, agent }).end(body);
    try {
      const [response] = (await once(sent, 'response')) as [
        Parameters<typeof text>[0] & { statusCode?: number },
      ];
      const answer = await text(response);
      const isJson = answer.startsWith('{');
      return {
        code: response.statusCode ?? 0,
        value: isJson ? (JSON.parse(answer) as Answer['value']) : { text: answer },
      };
    } finally {
      agent.destroy();
    }
  }

  async stop(): Promise<void> {
    await this.child.stop();
    await this.#remove();
  }
}

function readyFileIn(folder: string): string {
  return join(folder, 'ready.json');
}
