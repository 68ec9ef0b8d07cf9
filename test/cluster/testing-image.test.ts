/** The image for tests of any language, as testcontainers starts it. */
import { request } from 'node:https';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import type { GenericContainer, StartedNetwork, StartedTestContainer } from 'testcontainers';
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
/** Ports that the Dockerfile names. */
const inside = { api: 6443, testing: 6444 } as const;
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

interface Running {
  readonly container: StartedTestContainer;
  readonly access: Access;
}

/** @param placed says where its ports are */
async function start(placed: (container: GenericContainer) => GenericContainer): Promise<Running> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await placed(new GenericContainer(imageName))
    .withWaitStrategy(Wait.forLogMessage(/^\{.*"kubeconfig"/))
    .withStartupTimeout(60_000)
    .start();
  return { container, access: await accessIn(await container.logs()) };
}

/** Runs with a network that has addresses of its own, so that ports are mapped: a private engine makes none by itself. */
async function withNetwork(run: (network: StartedNetwork) => Promise<void>): Promise<void> {
  const { Network } = await import('testcontainers');
  const network = await new Network().start();
  try {
    await run(network);
  } finally {
    await network.stop();
  }
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

/** A test that needs an engine, and says so where there is none. */
function testInContainer(name: string, run: () => Promise<void>): void {
  test(
    name,
    async () => {
      if (engine === undefined)
        process.stderr.write(`no Docker engine, so it is not tried: the image ${name}\n`);
      else await run();
    },
    120_000,
  );
}

/** Creates an object, goes back to before it, and ends the container. */
async function isOfUse({ container, access }: Running): Promise<void> {
  try {
    const maps = `${access.url}/api/v1/namespaces/default/configmaps`;
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } };
    expect(await ask(access, maps, map)).toMatchObject({ code: 201 });
    expect(await ask(access, `${access.testing}/reset`, {})).toMatchObject({ code: 200 });
    expect(await ask(access, `${maps}/one`)).toMatchObject({ code: 404 });
  } finally {
    await container.stop();
  }
}

testInContainer('says where it serves, is reset, and ends when it is stopped', async () => {
  const [port, testingPort] = [await freePort(), await freePort()];
  const flags = [`--secure-port=${String(port)}`, `--testing-port=${String(testingPort)}`];
  const running = await start((container) =>
    container.withNetworkMode('host').withCommand(['testing', ...flags]),
  );
  expect(JSON.stringify(running.access.kubeconfig)).toContain(running.access.url);
  await isOfUse(running);
});

testInContainer('is of use at ports that are mapped at random, with the command that it has', () =>
  withNetwork(async (network) => {
    const running = await start((container) =>
      container.withNetwork(network).withExposedPorts(inside.api, inside.testing),
    );
    const mapped = (url: string, port: number): string => {
      const at = new URL(url);
      at.hostname = 'localhost';
      at.port = String(running.container.getMappedPort(port));
      return at.href.replace(/\/$/, '');
    };
    const { url, testing } = running.access;
    const access = {
      ...running.access,
      url: mapped(url, inside.api),
      testing: mapped(testing, inside.testing),
    };
    await isOfUse({ ...running, access });
  }),
);

testInContainer('names the mapped ports that it was told, with a certificate for them', () =>
  withNetwork(async (network) => {
    const [port, testingPort] = [await freePort(), await freePort()];
    const running = await start((container) =>
      container
        .withNetwork(network)
        .withExposedPorts(
          { container: inside.api, host: port },
          { container: inside.testing, host: testingPort },
        )
        .withCommand([
          ...['testing', '--bind-address=0.0.0.0'],
          ...[`--secure-port=${String(inside.api)}`, `--testing-port=${String(inside.testing)}`],
          ...['--advertise-address=127.0.0.1', `--advertise-port=${String(port)}`],
          `--advertise-testing-port=${String(testingPort)}`,
        ]),
    );
    const { url, testing, kubeconfig } = running.access;
    expect(url).toBe(`https://127.0.0.1:${String(port)}`);
    expect(testing).toBe(`https://127.0.0.1:${String(testingPort)}/testing`);
    expect(JSON.stringify(kubeconfig)).toContain(url);
    await isOfUse(running);
  }),
);
