/** The control planes of this thread, by number. */
import type { StaticToken } from '../../authn/token-file.ts';
import { laterTurn } from '../../base/cooperate.ts';
import type { WorkLeft } from '../../controllers/work-left.ts';
import type { MemoryPki } from '../../pki/memory-pki.ts';
import { ApiClient } from '../api-client.ts';
import { portFlag } from '../options.ts';
import { installDefinitions, installObjects } from '../install.ts';
import { authorities } from './authorities.ts';
import { newGround } from './ground.ts';
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
import type { FaultId, FaultStrike, SeededFault } from '../fault-orders.ts';
import type { EtcdState } from './plane-etcd.ts';

/** The calls of a host; all answers may come later. */
export type HostMethods = {
  readonly [Name in keyof HostCalls]: (
    ...args: Parameters<HostCalls[Name]>
  ) => Promise<ReturnType<HostCalls[Name]>> | ReturnType<HostCalls[Name]>;
};

interface Kept {
  readonly hosted: HostedPlane;
  readonly snapshots: Map<SnapshotId, EtcdState>;
}

export class Host implements HostMethods {
  readonly #planes = new Map<PlaneId, Kept>();
  #last = 0;

  authorities(hosts?: readonly string[]): Promise<MemoryPki> {
    return authorities(hosts);
  }

  async start(order: StartOrder): Promise<StartedPlane> {
    const ground = await newGround(order);
    // What the first start of a thread compiles of controllers, too, the next process finds compiled.
    const holdsControllers = ground.hasBegun === true && this.#last > 0;
    return this.#keep(await HostedPlane.start(order, { ...ground, holdsControllers }));
  }

  async install(plane: PlaneId, { definitions, objects }: Installed): Promise<void> {
    const { ca, admin } = await authorities();
    const url = `https://127.0.0.1:${String(this.#of(plane).hosted.port)}`;
    const client = new ApiClient({ url, ca: ca.certificate, credentials: admin });
    try {
      await installDefinitions(client, definitions);
      await installObjects(client, objects);
      // What they make of it is there from the start, too.
      await this.#of(plane).hosted.workDone();
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

  async snapshot(plane: PlaneId): Promise<SnapshotId> {
    const { hosted, snapshots } = this.#of(plane);
    const state = await hosted.snapshot();
    this.#last += 1;
    snapshots.set(this.#last, state);
    return this.#last;
  }

  rewind(plane: PlaneId, snapshot: SnapshotId): Promise<number> {
    return this.#of(plane).hosted.rewind(this.#snapshot(plane, snapshot));
  }

  save(plane: PlaneId, of: SnapshotId | undefined, file: SaveOrder): Promise<void> {
    return this.#of(plane).hosted.save(of === undefined ? undefined : this.#snapshot(plane, of), file);
  }

  serving(plane: PlaneId): Promise<void> {
    return this.#of(plane).hosted.serving();
  }

  startFault(plane: PlaneId, fault: SeededFault): Promise<void> {
    return this.#of(plane).hosted.faults.start(fault);
  }

  endFault(plane: PlaneId, fault: FaultId): void {
    this.#of(plane).hosted.faults.end(fault);
  }

  clearFaults(plane: PlaneId): void {
    this.#of(plane).hosted.faults.clear();
  }

  faultStrikes(plane: PlaneId, fault: FaultId): number {
    return this.#of(plane).hosted.faults.strikes(fault);
  }

  faultRequests(plane: PlaneId, fault: FaultId): readonly string[] {
    return this.#of(plane).hosted.faults.requests(fault);
  }

  faultLog(plane: PlaneId): readonly FaultStrike[] {
    return this.#of(plane).hosted.faults.log;
  }

  load(plane: PlaneId, path: string): Promise<number> {
    return this.#of(plane).hosted.load(path);
  }

  changes(plane: PlaneId, since: SnapshotId): Promise<Changes> {
    return this.#of(plane).hosted.changes(this.#snapshot(plane, since));
  }

  async fork(plane: PlaneId, snapshot: SnapshotId | undefined, order: StartOrder): Promise<StartedPlane> {
    const state = snapshot === undefined ? undefined : this.#snapshot(plane, snapshot);
    return this.#keep(await HostedPlane.start(order, await this.#of(plane).hosted.forked(state)));
  }

  /**
   * Forks a control plane, resets the fork and ends it, for the code of that to be compiled: a first fork takes a quarter less processor time
   * in processes that find it so.
   * @returns whether that was done; what goes wrong, the calls of the test will tell
   */
  async rehearse(plane: PlaneId, order: StartOrder): Promise<boolean> {
    if (order.engine.kind !== 'memory') return false;
    const flags = { ...order.flags, ...portFlag(0) };
    try {
      const fork = await HostedPlane.start(
        { ...order, flags, printsLog: false },
        await this.#of(plane).hosted.forked(undefined),
      );
      await using _stopped = { [Symbol.asyncDispose]: () => fork.stop() };
      fork.beginControllers();
      await fork.rewind(await fork.snapshot());
      return true;
    } catch {
      return false;
    }
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

  /** Controllers that were held begin behind the answer. */
  async #keep(hosted: HostedPlane): Promise<StartedPlane> {
    this.#last += 1;
    const plane = this.#last;
    this.#planes.set(plane, { hosted, snapshots: new Map() });
    const first = await this.snapshot(plane);
    void laterTurn().then(() => {
      hosted.beginControllers();
    });
    return { plane, port: hosted.port, offsetMs: hosted.offsetMs, first };
  }

  #of(plane: PlaneId): Kept {
    const kept = this.#planes.get(plane);
    if (kept === undefined) throw new Error('the control plane has stopped: start another one');
    return kept;
  }

  #snapshot(plane: PlaneId, id: SnapshotId): EtcdState {
    const snapshot = this.#of(plane).snapshots.get(id);
    if (snapshot === undefined) throw new Error('the snapshot is of another control plane');
    return snapshot;
  }
}
