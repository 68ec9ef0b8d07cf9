/** Watches over WebSocket: one message per event, with the errors and limits of watches over HTTP. */
import { namingProfiles } from '../../../src/meta/naming.ts';
import { badRequest, expired } from '../../../src/meta/status.ts';
import { defaultWatchLimits } from '../../../src/http/watch/open-watches.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { podEntry, type FakeWatch } from '../../support/http/fake-verbs.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openWebSocket, type WebSocketEnd } from '../../support/websocket.ts';

const naming = namingProfiles.kubernetes;
const { catalogue, schemas } = realCatalogue(naming);
const path = '/api/v1/namespaces/x/pods?watch=true';
const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let room: HttpRoom;
const ends: WebSocketEnd[] = [];

beforeEach(async () => {
  folder = await makeTempFolder('watch-websocket');
  const watchLimits = { ...defaultWatchLimits, maxBufferedBytes: 256 * 1024, burstMs: 50 };
  room = await openRoom(folder.path, { naming, catalogue: () => catalogue, schemas, watchLimits });
});
afterEach(async () => {
  for (const { socket } of ends.splice(0)) socket.destroy();
  await room.close();
  await folder.remove();
});

interface Open {
  readonly end: WebSocketEnd;
  readonly fake: FakeWatch;
  readonly protocol: string | undefined;
}

async function open(headers: Record<string, string> = {}, protocols: string[] = []): Promise<Open> {
  const target = { port: room.server.port, ca: room.authority.ca, path, headers, protocols };
  const { end, response } = await openWebSocket(target);
  ends.push(end);
  const fake = await waitFor('the watch', () => room.verbs.watches.at(-1));
  return { end, fake, protocol: response.headers['sec-websocket-protocol'] };
}

const texts = (end: WebSocketEnd): { type: string; object: Record<string, unknown> }[] =>
  end.frames
    .filter(({ opcode }) => opcode === opcodes.text)
    .map(({ data }) => JSON.parse(data.toString()) as { type: string; object: Record<string, unknown> });

test('each event is a message of text; the client that closes ends the watch', async () => {
  const { end, fake } = await open();
  fake.sink.onItems([
    { type: 'ADDED', event: podEntry('a', 6) },
    { type: 'MODIFIED', event: podEntry('a', 7, 100_000) },
  ]);
  fake.sink.onItems([{ type: 'DELETED', event: podEntry('a', 8) }]);
  await waitFor('three messages', () => end.frames.length === 3);
  expect(texts(end).map(({ type, object }) => [type, object['kind']])).toEqual([
    ['ADDED', 'Pod'],
    ['MODIFIED', 'Pod'],
    ['DELETED', 'Pod'],
  ]);
  end.send(Buffer.from([3, 232]), opcodes.close);
  await waitFor('the watch to be closed', () => fake.closed && end.isOver);
  expect(end.frames.at(-1)).toMatchObject({ opcode: opcodes.close, data: Buffer.from([3, 232]) });
  expect(await room.metrics.text()).toMatch(
    /apiserver_request_total\{[^}]*code="101"[^}]*verb="WATCH"|apiserver_request_total\{[^}]*verb="WATCH"[^}]*code="101"/,
  );
});

test('Protobuf goes in binary messages, without the length before each', async () => {
  const { end, fake } = await open({ accept: 'application/vnd.kubernetes.protobuf' });
  fake.sink.onItems([{ type: 'ADDED', event: podEntry('a', 6) }]);
  const frame = await waitFor('a message', () => end.frames[0]);
  expect(frame.opcode).toBe(opcodes.binary);
  // Field 1 of a WatchEvent: its type.
  expect(frame.data.subarray(0, 7).toString('latin1')).toBe('\n\x05ADDED');
});

test('an error is the last message', async () => {
  const { end, fake } = await open();
  fake.sink.onError(expired('lost'));
  await waitFor('the end', () => end.isOver);
  expect(texts(end)).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
  expect(end.frames.at(-1)?.opcode).toBe(opcodes.close);
});

test('ends with a stop of the server', async () => {
  const { end, fake } = await open();
  await room.server.close(10_000);
  await waitFor('the end', () => end.isOver && fake.closed);
  expect(end.frames.map(({ opcode }) => opcode)).toEqual([opcodes.close]);
});

test('pings are answered, everything else that the client says is dropped', async () => {
  const { end, fake } = await open();
  end.send('x'.repeat(100_000));
  for (const byte of [0x89, 0x82, 1, 2, 3, 4]) end.socket.write(Buffer.from([byte]));
  end.socket.write(Buffer.from([0x61 ^ 1, 0x62 ^ 2]));
  await waitFor('a pong', () => end.frames.length === 1);
  expect(end.frames[0]).toMatchObject({ opcode: opcodes.pong, data: Buffer.from('ab') });
  expect(fake.closed).toBe(false);
});

test.each([
  ['that are not masked', [0x81, 1, 0x61]],
  ['of control that are too long', [0x89, 0xfe, 1, 0, 0, 0, 0, 0]],
])('frames %s end the watch', async (_what, bytes) => {
  const { end, fake } = await open();
  end.socket.write(Buffer.from(bytes));
  await waitFor('the end', () => end.isOver && fake.closed);
  expect(end.frames.at(-1)).toMatchObject({ opcode: opcodes.close, data: Buffer.from([3, 234]) });
});

test('a client that does not read is cut off', async () => {
  const { end, fake } = await open();
  end.socket.pause();
  const event = podEntry('a', 6, 200_000);
  await waitFor('the cut', () => {
    if (!fake.closed) fake.sink.onItems([{ type: 'ADDED', event }]);
    return fake.closed;
  });
});

test('a single subprotocol is accepted', async () => {
  expect((await open({}, ['some'])).protocol).toBe('some');
  expect((await open({}, ['some', 'other'])).protocol).toBeUndefined();
});

const wrong: [string, number, Record<string, string>, () => void][] = [
  ['an older version', 400, { 'sec-websocket-version': '8' }, () => undefined],
  ['a short key', 400, { 'sec-websocket-key': 'YQ==' }, () => undefined],
  [
    'a user without permission',
    403,
    {},
    () => (room.authorize = () => ({ decision: 'noOpinion', reason: '' })),
  ],
  ['a version that is none', 400, {}, () => (room.verbs.error = badRequest('no'))],
  ['a form that is not served', 406, { accept: 'text/html' }, () => undefined],
];
test.each(wrong)('%s is refused with %i', async (_what, code, headers, prepare) => {
  prepare();
  await expect(open(headers)).rejects.toThrow(`status code ${String(code)}`);
});
