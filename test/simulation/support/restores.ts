/**
 * An etcd that becomes another one, with the state of a while ago. All members stop, and come back one after the other:
 *
 *   documented  as `restore` does it (deploy/README.md): every key has a revision that nobody has seen, compacted there
 *   behind      a backup put in place as it is: revisions come again that clients have seen
 *   ahead       the same, but others have written since, until its revision was beyond
 */
import type { EtcdSnapshot, KeyChange, MemoryEtcd } from '../../../src/memory-etcd/memory-etcd.ts';
import type { EtcdLine } from '../../../src/storage/etcd/etcd-line.ts';
import { compactMethod, putMethod, rangeMethod } from '../../../src/storage/etcd/etcd-messages.ts';
import type { Fault } from './faults.ts';

/** Revisions between any that was seen and the first of the restored etcd. */
const distance = 20;
const callMs = 1_000;

/** Who keeps account of what etcd goes through. */
export interface PastListener<Kept> {
  /** etcd is backed up as it is now. */
  onBackup(): Kept;
  /** etcd is about to become another one. */
  beforeRestore(): void;
  /**
   * etcd is another one from now on.
   * @param kept of its backup @param renewed by what its keys are at new revisions; undefined: they are at those of the backup
   */
  onRestored(kept: Kept, renewed: readonly KeyChange[] | undefined): void;
}

interface Backup {
  readonly snapshot: EtcdSnapshot;
  /** By each listener. */
  readonly kept: readonly unknown[];
}

export class Restores {
  readonly #etcd: MemoryEtcd;
  readonly #backups = new Map<Fault, Backup>();
  readonly listeners: PastListener<unknown>[] = [];

  constructor(etcd: MemoryEtcd) {
    this.#etcd = etcd;
  }

  /** Backs etcd up for a restore that comes later. */
  backUp(fault: Fault): void {
    const kept = this.listeners.map((listener) => listener.onBackup());
    this.#backups.set(fault, { snapshot: this.#etcd.snapshot(), kept });
  }

  /** Puts the backup of the fault in place. @param stopAll called before; nobody reads or writes afterwards */
  async restore(fault: Fault, stopAll: () => void): Promise<void> {
    const backup = this.#backups.get(fault);
    if (backup === undefined) return;
    const copy = this.#etcd.fork();
    copy.restore(backup.snapshot);
    const line = await copy.connectLine('', 0);
    const kind = (['documented', 'documented', 'behind', 'ahead'] as const)[fault.member % 4];
    if (kind !== 'behind') await writeBeyond(line, copy, this.#etcd.revision + distance);
    const renewed = kind === 'documented' ? await renewAll(line, copy) : undefined;
    stopAll();
    for (const listener of this.listeners) listener.beforeRestore();
    this.#etcd.restore(copy.snapshot());
    copy.close();
    for (const [i, listener] of this.listeners.entries()) listener.onRestored(backup.kept[i], renewed);
  }
}

/** Writes beside the objects until a revision. */
async function writeBeyond(line: EtcdLine, etcd: MemoryEtcd, revision: number): Promise<void> {
  while (etcd.revision < revision)
    await line.call(putMethod, { key: Buffer.from('/other'), value: Buffer.from('') }, callMs);
}

/** Gives every key a revision of its own, and compacts there. */
async function renewAll(line: EtcdLine, etcd: MemoryEtcd): Promise<readonly KeyChange[]> {
  const before = etcd.revision;
  const { kvs } = await line.call(
    rangeMethod,
    { key: Buffer.of(0), range_end: Buffer.of(0), revision: etcd.revision },
    callMs,
  );
  for (const { key } of kvs)
    await line.call(putMethod, { key, ignore_value: true, ignore_lease: true }, callMs);
  const renewed = [...etcd.changesAfter(before)];
  await line.call(compactMethod, { revision: etcd.revision }, callMs);
  return renewed;
}
