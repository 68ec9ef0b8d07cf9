/** Faults over HTTP. */
import { badRequest } from '../../meta/status.ts';
import type { Faults } from '../faults.ts';
import type { Body, NamedAction } from './action.ts';
import { faultOrderOf } from './fault-order.ts';

/** @see the table in the guide */
export const faultActions: readonly NamedAction[] = [
  ['faults', ({ served }, body) => start(served.plane.faults, body)],
  [
    'faults/end',
    async ({ served }, { fault }) => ({ strikes: await served.plane.faults.end(numberOf('fault', fault)) }),
  ],
  ['faults/clear', ({ served }, body) => clear(served.plane.faults, body)],
  [
    'faults/log',
    async ({ served }) => ({ seed: served.plane.faults.seed, log: await served.plane.faults.log() }),
  ],
];

async function start(faults: Faults, body: Body): Promise<object> {
  const { id } = await faults.start(faultOrderOf(body));
  return { fault: id, seed: faults.seed };
}

async function clear(faults: Faults, { seed }: Body): Promise<object> {
  if (seed === undefined) await faults.clear();
  else await faults.useSeed(numberOf('seed', seed));
  return { seed: faults.seed };
}

function numberOf(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw badRequest(`${name}: give a whole number`);
  return value;
}
