/** Reading of connections whose handshake is not over: what the end of one costs does not grow with the others. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EarlyReads, type EarlyReading } from '../../../src/http/early-reading.ts';

/** Stops and starts of all handles. */
let switches = 0;
beforeEach(() => (switches = 0));

class Peer {
  readonly reading: EarlyReading;
  readonly handle = {
    reading: true,
    isRead: true,
    readStop: this.#stop.bind(this),
    readStart: this.#start.bind(this),
  };

  constructor(reads: EarlyReads) {
    const socket = new Duplex({ read: () => undefined });
    this.reading = reads.follow(Object.assign(socket, { _handle: this.handle }) as unknown as Socket);
  }

  #stop(): void {
    switches += 1;
    this.handle.isRead = false;
  }

  #start(): void {
    switches += 1;
    this.handle.isRead = true;
  }
}

function latePeers(reads: EarlyReads, count: number): Peer[] {
  const peers = Array.from({ length: count }, () => new Peer(reads));
  for (const { reading } of peers) {
    reading.begin();
    reading.noteLate();
  }
  return peers;
}

/** Stops and starts for each handshake that ends in a turn of its own, beside so many that nobody ends. */
async function switchesBeside(count: number): Promise<number> {
  const reads = new EarlyReads();
  latePeers(reads, count);
  const ending = latePeers(reads, 100);
  switches = 0;
  for (const { reading } of ending) {
    reading.endHandshake();
    await nextTurn();
  }
  return switches / ending.length;
}

test('the end of a late handshake costs as much beside 5,000 of them as beside a few', async () => {
  expect(await switchesBeside(5_000)).toBeLessThan(3 * (await switchesBeside(50)));
});

test('recent handshakes are read on although late ones end in each turn', async () => {
  const reads = new EarlyReads();
  const late = latePeers(reads, 300);
  const recent = new Peer(reads);
  recent.reading.begin();
  for (const { reading } of late.slice(0, 20)) {
    reading.endHandshake();
    expect(recent.handle.isRead).toBe(true);
    await nextTurn();
  }
});

test('of recent handshakes one ends in a turn, and the others go on in the next one', async () => {
  const reads = new EarlyReads();
  const [first, second] = [new Peer(reads), new Peer(reads)];
  for (const { reading } of [first, second]) reading.begin();
  first.reading.endHandshake();
  expect(second.handle.isRead).toBe(false);
  await nextTurn();
  expect(second.handle.isRead).toBe(true);
});

test('who is held reads again once it is let go, unless Node has stopped it', () => {
  const reads = new EarlyReads();
  const [ended, held, full] = latePeers(reads, 3);
  full!.handle.reading = false;
  ended!.reading.endHandshake();
  expect([held!.handle.isRead, full!.handle.isRead]).toEqual([false, false]);
  held!.reading.remove();
  full!.reading.remove();
  expect([held!.handle.isRead, full!.handle.isRead]).toEqual([true, false]);
});
