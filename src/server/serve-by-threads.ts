/** A replica of this process, of one thread or of several. */
import type { CompletedConfig } from '../options/complete-config.ts';
import type { Serving } from '../workers/serving.ts';
import { startReplica } from './replica.ts';
import type { ThreadedParts } from './threaded-replica.ts';

/** As `startReplica`, with as many threads as `--serving-threads` says. @throws StartError */
export async function serveByThreads(config: CompletedConfig, parts: ThreadedParts): Promise<Serving> {
  if (config.servingThreads === 1) return startReplica(config, parts);
  const { startThreadedReplica } = await import('./threaded-replica.ts');
  return startThreadedReplica(config, parts);
}
