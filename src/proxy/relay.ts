/** Joins two connections: bytes pass both ways as they are, as fast as the slower side, or a limit, lets them. */
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '../base/clock.ts';
import { Pace } from './pace.ts';
import { Passing } from './passing.ts';
import { StalledPeer } from './stalled-peer.ts';

/** Once a side has nothing more to say, the other one has this time to finish. */
const lastWordsMs = 10_000;

export interface RelayOptions {
  readonly clock: Clock;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Limit of each direction; absent if there is none. */
  readonly bytesPerSecond?: number | undefined;
}

/** Resolves when both are closed. One that fails, or is gone while it is not read, takes the other one with it. */
export function relay(
  client: Duplex,
  backend: Duplex,
  { clock, signal, bytesPerSecond }: RelayOptions,
): Promise<void> {
  const paces: Pace[] = [];
  const passings: Passing[] = [];
  const stalled: StalledPeer[] = [];
  let timer: Timer | undefined;
  const cut = (): void => {
    client.destroy();
    backend.destroy();
    for (const between of [...passings, ...paces]) between.destroy();
    for (const peer of stalled) peer.close();
  };
  const finish = (): void => {
    timer ??= clock.setTimeout(cut, lastWordsMs + Math.max(0, ...paces.map((pace) => pace.waitingMs)));
  };
  signal.addEventListener('abort', cut, { once: true });
  if (signal.aborted) cut();
  const closed = [client, backend].map(async (side) => {
    side.on('error', cut).once('end', finish);
    await whenClosed(side);
    // What it sent before is still on its way to the other side.
    finish();
  });
  const join = (from: Duplex, to: Duplex): void => {
    const peer = new StalledPeer({ clock, side: from, isStalled: () => from.isPaused(), onGone: cut });
    stalled.push(peer);
    from.on('pause', peer.begin);
    const passing = new Passing();
    passings.push(passing);
    if (bytesPerSecond === undefined) {
      from.pipe(passing).pipe(to);
      return;
    }
    const pace = new Pace(clock, bytesPerSecond);
    paces.push(pace);
    from.pipe(passing).pipe(pace).pipe(to);
  };
  join(client, backend);
  join(backend, client);
  return Promise.all(closed).then(() => {
    clock.clear(timer);
    for (const between of [...passings, ...paces]) between.destroy();
    for (const peer of stalled) peer.close();
    signal.removeEventListener('abort', cut);
  });
}

function whenClosed(side: Duplex): Promise<void> {
  return new Promise((resolve) => {
    if (side.closed) resolve();
    else
      side.once('close', () => {
        resolve();
      });
  });
}
