/** What the replica of a control plane stands on: time, its etcd, and what is known of that. */
import { systemEnvironment, type Environment } from '../../base/environment.ts';
import type { ReplicaParts } from '../../server/replica.ts';
import type { EtcdState, PlaneEtcd } from './plane-etcd.ts';
import type { StartOrder } from './protocol.ts';
import { beginnings } from './shared.ts';
import { startEngine } from './start-engine.ts';
import { VirtualClock } from './virtual-clock.ts';

interface Time {
  readonly environment: Environment;
  /** Absent: it has the time of the machine. */
  readonly virtual: VirtualClock | undefined;
}

/** What a replica stands on. */
export interface Ground extends Time {
  readonly etcd: PlaneEtcd;
  /** Of the control plane that it goes on from. */
  readonly beginning: EtcdState | undefined;
  /** What the replica of that one had, before the keys were copied; absent: the state is loaded from etcd. */
  readonly knownState?: ReplicaParts['knownState'];
  /** The objects are there that a start would make. */
  readonly hasBegun?: boolean | undefined;
  /** If controllers find all that they make, they begin only when they are told: nothing has to wait for them. */
  readonly holdsControllers?: boolean | undefined;
}

/** @throws StartError if there is no etcd */
export async function newGround(order: StartOrder): Promise<Ground> {
  const time = timeOf(order.hasVirtualClock ? new VirtualClock() : undefined);
  const etcd = await startEngine(order, time.environment);
  const keys =
    order.engine.kind === 'memory' ? beginnings.next(order.flags, time.environment, order.pki) : [];
  if (keys.length > 0) await etcd.replace(keys, () => true);
  return { ...time, etcd, beginning: undefined, hasBegun: keys.length > 0 };
}

/** With the time of the machine, unless another is given. */
export function timeOf(virtual: VirtualClock | undefined): Time {
  return { environment: virtual ? { ...systemEnvironment, clock: virtual } : systemEnvironment, virtual };
}
