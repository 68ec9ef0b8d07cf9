/** The testing paths, as a test in another language uses them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Child } from '../../support/child-process.ts';
import { entryPoint, nodeBinary } from '../../support/paths.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

interface Access {
  readonly url: string;
  readonly testing: string;
  readonly ca: string;
  readonly token: string;
}

interface Answer {
  readonly code: number;
  readonly value: Readonly<Record<string, unknown>>;
}

let folder: TempFolder;
let program: Child;
let access: Access;
const file = (): string => join(folder.path, 'ready.json');

beforeAll(async () => {
  folder = await makeTempFolder('testing-service');
  program = await Child.start({
    name: 'testing service',
    program: nodeBinary(),
    args: [entryPoint(), 'testing', `--ready-file=${file()}`, '--clock=virtual'],
  });
  await waitFor('the ready file', () => existsSync(file()) || program.exit() !== undefined, {
    timeout: 50_000,
  });
  access = JSON.parse(readFileSync(file(), 'utf8')) as Access;
});

afterAll(async () => {
  await program.stop();
  await folder.remove();
});

interface Asked {
  readonly url: string;
  readonly method?: string;
  readonly token?: string | undefined;
  readonly body?: string | undefined;
}

async function ask({ url, method = 'POST', token, body }: Asked): Promise<Answer> {
  const agent = new Agent({ ca: access.ca });
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const sent = request(url, { method, headers, agent }).end(body);
  const [response] = (await once(sent, 'response')) as [Parameters<typeof text>[0] & { statusCode?: number }];
  const answer = await text(response);
  agent.destroy();
  const isJson = answer.startsWith('{');
  return {
    code: response.statusCode ?? 0,
    value: isJson ? (JSON.parse(answer) as Answer['value']) : { text: answer },
  };
}

function act(path: string, body: object = {}, of = access): Promise<Answer> {
  return ask({ url: `${of.testing}/${path}`, token: access.token, body: JSON.stringify(body) });
}

const maps = '/api/v1/namespaces/default/configmaps';

function create(name: string, of = access): Promise<Answer> {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  return ask({ url: of.url + maps, token: access.token, body });
}

async function exists(name: string, of = access): Promise<boolean> {
  const { code } = await ask({ url: `${of.url}${maps}/${name}`, method: 'GET', token: access.token });
  return code === 200;
}

test('the file of credentials is for its owner; the kubeconfig in it is that of the API', () => {
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(access).toMatchObject({
    kubeconfig: { kind: 'Config', clusters: [{ cluster: { server: access.url } }] },
  });
});

test('reset, snapshot, restore and fork', async () => {
  expect(await create('one')).toMatchObject({ code: 201 });
  const { value } = await act('snapshot');
  await create('two');
  expect(await act('restore', value)).toMatchObject({ code: 200 });
  expect([await exists('one'), await exists('two')]).toEqual([true, false]);
  const fork = (await act('fork', value)).value as unknown as Access;
  expect(await create('three', fork)).toMatchObject({ code: 201 });
  expect([await exists('three'), await exists('one', fork)]).toEqual([false, true]);
  expect(await act('reset', {}, fork)).toMatchObject({ code: 200 });
  expect(await exists('three', fork)).toBe(false);
  expect(await ask({ url: fork.testing, method: 'DELETE', token: access.token })).toMatchObject({
    code: 200,
  });
  expect(await act('reset', {}, fork)).toMatchObject({ code: 404 });
  expect(await act('reset')).toMatchObject({ code: 200 });
  expect(await exists('one')).toBe(false);
});

test('time moves, and controllers settle', async () => {
  const before = Date.now();
  const { value } = await act('clock', { advance: '2h' });
  expect(Date.parse(String(value['now']))).toBeGreaterThanOrEqual(before + 2 * 3_600_000);
  expect(await act('settled', { timeoutMs: 20_000 })).toEqual({ code: 200, value: {} });
  expect(await act('logs')).toMatchObject({ code: 200 });
});

test('only the administrator may, and what is asked in a wrong way is said', async () => {
  const user = (await act('users', { name: 'jane', groups: ['developers'] })).value;
  const url = `${access.testing}/reset`;
  expect(await ask({ url })).toMatchObject({ code: 401, value: { kind: 'Status', reason: 'Unauthorized' } });
  expect(await ask({ url, token: 'guessed' })).toMatchObject({ code: 401 });
  expect(await ask({ url, token: String(user['token']) })).toMatchObject({ code: 403 });
  expect(await ask({ url, method: 'GET', token: access.token })).toMatchObject({ code: 405 });
  expect(await act('no-such')).toMatchObject({ code: 404 });
  expect(await act('restore', { snapshot: 4711 })).toMatchObject({
    code: 400,
    value: { message: expect.stringContaining('snapshot') as string },
  });
  expect(await act('clock', { advance: 'soon' })).toMatchObject({ code: 400 });
  expect(await ask({ url, token: access.token, body: '[' })).toMatchObject({ code: 400 });
});

test('the paths are those of this command alone', async () => {
  expect(await ask({ url: `${access.url}/testing/reset`, token: access.token })).toMatchObject({ code: 404 });
});

test('SIGTERM ends it, and the file is gone', async () => {
  expect(await program.stop()).toEqual({ code: 0, signal: null });
  expect(existsSync(file())).toBe(false);
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
