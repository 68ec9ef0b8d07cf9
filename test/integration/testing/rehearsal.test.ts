/** Behind the first start of a build, a fork and a reset are rehearsed, so that their code is kept for later processes. */
import { getActiveResourcesInfo } from 'node:process';
import { Host } from '../../../src/testing/host/host.ts';
import type { PlaneId, StartedPlane, StartOrder } from '../../../src/testing/host/protocol.ts';
import { flagsOf } from '../../../src/testing/options.ts';
import { freePort } from '../../support/free-port.ts';
import { waitFor } from '../../support/wait-for.ts';

const host = new Host();

async function orderOf(port: number): Promise<StartOrder> {
  const { ca, server, tokenKey } = await host.authorities();
  return {
    ...{ engine: { kind: 'memory' }, flags: flagsOf({ port }), tokens: [] },
    pki: { ca: ca.certificate, server, tokenKey },
    ...{ hasVirtualClock: false, printsLog: false },
  };
}

const planes: PlaneId[] = [];

async function started(order: StartOrder): Promise<StartedPlane> {
  const start = await host.start(order);
  planes.push(start.plane);
  return start;
}

afterEach(async () => {
  for (const plane of planes.splice(0)) await host.stop(plane);
});

const servers = (): number => getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

test('a rehearsal changes nothing of the control plane, and leaves nothing', async () => {
  const order = await orderOf(await freePort());
  const { plane, first } = await started(order);
  await host.settled(plane, 10_000);
  const before = servers();
  expect(await host.rehearse(plane, order)).toBe(true);
  await waitFor('its server to be gone', () => servers() === before);
  expect(await host.changes(plane, first)).toMatchObject({ added: [], changed: [], deleted: [] });
});

test('where it cannot be done, nobody is troubled', async () => {
  const order = await orderOf(0);
  const { plane } = await started(order);
  await host.stop(plane);
  expect(await host.rehearse(plane, order)).toBe(false);
  expect(await host.rehearse(plane, { ...order, engine: { kind: 'etcd', folder: '' } })).toBe(false);
});
