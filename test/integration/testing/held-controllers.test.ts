/** Controllers of a control plane that has all that they make do not hold up its start: they begin when they are told. */
import { controllersLease } from '../../../src/controllers/controller-names.ts';
import { authorities } from '../../../src/testing/host/authorities.ts';
import { newGround, type Ground } from '../../../src/testing/host/ground.ts';
import { HostedPlane } from '../../../src/testing/host/hosted-plane.ts';
import type { StartOrder } from '../../../src/testing/host/protocol.ts';
import { flagsOf } from '../../../src/testing/options.ts';
import { within } from '../../support/wait-for.ts';

const lease = `/${controllersLease}`;
const started: HostedPlane[] = [];

let order: StartOrder;

/** One starts before, so that all is known that a control plane begins with. */
beforeAll(async () => {
  const { ca, server, tokenKey } = await authorities();
  order = {
    ...{ engine: { kind: 'memory' }, flags: flagsOf({}), tokens: [] },
    pki: { ca: ca.certificate, server, tokenKey },
    ...{ hasVirtualClock: false, printsLog: false },
  };
  await start(await newGround(order));
});

afterEach(async () => {
  for (const plane of started.splice(0)) await plane.stop();
});

async function start(ground: Ground): Promise<HostedPlane> {
  const plane = await HostedPlane.start(order, ground);
  started.push(plane);
  return plane;
}

async function heldGround(): Promise<Ground> {
  const ground = await newGround(order);
  expect(ground.hasBegun).toBe(true);
  return { ...ground, holdsControllers: true };
}

async function keysOf({ etcd }: Ground, text: string): Promise<readonly string[]> {
  const keys = await etcd.keysOf(await etcd.snapshot());
  return keys.map(({ key }) => key.toString()).filter((key) => key.endsWith(text));
}

test('what all begin with is complete: flow schemas have their conditions', async () => {
  const { etcd } = await heldGround();
  const keys = await etcd.keysOf(await etcd.snapshot());
  const schemas = keys.filter(({ key }) => key.includes('/flowschemas/')).map(({ value }) => String(value));
  expect(schemas.length).toBeGreaterThan(8);
  expect(schemas.filter((text) => !text.includes('and it exists'))).toEqual([]);
});

test('they begin when they are told, are work that is left until then, and find nothing to do', async () => {
  const ground = await heldGround();
  const plane = await start(ground);
  const atStart = await plane.snapshot();
  expect(await plane.settled(20)).toEqual([
    { queue: 'controllers', key: 'their start', state: 'starting', dueInMs: 0 },
  ]);
  expect(await keysOf(ground, lease)).toEqual([]);
  plane.beginControllers();
  expect(await plane.settled(20_000)).toEqual([]);
  expect(await keysOf(ground, lease)).toHaveLength(1);
  expect(await plane.changes(atStart)).toMatchObject({ added: [], changed: [], deleted: [] });
});

test('a reset does not wait for those that will see what it leaves', async () => {
  const plane = await start(await heldGround());
  const atStart = await plane.snapshot();
  expect(await within('the reset', 4_000, plane.rewind(atStart))).toBe(0);
  plane.beginControllers();
  expect(await plane.settled(20_000)).toEqual([]);
});

test('where what they make is missing, they begin, and the start waits for it', async () => {
  const ground = await heldGround();
  const account = '/serviceaccounts/default/default';
  const keys = await ground.etcd.keysOf(await ground.etcd.snapshot());
  await ground.etcd.replace(
    keys.filter(({ key }) => !key.toString().endsWith(account)),
    () => true,
  );
  expect(await keysOf(ground, account)).toEqual([]);
  await start(ground);
  expect(await keysOf(ground, account)).toHaveLength(1);
  expect(await keysOf(ground, lease)).toHaveLength(1);
});

test('the start waits for all that controllers make, also where accounts are there before the rest', async () => {
  const ground = await newGround(order);
  const published = '/kube-root-ca.crt';
  const keys = await ground.etcd.keysOf(await ground.etcd.snapshot());
  await ground.etcd.replace(
    keys.filter(({ key }) => !key.toString().endsWith(published)),
    () => true,
  );
  await start(ground);
  expect(await keysOf(ground, published)).toHaveLength(4);
});

test('a stop does not wait for controllers that never began', async () => {
  const ground = await heldGround();
  const plane = await start(ground);
  await plane.stop();
  expect(await keysOf(ground, lease)).toEqual([]);
});
