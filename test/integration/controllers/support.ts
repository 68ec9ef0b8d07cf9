/** Controllers over a real registry and etcd, in this process. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import type { ControllerLog } from '../../../src/controllers/types.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { createInProcessClient } from '../../../src/client/in-process-client.ts';
import { runControllers, type AccountProvision } from '../../../src/server/controllers/controller-manager.ts';
import type { ControllerName } from '../../../src/controllers/controller-names.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { catalogue, scope, startRegistry, type TestRegistry } from '../../support/registry.ts';

export const quietLog: ControllerLog = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface RunningControllers {
  readonly registry: TestRegistry;
  close(): Promise<void>;
}

/** A registry with the named controllers at work on it. */
export async function startControllers(
  names: readonly ControllerName[],
  accounts?: AccountProvision,
): Promise<RunningControllers> {
  const registry = await startRegistry();
  const stop = new AbortController();
  for (const name of ['default', 'orch-system', 'orch-public']) {
    await registry.verbs.create(scope('namespaces'), '', { metadata: { name } });
  }
  const client = createInProcessClient({
    verbs: registry.verbs,
    catalogue: () => catalogue,
    minorVersion: 21,
  });
  const options = {
    ...systemEnvironment,
    client,
    naming: namingProfiles.orch,
    names: new Set(names),
    log: quietLog,
    metrics: noControllerMetrics,
    accounts,
    unusedTokensMs: 31_536_000_000,
  };
  const running = runControllers(options, stop.signal);
  const close = async (): Promise<void> => {
    stop.abort();
    await running;
    await registry.close();
  };
  return { registry, close };
}
