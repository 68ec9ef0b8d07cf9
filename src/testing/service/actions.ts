/** What can be asked of a control plane over HTTP, by name; bodies and answers are JSON. */
import { badRequest } from '../../meta/status.ts';
import { faultActions } from './fault-actions.ts';
import { keepSnapshot, snapshotOf } from './planes.ts';
import { stateActions } from './state-actions.ts';
import { accessTo, addUser, type Access } from './accounts.ts';
import { isListOfNames } from '../users.ts';
import type { Action, ActionContext, Body } from './action.ts';

/** @see the table in the guide */
export const actions: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['reset', async ({ served }) => ({ changed: await served.plane.reset() })],
  ['snapshot', async ({ served }) => ({ snapshot: await keepSnapshot(served) })],
  [
    'restore',
    async ({ served }, { snapshot }) => ({
      changed: await served.plane.restore(snapshotOf(served, snapshot)),
    }),
  ],
  ['fork', fork],
  [
    'clock',
    async ({ served }, { advance }) => ({
      now: (await served.plane.advance(textOf('advance', advance))).toISOString(),
    }),
  ],
  ['settled', settled],
  [
    'users',
    async ({ served, accounts }, { name, groups = [] }) => {
      if (!isListOfNames(groups)) throw badRequest('groups: give a list of names');
      const user = { name: textOf('name', name), groups: groups as string[] };
      return addUser(accounts, served.plane, user);
    },
  ],
  ['logs', async ({ served }) => ({ logs: await served.plane.logs() })],
  ...faultActions,
  ...stateActions,
]);

async function fork({ planes, accounts, served, urlOf }: ActionContext, body: Body): Promise<Access> {
  const { snapshot, port, advertisePort } = body;
  const from = snapshot === undefined ? undefined : snapshotOf(served, snapshot);
  const ports = { ...portOf('port', port), ...portOf('advertisePort', advertisePort) };
  const added = await planes.addFork(served, from, ports);
  return accessTo(accounts, added.plane, urlOf(added));
}

function portOf(name: string, value: unknown): Readonly<Record<string, number>> {
  if (value === undefined) return {};
  const isPort = typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
  if (!isPort) throw badRequest(`${name}: give a port`);
  return { [name]: value };
}

async function settled({ served }: ActionContext, { timeoutMs }: Body): Promise<object> {
  if (timeoutMs !== undefined && (typeof timeoutMs !== 'number' || !(timeoutMs > 0)))
    throw badRequest('timeoutMs: give a number of milliseconds');
  await served.plane.settled(timeoutMs === undefined ? {} : { timeoutMs });
  return {};
}

function textOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw badRequest(`${name}: give a text`);
  return value;
}
