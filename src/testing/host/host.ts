/** The control planes of this thread, by number. */
import type { StaticToken } from '../../authn/token-file.ts';
import type { WorkLeft } from '../../controllers/work-left.ts';
import type { EtcdSnapshot } from '../../memory-etcd/memory-etcd.ts';
import type { MemoryPki } from '../../pki/memory-pki.ts';
import { ApiClient } from '../api-client.ts';
import { installDefinitions, installObjects } from '../install.ts';
import { authorities } from './authorities.ts';
import { HostedPlane } from './hosted-plane.ts';
import type {
  HostCalls,
  Installed,
  PlaneId,
  SaveOrder,
  SnapshotId,
  StartedPlane,
  StartOrder,
} from './protocol.ts';
import type { Changes } from '../state/differences.ts';

/** The calls of a host; all answers may come later. */
export type HostMethods = {
  readonly [Name in keyof HostCalls]: (
    ...args: Parameters<HostCalls[Name]>
  ) => Promise<ReturnType<HostCalls[Name]>> | ReturnType<HostCalls[Name]>;
};

interface Kept {
  readonly hosted: HostedPlane;
  readonly snapshots: Map<SnapshotId, EtcdSnapshot>;
}

export class Host implements HostMethods {
  readonly #planes = new Map<PlaneId, Kept>();
  #last = 0;

  authorities(): Promise<MemoryPki> {
    return authorities();
  }

  async start(order: StartOrder): Promise<StartedPlane> {
    return this.#keep(await HostedPlane.start(order));
  }

  async install(plane: PlaneId, { definitions, objects }: Installed): Promise<void> {
    const { ca, admin } = await authorities();
    const url = `https://127.0.0.1:${String(this.#of(plane).hosted.port)}`;
    const client = new ApiClient({ url, ca: ca.certificate, credentials: admin });
    try {
      await installDefinitions(client, definitions);
      await installObjects(client, objects);
    } finally {
      client.close();
    }
  }

  async stop(plane: PlaneId): Promise<void> {
    const kept = this.#planes.get(plane);
    this.#planes.delete(plane);
    await kept?.hosted.stop();
  }

  useTokens(plane: PlaneId, tokens: readonly StaticToken[]): void {
    this.#of(plane).hosted.useTokens(tokens);
  }

  snapshot(plane: PlaneId): SnapshotId {
    const { hosted, snapshots } = this.#of(plane);
    this.#last += 1;
    snapshots.set(this.#last, hosted.snapshot());
    return this.#last;
  }

  rewind(plane: PlaneId, snapshot: SnapshotId): Promise<number> {
    return this.#of(plane).hosted.rewind(this.#snapshot(plane, snapshot));
  }

  save(plane: PlaneId, of: SnapshotId | undefined, file: SaveOrder): Promise<void> {
    return this.#of(plane).hosted.save(of === undefined ? undefined : this.#snapshot(plane, of), file);
  }

  load(plane: PlaneId, path: string): Promise<number> {
    return this.#of(plane).hosted.load(path);
  }

  changes(plane: PlaneId, since: SnapshotId): Changes {
    return this.#of(plane).hosted.changes(this.#snapshot(plane, since));
  }

  async fork(plane: PlaneId, snapshot: SnapshotId | undefined, order: StartOrder): Promise<StartedPlane> {
    const state = snapshot === undefined ? undefined : this.#snapshot(plane, snapshot);
    return this.#keep(await HostedPlane.start(order, this.#of(plane).hosted.forked(state)));
  }

  advance(plane: PlaneId, ms: number): Promise<number> {
    return this.#of(plane).hosted.advance(ms);
  }

  settled(plane: PlaneId, timeoutMs: number): Promise<readonly WorkLeft[] | undefined> {
    return this.#of(plane).hosted.settled(timeoutMs);
  }

  logs(plane: PlaneId, after?: number): string {
    return this.#of(plane).hosted.logs(after);
  }

  logPosition(plane: PlaneId): number {
    return this.#of(plane).hosted.logPosition;
  }

  #keep(hosted: HostedPlane): StartedPlane {
    this.#last += 1;
    this.#planes.set(this.#last, { hosted, snapshots: new Map() });
    return { plane: this.#last, port: hosted.port, offsetMs: hosted.offsetMs };
  }

  #of(plane: PlaneId): Kept {
    const kept = this.#planes.get(plane);
    if (kept === undefined) throw new Error('the control plane has stopped: start another one');
    return kept;
  }

  #snapshot(plane: PlaneId, id: SnapshotId): EtcdSnapshot {
    const snapshot = this.#of(plane).snapshots.get(id);
    if (snapshot === undefined) throw new Error('the snapshot is of another control plane');
    return snapshot;
  }
}
