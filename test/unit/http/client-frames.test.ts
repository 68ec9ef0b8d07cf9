/** What clients send over a WebSocket that only sends: pings are answered, the rest is dropped, floods end it. */
import { performance } from 'node:perf_hooks';
import { Duplex } from 'node:stream';
import { useEventLoop } from '../../../src/base/event-loop.ts';
import { ClientFrames } from '../../../src/http/websocket.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { waitFor } from '../../support/wait-for.ts';

/** The server's side of a connection: what is written to it, and what the client sends. */
class Wire extends Duplex {
  readonly written: Buffer[] = [];
  override _read(): void {
    // The test pushes.
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.written.push(chunk);
    done();
  }
  get bytes(): Buffer {
    return Buffer.concat(this.written);
  }
}

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };
const policy = Buffer.from([0x88, 2, 1008 >> 8, 1008 & 0xff]);

function frame(opcode: number, payload = ''): Buffer {
  return Buffer.concat([
    Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]),
    Buffer.from(payload),
  ]);
}
const many = (count: number, one: Buffer): Buffer => Buffer.concat(Array<Buffer>(count).fill(one));

let wire: Wire;
beforeEach(() => {
  wire = new Wire();
  new ClientFrames(wire, Buffer.alloc(0), new HandClock());
});
afterEach(() => {
  wire.destroy();
});

async function send(...chunks: readonly Buffer[]): Promise<void> {
  for (const chunk of chunks) wire.push(chunk);
  await waitFor('what was sent to be read', () => wire.readableLength === 0 || wire.writableEnded);
}

test('of the pings that come together only the last is answered (RFC 6455, section 5.5.3)', async () => {
  await send(
    many(100, frame(opcodes.ping, 'a')),
    Buffer.concat([frame(opcodes.ping, 'b'), frame(opcodes.ping, 'c')]),
  );
  expect(wire.written.map((bytes) => bytes.toString('latin1'))).toEqual(['\x8a\x01a', '\x8a\x01c']);
});

test.each([
  ['pings', many(11_000, frame(opcodes.ping))],
  ['pongs', many(11_000, frame(opcodes.pong))],
  ['empty messages', many(11_000, frame(opcodes.binary))],
  ['fragments of a byte', many(11_000, frame(opcodes.continuation, 'x'))],
  [
    'a message without end',
    Buffer.concat([Buffer.from([0x82, 0xff, 0x7f, ...Array<number>(11).fill(0xff)]), Buffer.alloc(8 << 20)]),
  ],
])('a flood of %s ends the WebSocket', async (_what, flood) => {
  for (let at = 0; at < flood.length && !wire.writableEnded; at += 65_536)
    await send(flood.subarray(at, at + 65_536));
  await waitFor('the end', () => wire.writableFinished);
  expect(wire.bytes.subarray(-4)).toEqual(policy);
  // Nothing more is read of such a client.
  expect(wire.isPaused()).toBe(true);
  expect(wire.written.length).toBeLessThan(3);
});

test('a client that sends now and then is no flood', async () => {
  for (let i = 0; i < 300; i++)
    await send(frame(opcodes.ping, String(i)), frame(opcodes.text, 'x'.repeat(100)));
  expect(wire.writableEnded).toBe(false);
  expect(wire.written.length).toBe(300);
});

test.each([
  ['says goodbye', frame(opcodes.close)],
  ['breaks the rules', Buffer.from([0x81, 1, 0x61])],
])('the connection of a client that %s and stays is closed', async (_what, bytes) => {
  await send(bytes);
  await waitFor('the close frame', () => wire.writableFinished);
  await waitFor('the end of the connection', () => wire.destroyed);
});

/** Looks at a clock which each finds 10 µs further on. */
let looks = 0;

test('many WebSockets whose pings come at once are read in turns', async () => {
  let turns = 0;
  const wires = Array.from({ length: 100 }, () => new Wire());
  useEventLoop({
    now: () => performance.timeOrigin + (looks += 1) / 100,
    nextTurn: (go) => void ((turns += 1), setImmediate(go)),
  });
  try {
    for (const one of wires) {
      new ClientFrames(one, Buffer.alloc(0), new HandClock());
      one.push(many(400, frame(opcodes.ping, 'a')));
    }
    await waitFor('all to be answered', () => wires.every(({ written }) => written.length > 0));
  } finally {
    useEventLoop(undefined);
  }
  expect(wires.map(({ bytes }) => bytes.toString('latin1'))).toEqual(Array(100).fill('\x8a\x01a'));
  // 40,000 frames, of which about 300 are read in a turn.
  expect(turns).toBeGreaterThan(100);
  wires[0]?.push(frame(opcodes.ping, 'b'));
  await waitFor('the next ping to be answered', () => wires[0]?.written.length === 2);
});
