/** Hundreds of bodies that are sent at once share the time of the thread. */
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import type { MaybePromise } from '../../../src/base/maybe-promise.ts';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { sendSliced, sendUnpacked } from '../../../src/http/sliced-stream.ts';
import { leastOfThree, threadCpuMs } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';

const bodies = 200;

/** Takes a millisecond of processor time. */
function work(): void {
  const end = threadCpuMs() + 1;
  while (threadCpuMs() < end);
}

type Send = (context: RequestContext, res: ServerResponse) => Promise<void>;

/** Sends something to a client; pieces that are not compressed take some work. */
async function sentBy(send: Send, coding = ''): Promise<void> {
  const write = (_chunk: Buffer, _encoding: string, done: () => void): void => {
    if (coding === '') work();
    done();
  };
  const res = Object.assign(new Writable({ write }), { writeHead: () => res });
  const context = {
    ...{ res, req: { headers: {} }, phase: { compresses: true }, isClosed: () => false, answeredBytes: 0 },
    header: (name: string) => (name === 'accept-encoding' ? coding : ''),
  } as unknown as RequestContext;
  await send(context, res as unknown as ServerResponse);
  await finished(res);
}

/** Accepted for a list whose length is not known before it is made. */
const unmeasured = 'gzip;q=0.9';

function sent(slices: Iterable<MaybePromise<Buffer>>, coding: string): Promise<void> {
  const body = { length: coding === unmeasured ? undefined : 1_000_000, slices };
  return sentBy((context) => sendSliced(context, 200, 'application/json', body), coding);
}

type Slices = () => Iterable<MaybePromise<Buffer>>;

/** The longest turn while all of them are sent. @param prepare gives what makes the slices of each; asked before each measurement */
function longestTurn(prepare: () => Slices, coding = ''): Promise<number> {
  return leastOfThree(async () => {
    const slicesOf = prepare();
    const all = () => Promise.all(Array.from({ length: bodies }, () => sent(slicesOf(), coding)));
    return (await turnsOf(all))[0] ?? Infinity;
  });
}

test('of lists that wait for the same object few go on in a turn', async () => {
  const prepare = (): Slices => {
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    setTimeout(() => {
      resolve(Buffer.alloc(100));
    }, 50);
    return () => [promise];
  };
  expect(await longestTurn(prepare)).toBeLessThan(bodies / 4);
});

test('of lists that begin at once few slices are made in a turn', async () => {
  function* slices(): Generator<Buffer> {
    work();
    yield Buffer.alloc(1_000_000);
  }
  expect(await longestTurn(() => slices)).toBeLessThan(bodies / 4);
});

test.each(['gzip', unmeasured])(
  'of lists that are compressed (%s) few slices are made in a turn',
  async (coding) => {
    function* slices(): Generator<Buffer> {
      for (let made = 0; made < 3; made += 1) {
        work();
        yield Buffer.alloc(100);
      }
    }
    expect(await longestTurn(() => slices, coding)).toBeLessThan(bodies / 4);
  },
);

test('of documents that are unpacked at once few pieces are sent in a turn', async () => {
  const packed = gzipSync(Buffer.alloc(100_000));
  const send = (): Promise<void> => sentBy((context, res) => sendUnpacked(context, res, packed));
  const longest = await leastOfThree(async () => {
    const turns = await turnsOf(() => Promise.all(Array.from({ length: bodies }, send)));
    return turns[0] ?? Infinity;
  });
  expect(longest).toBeLessThan(bodies / 8);
});

test('an empty slice, which stands for a turn, is not written: a stream of HTTP/2 kept a listener for each', async () => {
  const empty = Array.from({ length: 20 }, () => Buffer.alloc(0));
  const released: number[] = [];
  const written: number[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
    written.push(chunk.length);
    done();
  };
  const res = Object.assign(new Writable({ write }), { writeHead: () => res });
  const context = {
    ...{ res, req: { headers: {} }, phase: { compresses: false }, isClosed: () => false, answeredBytes: 0 },
  } as unknown as RequestContext;
  const slices = [...empty, Buffer.alloc(100), ...empty, Promise.resolve(Buffer.alloc(0))];
  const release = ({ length }: Buffer): unknown => released.push(length);
  await sendSliced(context, 200, 'application/json', { length: undefined, slices, release });
  await finished(res);
  expect(written).toEqual([100]);
  expect(released).toHaveLength(slices.length);
});

test('a long slice is written in parts, in order', async () => {
  const written: Buffer[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
    written.push(chunk);
    done();
  };
  const res = Object.assign(new Writable({ write }), { writeHead: () => res });
  const context = {
    ...{ res, req: { headers: {} }, phase: { compresses: false }, isClosed: () => false, answeredBytes: 0 },
    header: () => '',
  } as unknown as RequestContext;
  const slices = [Buffer.alloc(5_000_000, 'a'), Buffer.alloc(10, 'b'), Buffer.alloc(3_000_000, 'c')];
  const length = 8_000_010;
  await sendSliced(context, 200, 'application/json', { length, slices });
  await finished(res);
  expect(Math.max(...written.map((part) => part.length))).toBeLessThanOrEqual(1024 * 1024);
  expect(Buffer.concat(written).equals(Buffer.concat(slices))).toBe(true);
});
