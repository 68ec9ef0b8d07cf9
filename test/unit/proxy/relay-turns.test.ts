/** Connections that are joined pass their bytes in turns that all share, however fast both sides are. */
import { Duplex } from 'node:stream';
import { systemClock } from '../../../src/base/clock.ts';
import { relay } from '../../../src/proxy/relay.ts';
import { countedTurns } from '../../support/counted-turns.ts';

const turns = countedTurns();
const chunk = Buffer.alloc(64 * 1024);

/** Has so many chunks at hand. */
function source(chunks: number): Duplex {
  let left = chunks;
  return new Duplex({
    read() {
      left -= 1;
      this.push(left >= 0 ? chunk : null);
    },
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
}

/** Takes all at once; a millisecond for each chunk. @param taken called with the bytes of one */
function sink(taken: (bytes: number) => void): Duplex {
  const side = new Duplex({
    read: () => undefined,
    write(bytes: Buffer, _encoding, done) {
      turns.step(1);
      taken(bytes.length);
      done();
    },
    final(done) {
      side.push(null);
      done();
    },
  });
  return side;
}

test('of twenty fast connections some chunks pass in a turn', async () => {
  const { signal } = new AbortController();
  let bytes = 0;
  const joined = Array.from({ length: 20 }, () => {
    const client = sink((count) => (bytes += count));
    return relay(client, source(10), { clock: systemClock, signal });
  });
  await Promise.all(joined);
  expect(bytes).toBe(20 * 10 * chunk.length);
  expect(turns.most()).toBeLessThanOrEqual(5);
});
