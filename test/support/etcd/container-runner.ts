/** Members as containers, by testcontainers. */
import type { GenericContainer, StartedTestContainer } from 'testcontainers';

import type { DockerEngine } from '../docker.ts';
import { makeTempFolder } from '../temp-folder.ts';
import { layOutBuildContext } from './image/build-context.ts';
import { tlsArguments } from './process-runner.ts';
import type { MemberPlan, MemberRunner, OwnedMember } from './types.ts';

const imageName = 'orch-test/etcd:installed';
const keptLogs = 256 * 1024;

/**
 * Builds the image from the installed etcd and runs members from it on the host's network, so that they listen on
 * loopback and find each other there. Closing the runner closes the engine.
 */
export async function containerRunner(engine: DockerEngine): Promise<MemberRunner> {
  useForTestcontainers(engine);
  await buildImage();
  return {
    how: 'container',
    launch: async (plan) => memberOf(plan, await containerFor(plan)),
    close: () => engine.close(),
  };
}

/** testcontainers reads these when first used; its reaper's image could only be pulled from a registry. */
export function useForTestcontainers(engine: DockerEngine): void {
  process.env['DOCKER_HOST'] = engine.host;
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  process.env['TESTCONTAINERS_HOST_OVERRIDE'] = '127.0.0.1';
}

async function buildImage(): Promise<void> {
  const { GenericContainer: Container } = await import('testcontainers');
  const context = await makeTempFolder('etcd-image');
  try {
    await layOutBuildContext(context.path);
    await Container.fromDockerfile(context.path).build(imageName, { deleteOnExit: false });
  } finally {
    await context.remove();
  }
}

async function containerFor(plan: MemberPlan): Promise<GenericContainer> {
  const { GenericContainer: Container, Wait } = await import('testcontainers');
  const tlsArgs =
    plan.tls === undefined ? [] : tlsArguments('/tls/ca.crt', '/tls/member.crt', '/tls/member.key');
  const files = [
    { target: '/tls/ca.crt', content: plan.tls?.ca ?? '' },
    { target: '/tls/member.crt', content: plan.tls?.cert ?? '' },
    { target: '/tls/member.key', content: plan.tls?.key ?? '' },
  ];
  return (
    new Container(imageName)
      .withNetworkMode('host')
      .withCommand([...plan.args, ...tlsArgs, '--data-dir=/data'])
      .withCopyContentToContainer(files)
      // Not a port check: that would run a shell inside, and the image has none.
      .withWaitStrategy(Wait.forLogMessage('serving client traffic'))
      .withStartupTimeout(30_000)
  );
}

async function memberOf(plan: MemberPlan, container: GenericContainer): Promise<OwnedMember> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  let logs = '';
  container.withLogConsumer((stream) =>
    stream.on('data', (chunk: Buffer) => {
      logs = (logs + chunk.toString('utf8')).slice(-keptLogs);
    }),
  );
  const started: StartedTestContainer = await container.start();
  const client = await getContainerRuntimeClient();
  const handle = client.container.getById(started.getId());
  const act = (action: () => Promise<unknown>) => async (): Promise<void> => {
    await action();
  };
  return {
    name: plan.name,
    endpoint: plan.endpoint,
    stop: act(() => handle.stop({ t: 10 })),
    kill: act(() => handle.kill()),
    start: act(() => handle.start()),
    pause: act(() => handle.pause()),
    resume: act(() => handle.unpause()),
    logs: () => logs,
    remove: async () => {
      // First killed: a removal by force of a running container has been seen to hang.
      await handle.kill().catch(() => undefined);
      await handle.remove({ force: true, v: true });
    },
  };
}
