/** States as files, and what has changed, over HTTP. */
import { isAbsolute, normalize, sep } from 'node:path';
import { badRequest } from '../../meta/status.ts';
import type { Body, NamedAction } from './action.ts';
import { snapshotOf, type ServedPlane } from './planes.ts';

/** @see the table in the guide */
export const stateActions: readonly NamedAction[] = [
  ['save', ({ served }, body) => save(served, body)],
  ['load', async ({ served }, { file }) => ({ changed: await served.plane.load(fileOf(file)) })],
  ['dump', ({ served }, { snapshot }) => served.plane.dump(ofSnapshot(served, snapshot).snapshot)],
];

async function save(served: ServedPlane, { file, snapshot, managedFields = false }: Body): Promise<object> {
  if (typeof managedFields !== 'boolean') throw badRequest('managedFields: give true or false');
  await served.plane.save(fileOf(file), { ...ofSnapshot(served, snapshot), managedFields });
  return {};
}

function ofSnapshot(served: ServedPlane, id: unknown): { readonly snapshot?: ReturnType<typeof snapshotOf> } {
  return id === undefined ? {} : { snapshot: snapshotOf(served, id) };
}

/**
 * The token is that of a control plane for tests, and not of the machine: it opens files of the folder in which the
 * service was started, and no others.
 * @throws StatusError 400
 */
function fileOf(value: unknown): string {
  const isName = typeof value === 'string' && value !== '' && !value.includes('\0');
  const path = isName ? normalize(value) : '..';
  if (isAbsolute(path) || path.split(sep)[0] === '..')
    throw badRequest('file: give a path in or below the folder in which the service was started');
  return path;
}
