/** Joins two connections: bytes pass both ways as they are, as fast as the slower side takes them. */
import type { Duplex } from 'node:stream';

/** Once a side has nothing more to say, the other one has this time to finish. */
const lastWordsMs = 10_000;

/** Resolves when both are closed. One that fails takes the other one with it. */
export function relay(client: Duplex, backend: Duplex, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const cut = (): void => {
    client.destroy();
    backend.destroy();
  };
  const finish = (): void => {
    timer ??= setTimeout(cut, lastWordsMs);
  };
  signal.addEventListener('abort', cut, { once: true });
  if (signal.aborted) cut();
  const closed = [client, backend].map(async (side) => {
    side.on('error', cut).once('end', finish);
    await whenClosed(side);
    // What it sent before is still on its way to the other side.
    finish();
  });
  client.pipe(backend);
  backend.pipe(client);
  return Promise.all(closed).then(() => {
    clearTimeout(timer);
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
