/** Suites over etcd that also run over the etcd in memory: a file that calls `useMemoryEtcd` first gets no other. */
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { MemoryEtcd } from '../../../src/memory-etcd/memory-etcd.ts';
import type { ConnectLine } from '../../../src/storage/etcd/etcd-line.ts';
import type { EtcdCluster } from './types.ts';

const running = new Map<string, MemoryEtcd>();
let isUsed = false;

/** From now on, clusters of this test file are in memory. */
export function useMemoryEtcd(): void {
  isUsed = true;
}

/** Starts an etcd in memory; undefined if the test file did not ask for it. The caller closes it. */
export function startMemoryCluster(): EtcdCluster | undefined {
  if (!isUsed) return undefined;
  const etcd = new MemoryEtcd({ clock: systemClock, random: systemRandom });
  const endpoint = `http://memory-${String(running.size)}:2379`;
  running.set(endpoint, etcd);
  const close = (): Promise<void> => {
    etcd.close();
    return Promise.resolve();
  };
  const noMembers = (): Promise<never> => Promise.reject(new Error('an etcd in memory has no members'));
  return {
    how: 'process',
    endpoints: [endpoint],
    tls: undefined,
    members: [],
    addMember: noMembers,
    removeMember: noMembers,
    leader: noMembers,
    moveLeader: noMembers,
    healthy: () => Promise.resolve(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

export function isInMemory([endpoint = '']: readonly string[]): boolean {
  return running.has(endpoint);
}

/** What the options of a storage need to reach an etcd in memory; nothing for others. */
export function memoryLines([endpoint = '']: readonly string[]): { readonly connectLine?: ConnectLine } {
  const etcd = running.get(endpoint);
  return etcd === undefined ? {} : { connectLine: etcd.connectLine };
}
