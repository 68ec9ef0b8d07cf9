/** Many requests to many servers: few of them make a connection at a time. */
import { EventEmitter } from 'node:events';
import type { ClientRequest } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { HandshakeGate } from '../../../src/base/handshake-gate.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A request of which the test says how it goes. */
class Sent extends EventEmitter {
  reusedSocket = false;
  readonly socket = new EventEmitter();

  connect(): void {
    this.emit('socket', this.socket);
    this.socket.emit('secureConnect');
  }
}

let clock: HandClock;
let gate: HandshakeGate;
let sent: Sent[];
const free = new AbortController().signal;

beforeEach(() => {
  clock = new HandClock();
  gate = new HandshakeGate(clock);
  sent = [];
});

/** So many, and no more. */
async function areSent(count: number): Promise<void> {
  await waitFor(`${String(count)} requests`, () => sent.length >= count);
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  expect(sent).toHaveLength(count);
}

function begin(signal = free): Promise<void> {
  return gate.begin(signal, (note) => {
    const one = new Sent();
    sent.push(one);
    note(one as unknown as ClientRequest);
  });
}

test('four handshakes are in progress at a time; one that ended, failed or takes long lets the next one begin', async () => {
  const all = Array.from({ length: 8 }, () => begin());
  await areSent(4);
  sent[0]?.connect();
  await areSent(5);
  sent[1]?.emit('close');
  sent[1]?.emit('close');
  await areSent(6);
  clock.advance(20);
  await areSent(8);
  clock.advance(20);
  await Promise.all(all);
  expect(clock.timers).toBe(0);
});

test('a connection that is used again takes no time', async () => {
  const all = Array.from({ length: 6 }, () => begin());
  await areSent(4);
  const [first] = sent;
  if (first) first.reusedSocket = true;
  first?.emit('socket', first.socket);
  await areSent(5);
  clock.advance(20);
  await Promise.all(all);
});

test('who gives up, or fails, leaves its place to the next one', async () => {
  const signals = Array.from({ length: 6 }, () => new AbortController());
  const [first, ...others] = signals.map(({ signal }) => begin(signal).catch(String));
  signals[0]?.abort('before it began');
  signals[4]?.abort('in the line');
  expect(await first).toBe('before it began');
  await areSent(4);
  const failure = gate.begin(free, () => {
    throw new Error('no place');
  });
  clock.advance(20);
  await expect(failure).rejects.toThrow('no place');
  expect(await Promise.all(others)).toEqual([undefined, undefined, undefined, 'in the line', undefined]);
});
