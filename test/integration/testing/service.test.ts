/** The testing paths, as a test in another language uses them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { entryPoint, nodeBinary } from '../../support/paths.ts';
import { freePort } from '../../support/free-port.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { TestingProgram, type Access } from './support/testing-program.ts';

let program: TestingProgram;
let access: Access;

beforeAll(async () => {
  program = await TestingProgram.start(['--clock=virtual']);
  access = program.access;
});

afterAll(() => program.stop());

test('the file of credentials is for its owner; the kubeconfig in it is that of the API', () => {
  expect(statSync(program.readyFile).mode & 0o777).toBe(0o600);
  expect(access).toMatchObject({
    kubeconfig: { kind: 'Config', clusters: [{ cluster: { server: access.url } }] },
  });
});

test('reset, snapshot, restore and fork', async () => {
  expect(await program.create('one')).toMatchObject({ code: 201 });
  const { value } = await program.act('snapshot');
  await program.create('two');
  expect(await program.act('restore', value)).toMatchObject({ code: 200 });
  expect([await program.get('one'), await program.get('two')]).toEqual([200, 404]);
  const fork = (await program.act('fork', value)).value as unknown as Access;
  expect(await program.create('three', fork)).toMatchObject({ code: 201 });
  expect([await program.get('three'), await program.get('one', fork)]).toEqual([404, 200]);
  expect(await program.act('reset', {}, fork)).toMatchObject({ code: 200 });
  expect(await program.get('three', fork)).toBe(404);
  expect(await program.ask({ url: fork.testing, method: 'DELETE', token: access.token })).toMatchObject({
    code: 200,
  });
  expect(await program.act('reset', {}, fork)).toMatchObject({ code: 404 });
  expect(await program.act('reset')).toMatchObject({ code: 200 });
  expect(await program.get('one')).toBe(404);
});

test('time moves, and controllers settle', async () => {
  const before = Date.now();
  const { value } = await program.act('clock', { advance: '2h' });
  expect(Date.parse(String(value['now']))).toBeGreaterThanOrEqual(before + 2 * 3_600_000);
  expect(await program.act('settled', { timeoutMs: 20_000 })).toEqual({ code: 200, value: {} });
  expect(await program.act('logs')).toMatchObject({ code: 200 });
});

test('only the administrator may, and what is asked in a wrong way is said', async () => {
  const user = (await program.act('users', { name: 'jane', groups: ['developers'] })).value;
  const url = `${access.testing}/reset`;
  expect(await program.ask({ url })).toMatchObject({
    code: 401,
    value: { kind: 'Status', reason: 'Unauthorized' },
  });
  expect(await program.ask({ url, token: 'guessed' })).toMatchObject({ code: 401 });
  expect(await program.ask({ url, token: String(user['token']) })).toMatchObject({ code: 403 });
  expect(await program.ask({ url, method: 'GET', token: access.token })).toMatchObject({ code: 405 });
  expect(await program.act('no-such')).toMatchObject({ code: 404 });
  expect(await program.act('restore', { snapshot: 4711 })).toMatchObject({
    code: 400,
    value: { message: expect.stringContaining('snapshot') as string },
  });
  expect(await program.act('clock', { advance: 'soon' })).toMatchObject({ code: 400 });
  expect(await program.ask({ url, token: access.token, body: '[' })).toMatchObject({ code: 400 });
  const long = JSON.stringify({ name: 'x'.repeat(8_000_000) });
  expect(await program.ask({ url, token: access.token, body: long })).toMatchObject({ code: 413 });
  expect(await program.act('users', { name: 'x', groups: [1] })).toMatchObject({ code: 400 });
});

test('each refusal is a Status that says what to do', async () => {
  const { testing, token } = access;
  const user = (await program.act('users', { name: 'joe' })).value;
  const reset = `${testing}/reset`;
  const refusals = await Promise.all([
    program.ask({ url: reset }),
    program.ask({ url: reset, token: String(user['token']) }),
    program.act('rest'),
    program.ask({ url: `${testing}/forks/4711/reset`, token }),
    program.ask({ url: reset, method: 'GET', token }),
    program.ask({ url: `${testing}/forks/4711`, token }),
    program.ask({ url: reset, token, body: '[]' }),
    program.act('clock', {}),
    program.act('settled', { timeout: 5 }),
  ]);
  const said = refusals.map(({ code, value }) => {
    expect(value).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code });
    return `${String(code)} ${String(value['reason'])}: ${String(value['message'])}`;
  });
  expect(said).toEqual([
    '401 Unauthorized: give the token of the ready document: Authorization: Bearer <token>',
    '403 Forbidden: only the administrator may use paths below /testing: give the token of the ready document',
    expect.stringMatching(
      /^404 NotFound: there is no \/rest; paths are \/reset, \/snapshot, .*\/faults\/log/,
    ),
    '404 NotFound: there is no fork 4711: POST /fork gives the address of one',
    '405 MethodNotAllowed: ask by POST',
    '404 NotFound: there is no fork 4711: POST /fork gives the address of one',
    '400 BadRequest: the body is no object of JSON',
    '400 BadRequest: advance: give a text',
    '400 BadRequest: timeout: there is no such member; members are timeoutMs',
  ]);
});

test('the paths are those of this command alone', async () => {
  expect(await program.ask({ url: `${access.url}/testing/reset`, token: access.token })).toMatchObject({
    code: 404,
  });
});

test('a port that is taken is said, with the flag that chooses another', async () => {
  const port = new URL(access.testing).port;
  const child = spawn(nodeBinary(), [entryPoint(), 'testing', `--testing-port=${port}`]);
  const [output, exit] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(output).toMatch(
    new RegExp(`at port ${port}: .*choose another --testing-port.*\\[PORT_IN_USE\\]`, 's'),
  );
  expect(exit).toEqual([1, null]);
});

test('behind mapped ports, what is said is where clients reach it, with a certificate for that host', async () => {
  const [port, testingPort] = [await freePort(), await freePort()];
  await using api = await TcpProxy.start(`https://127.0.0.1:${String(port)}`);
  await using paths = await TcpProxy.start(`https://127.0.0.1:${String(testingPort)}`);
  const mapped = await TestingProgram.start([
    ...['--bind-address=0.0.0.0', `--secure-port=${String(port)}`, `--testing-port=${String(testingPort)}`],
    ...['--advertise-address=localhost', `--advertise-port=${new URL(api.endpoint).port}`],
    `--advertise-testing-port=${new URL(paths.endpoint).port}`,
  ]);
  try {
    expect(mapped.access).toMatchObject({
      url: `https://localhost:${new URL(api.endpoint).port}`,
      testing: `https://localhost:${new URL(paths.endpoint).port}/testing`,
      kubeconfig: { clusters: [{ cluster: { server: mapped.access.url } }] },
    });
    expect(await mapped.create('one')).toMatchObject({ code: 201 });
    expect(await mapped.act('reset')).toMatchObject({ code: 200 });
    expect(await mapped.get('one')).toBe(404);
    const forkPort = await freePort();
    await using forkProxy = await TcpProxy.start(`https://127.0.0.1:${String(forkPort)}`);
    const advertisePort = Number(new URL(forkProxy.endpoint).port);
    const { code, value } = await mapped.act('fork', { port: forkPort, advertisePort });
    expect({ code, url: value['url'] }).toEqual({
      code: 200,
      url: `https://localhost:${String(advertisePort)}`,
    });
    expect(await mapped.create('one', value as unknown as Access)).toMatchObject({ code: 201 });
    const wrong = await mapped.act('fork', { port: '6445' });
    expect([wrong.code, wrong.value['message']]).toEqual([400, 'port: give a port']);
  } finally {
    await mapped.stop();
  }
});

test('SIGTERM ends it, and the file is gone', async () => {
  expect(await program.child.stop()).toEqual({ code: 0, signal: null });
  expect(existsSync(program.readyFile)).toBe(false);
});

test('it goes with the program that started it: the end of its input ends it', async () => {
  const child = spawn(nodeBinary(), [entryPoint(), 'testing', '--stop-with-input']);
  const exited = once(child, 'exit');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  expect(JSON.parse(line)).toMatchObject({ testing: expect.stringContaining('/testing') as string });
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
});

test.each([
  [['--clock=fast'], /--clock.*use system or virtual.*\[FLAG_VALUE\]/],
  [['--serve-flag=event-ttl'], /use NAME=VALUE/],
  [['--serve-flag=no-such=1'], /there is no flag --no-such.*\[FLAG_UNKNOWN\]/],
  [['--ready-file=/no/such/folder/file'], /cannot be written: ENOENT.*\[FILE_UNWRITABLE\]/],
])('a start that cannot work ends with a sentence: %j', async (words, message) => {
  const child = spawn(nodeBinary(), [entryPoint(), 'testing', ...words]);
  const [output, exit] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(output).toMatch(message);
  expect(exit).toEqual([1, null]);
});
