/** The engine that options mean. */
import { join } from 'node:path';
import type { EngineOrder } from './host/protocol.ts';
import { later } from './later.ts';
import type { ControlPlaneOptions } from './options.ts';

/** Folders that go with the process, if nothing removed them before. */
const folders = new Set<string>();

/** @throws TypeError for options that do not go together */
export function engineOrderOf({ engine, etcdServers, clock }: ControlPlaneOptions): EngineOrder {
  if (etcdServers !== undefined && engine !== 'etcd')
    throw new TypeError("`etcdServers` is for `engine: 'etcd'`: the engine in memory has no servers");
  if (engine !== 'etcd') return { kind: 'memory' };
  if (clock === 'virtual')
    throw new TypeError("`clock: 'virtual'` is for the engine in memory: a real etcd keeps its own time");
  if (etcdServers !== undefined) return { kind: 'etcd', servers: etcdServers };
  return { kind: 'etcd', folder: newFolder() };
}

function newFolder(): string {
  if (folders.size === 0) process.once('exit', removeFolders);
  const folder = later.fs.mkdtempSync(join(later.os.tmpdir(), 'control-plane-etcd-'));
  folders.add(folder);
  return folder;
}

/** etcd ends with the process; what it still writes while its folder goes is gone in the next try. */
function removeFolders(): void {
  for (const folder of folders) later.fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
