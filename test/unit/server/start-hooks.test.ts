/** Post-start hooks that fail are told and tried again; what a stop interrupts has not failed. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { silentLogger } from '../../../src/observe/log.ts';
import { reportStart } from '../../../src/server/start-hooks.ts';

type Parts = Parameters<typeof reportStart>[0];
type Started = Parameters<ReturnType<typeof reportStart>['runHooks']>[0];

/** Runs the hooks of a replica whose first write is this; the hooks that were told. */
async function toldOf(write: (abort: () => void) => never): Promise<unknown[]> {
  const stopping = new AbortController();
  const told: unknown[] = [];
  const warn = (_message: string, fields: unknown): void => {
    told.push((fields as { hook: string }).hook);
    stopping.abort();
  };
  const health = { add: () => undefined, addStartHook: () => () => undefined };
  const start = reportStart({ health, startup: { isLoaded: true } } as unknown as Parts);
  const catalogue = { resource: () => write(() => stopping.abort()) };
  const replica = { environment: systemEnvironment, naming: namingProfiles.orch, catalogue };
  const context = { logger: { ...silentLogger, warn }, signal: stopping.signal, hasBegun: false };
  await expect(start.runHooks(replica as unknown as Started, context)).rejects.toThrow('aborted');
  return told;
}

test('one that fails', async () => {
  const fail = (): never => {
    throw new Error('no etcd');
  };
  await expect(toldOf(fail)).resolves.toEqual(['system-namespaces']);
});

test('one that is interrupted', async () => {
  const interrupted = (abort: () => void): never => {
    abort();
    throw new Error('the store is closed');
  };
  await expect(toldOf(interrupted)).resolves.toEqual([]);
});
