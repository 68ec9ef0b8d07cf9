/** The image for tests of any language, as testcontainers starts it. */
import { request } from 'node:https';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import type { StartedTestContainer } from 'testcontainers';
import { findDockerEngine, type DockerEngine } from '../support/docker.ts';
import { useForTestcontainers } from '../support/etcd/container-runner.ts';
import { freePort } from '../support/free-port.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { layOutTestingImage } from './support/testing-image.ts';

interface Access {
  readonly url: string;
  readonly testing: string;
  readonly ca: string;
  readonly token: string;
  readonly kubeconfig: object;
}

const imageName = 'orch-test/testing:installed';
let engine: DockerEngine | undefined;

beforeAll(async () => {
  engine = await findDockerEngine();
  if (engine === undefined) return;
  useForTestcontainers(engine);
  const { GenericContainer } = await import('testcontainers');
  const context = await makeTempFolder('testing-image');
  try {
    await layOutTestingImage(context.path);
    const built = GenericContainer.fromDockerfile(context.path).withTarget('testing');
    await built.build(imageName, { deleteOnExit: false });
  } finally {
    await context.remove();
  }
}, 240_000);

afterAll(() => engine?.close());

/** On the network of this machine, at ports of their own: a private engine has no bridge. */
async function start(): Promise<{ readonly container: StartedTestContainer; readonly access: Access }> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const [port, testingPort] = [await freePort(), await freePort()];
  const container = await new GenericContainer(imageName)
    .withNetworkMode('host')
    .withCommand(['testing', `--secure-port=${String(port)}`, `--testing-port=${String(testingPort)}`])
    .withWaitStrategy(Wait.forLogMessage(/^\{.*"kubeconfig"/))
    .withStartupTimeout(60_000)
    .start();
  return { container, access: await accessIn(await container.logs()) };
}

/** The line of JSON, when all of it is there. */
async function accessIn(logs: AsyncIterable<Buffer | string>): Promise<Access> {
  let output = '';
  for await (const chunk of logs) {
    output += chunk.toString();
    const line = output
      .split('\n')
      .slice(0, -1)
      .find((each) => each.startsWith('{'));
    if (line !== undefined) return JSON.parse(line) as Access;
  }
  throw new Error(`no line says where it serves: ${output}`);
}

async function ask(
  access: Access,
  url: string,
  body?: object,
): Promise<{ code: number | undefined; value: unknown }> {
  const headers = { authorization: `Bearer ${access.token}`, 'content-type': 'application/json' };
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ca: access.ca,
    agent: false as const,
  };
  const sent = request(url, options).end(body && JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { code: response.statusCode, value: await json(response) };
}

test('says where it serves, is reset, and ends when it is stopped', async () => {
  if (engine === undefined) {
    process.stderr.write('no Docker engine: the image for tests is not tried\n');
    return;
  }
  const { container, access } = await start();
  try {
    const maps = `${access.url}/api/v1/namespaces/default/configmaps`;
    expect(JSON.stringify(access.kubeconfig)).toContain(access.url);
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } };
    expect(await ask(access, maps, map)).toMatchObject({ code: 201 });
    expect(await ask(access, `${access.testing}/reset`, {})).toMatchObject({ code: 200 });
    expect(await ask(access, `${maps}/one`)).toMatchObject({ code: 404 });
  } finally {
    await container.stop();
  }
});
