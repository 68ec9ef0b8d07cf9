/** Starts the etcd of a control plane, as it is ordered. */
import { readFile } from 'node:fs/promises';
import type { Environment } from '../../base/environment.ts';
import { createLogger } from '../../observe/log.ts';
import type { FlagTexts } from '../../options/serve-flags.ts';
import type { EtcdTls } from '../../storage/options.ts';
import { RealPlaneEtcd } from './etcd/real-plane-etcd.ts';
import { givenEtcd, startEtcd } from './etcd/shared-etcd.ts';
import { LogTail } from './log-tail.ts';
import { MemoryPlaneEtcd } from './memory-plane-etcd.ts';
import type { PlaneEtcd } from './plane-etcd.ts';
import type { StartOrder } from './protocol.ts';

/** @throws StartError if there is no etcd */
export async function startEngine(
  { engine, flags }: StartOrder,
  environment: Environment,
): Promise<PlaneEtcd> {
  const { clock } = environment;
  if (engine.kind === 'memory') return new MemoryPlaneEtcd(environment);
  if ('servers' in engine) return new RealPlaneEtcd(givenEtcd(engine.servers, await tlsOf(flags)), clock);
  const logger = createLogger({ clock, level: 'error', format: 'json', destination: new LogTail() });
  return new RealPlaneEtcd(await startEtcd(engine.folder, logger), clock);
}

async function tlsOf(flags: FlagTexts): Promise<EtcdTls | undefined> {
  const read = async (path = ''): Promise<Buffer | undefined> => (path === '' ? undefined : readFile(path));
  const [ca, cert, key] = await Promise.all([
    read(flags['etcd-cafile']),
    read(flags['etcd-certfile']),
    read(flags['etcd-keyfile']),
  ]);
  if (ca === undefined) return undefined;
  return { ca, ...(cert && { cert }), ...(key && { key }) };
}
