/** Bodies made to hurt get the answer that they deserve, quickly, and leave the replica well. */
import { connect, type TLSSocket } from 'node:tls';

import { waitFor } from '../../support/wait-for.ts';
import {
  bodyLimit,
  dangerousKeys,
  filled,
  hostileBodies,
  hostileQuantities,
  unreadableTypes,
} from './support/hostile-bodies.ts';
import { configMaps, startPatient, type Patient } from './support/patient.ts';

let patient: Patient;

beforeAll(async () => {
  patient = await startPatient();
});
afterEach(() => patient.checkUp());
afterAll(() => patient[Symbol.asyncDispose]());

test.each(hostileBodies)('a creation with $name is refused', async ({ body, contentType, want = [400] }) => {
  const headers = { 'content-type': contentType ?? 'application/json' };
  const before = patient.worked();
  const answer = await patient.replica.admin.post(configMaps, body, headers);
  expect(want).toContain(answer.status);
  expect(answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', code: answer.status });
  expect(patient.worked() - before).toBeLessThan(3000);
});

test.each(unreadableTypes)('content type %s is 415', async (type) => {
  const answer = await patient.replica.admin.post(configMaps, '{}', { 'content-type': type });
  expect(answer.status).toBe(415);
});

test('a body of exactly 3 MB is read; what etcd cannot take is refused as too large', async () => {
  const { status } = await patient.replica.admin.post(configMaps, filled(bodyLimit));
  expect([201, 413, 422]).toContain(status);
  await patient.replica.admin.delete(`${configMaps}/filled`);
});

test.each(dangerousKeys)('the key %s is data in labels, annotations, data and patches', async (key) => {
  const { admin } = patient.replica;
  const text = `{"metadata":{"name":"keys","annotations":{"x/a${key}z":"x"}},"data":{"${key}":"polluted"},"${key}":{"polluted":true}}`;
  const created = await admin.post(configMaps, text);
  expect(created.status).toBe(201);
  expect(created.text).toContain(`"${key}":"polluted"`);
  expect(created.text).not.toContain('"polluted":true');
  const merged = await admin.patch(
    `${configMaps}/keys`,
    'merge',
    `{"data":{"${key}":"again"},"${key}":{"polluted":1}}`,
  );
  expect(merged.text).toContain(`"${key}":"again"`);
  const pointer = JSON.stringify([{ op: 'add', path: `/data/${key}`, value: 'third' }]);
  expect((await admin.patch(`${configMaps}/keys`, 'json', pointer)).text).toContain(`"${key}":"third"`);
  const climb = JSON.stringify([{ op: 'add', path: `/metadata/${key}/polluted`, value: 'yes' }]);
  expect((await admin.patch(`${configMaps}/keys`, 'json', climb)).status).toBeLessThan(500);
  expect((await admin.delete(`${configMaps}/keys`)).status).toBe(200);
});

test.each(hostileQuantities)('a quantity that looks like %.20s is refused at once', async (quantity) => {
  const container = { name: 'c', image: 'i', resources: { limits: { memory: quantity } } };
  const pod = { metadata: { name: 'quantity' }, spec: { containers: [container] } };
  const before = patient.worked();
  const answer = await patient.replica.admin.post('/api/v1/namespaces/default/pods', pod);
  expect([400, 422]).toContain(answer.status);
  expect(patient.worked() - before).toBeLessThan(2000);
});

test('patches with thousands of steps, or that copy themselves, are answered', async () => {
  const { admin } = patient.replica;
  await admin.ok('POST', configMaps, { metadata: { name: 'steps' }, data: { a: 'b' } });
  const many = Array.from({ length: 20_000 }, (_unused, i) => ({
    op: 'add',
    path: `/data/k${i}`,
    value: 'v',
  }));
  const doubling = Array.from({ length: 60 }, () => ({ op: 'copy', from: '/data', path: '/data/a' }));
  for (const steps of [many, doubling]) {
    const answer = await admin.patch(`${configMaps}/steps`, 'json', JSON.stringify(steps));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  }
  await admin.ok('DELETE', `${configMaps}/steps`);
});

describe('bodies without a length', () => {
  async function openSocket(): Promise<{ socket: TLSSocket; received: () => string }> {
    const { port, pki } = patient.replica;
    const socket = connect({
      port,
      host: '127.0.0.1',
      ca: pki.authority.ca,
      cert: pki.admin.cert,
      key: pki.admin.key,
    });
    let received = '';
    socket.setEncoding('utf8').on('data', (text) => (received += String(text)));
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    const head = ['Host: test', 'Content-Type: application/json', 'Transfer-Encoding: chunked', '', ''];
    socket.write(`POST ${configMaps} HTTP/1.1\r\n${head.join('\r\n')}`);
    return { socket, received: () => received };
  }

  function chunk(text: string): string {
    return `${text.length.toString(16)}\r\n${text}\r\n`;
  }

  test('are refused when they pass the limit, before they end', async () => {
    const { socket, received } = await openSocket();
    const timer = setInterval(() => socket.writable && socket.write(chunk(' '.repeat(65_536))), 1);
    try {
      await waitFor('the refusal', () => received().startsWith('HTTP/1.1 413 '), { timeout: 20_000 });
    } finally {
      clearInterval(timer);
      socket.destroy();
    }
  });

  test('may arrive slowly without blocking others', async () => {
    const { socket, received } = await openSocket();
    const text = '{"metadata":{"name":"slow"}}';
    for (const letter of text) {
      socket.write(chunk(letter));
      expect((await patient.replica.admin.get('/livez')).status).toBe(200);
    }
    socket.write('0\r\n\r\n');
    await waitFor('the answer', () => received().startsWith('HTTP/1.1 201 '));
    socket.destroy();
    await patient.replica.admin.ok('DELETE', `${configMaps}/slow`);
  });

  test.each(['ZZ\r\n', '-5\r\n', 'fffffffffffffffff\r\nabc', '3\r\nabcdef'])(
    'with a bad chunk %j are 400',
    async (bad) => {
      const { socket, received } = await openSocket();
      socket.write(bad);
      await waitFor('the refusal', () => received().startsWith('HTTP/1.1 400 ') || socket.destroyed);
      socket.destroy();
    },
  );
});
