/** Faults, states as files and what has changed, asked for over HTTP. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestingProgram, type Access, type Answer } from './support/testing-program.ts';

let program: TestingProgram;

beforeAll(async () => {
  program = await TestingProgram.start();
});

afterAll(() => program.stop());

beforeEach(async () => {
  expect(await program.act('reset')).toMatchObject({ code: 200 });
});

const ofMaps = { resource: 'configmaps', verb: ['create', 'get'] };

function message({ value }: Answer): string {
  return String(value['message']);
}

test('a fault strikes as often as it is ordered to, and the log has whom', async () => {
  const order = { kind: 'refuse', status: 429, retryAfter: 2, scope: { ...ofMaps, times: 2 } };
  const { code, value } = await program.act('faults', order);
  expect({ code, value }).toEqual({ code: 200, value: { fault: 1, seed: expect.any(Number) as number } });
  const codes = [await program.create('one'), await program.create('one'), await program.create('one')];
  expect(codes.map((answer) => answer.code)).toEqual([429, 429, 201]);
  expect(codes[0]?.value).toMatchObject({ kind: 'Status', details: { retryAfterSeconds: 2 } });
  const strike = {
    ...{ fault: 1, kind: 'refuse', did: 'refused with 429', at: expect.any(Number) as number },
    ...{ user: 'testing-admin', verb: 'create', resource: 'configmaps', namespace: 'default', name: '' },
  };
  expect((await program.act('faults/log')).value).toEqual({ seed: value['seed'], log: [strike, strike] });
});

test('a fault ends by its number, all of them by clear and by reset', async () => {
  const refuse = { kind: 'refuse', status: 500, scope: ofMaps };
  await program.act('faults', refuse);
  const { value } = await program.act('faults', { ...refuse, status: 503 });
  expect((await program.create('one')).code).toBe(500);
  expect(await program.act('faults/end', { fault: 1 })).toEqual({ code: 200, value: { strikes: 1 } });
  expect((await program.create('one')).code).toBe(503);
  expect(await program.act('faults/clear', { seed: 17 })).toEqual({ code: 200, value: { seed: 17 } });
  expect((await program.create('one')).code).toBe(201);
  expect(await program.act('faults/end', { fault: value['fault'] })).toMatchObject({ code: 400 });
  expect(await program.act('faults', refuse)).toEqual({ code: 200, value: { fault: 1, seed: 17 } });
  await program.act('reset');
  expect(await program.get('one')).toBe(404);
  expect((await program.act('faults/log')).value).toEqual({ seed: 17, log: [] });
});

test('decisions by chance repeat with the seed', async () => {
  const rounds = Array.from({ length: 12 }, (_, index) => `map-${String(index)}`);
  const struck = async (seed: number): Promise<number[]> => {
    await program.act('faults/clear', { seed });
    await program.act('faults', { kind: 'refuse', status: 500, scope: { ...ofMaps, rate: 0.5 } });
    const codes: number[] = [];
    for (const name of rounds) codes.push(await program.get(name));
    return codes;
  };
  const first = await struck(3);
  expect(new Set(first)).toEqual(new Set([404, 500]));
  expect(await struck(3)).toEqual(first);
  expect(await struck(4)).not.toEqual(first);
});

test('an answer that is lost: the connection is cut, and the object is there', async () => {
  await program.act('faults', { kind: 'loseAnswers', scope: { ...ofMaps, times: 1 } });
  await expect(program.create('one')).rejects.toThrow(/socket hang up|ECONNRESET/);
  expect(await program.get('one')).toBe(200);
});

test('a server that restarts comes back at its address', async () => {
  await program.create('one');
  expect(await program.act('faults', { kind: 'restart', downFor: '50ms' })).toMatchObject({ code: 200 });
  expect(await program.get('one')).toBe(200);
});

test('faults of a fork are not those of the first', async () => {
  const fork = (await program.act('fork')).value as unknown as Access;
  await program.act('faults', { kind: 'refuse', status: 500, scope: ofMaps }, fork);
  expect((await program.create('one', fork)).code).toBe(500);
  expect((await program.create('one')).code).toBe(201);
  await program.ask({ url: fork.testing, method: 'DELETE', token: program.access.token });
});

test.each([
  [{}, /^kind: give one of closeWatches, .*loseAnswers$/],
  [{ kind: '__proto__' }, /^kind: give one of/],
  [{ kind: 'delay' }, /^by: give a text$/],
  [{ kind: 'delay', by: 'long' }, /duration such as 250ms/],
  [{ kind: 'refuse', status: 999 }, /one of 400,/],
  [{ kind: 'refuse', status: '500', verb: 'get' }, /^status: give a number; verb: there is no such member$/],
  [
    { kind: 'conflicts', scope: { rate: 7 } },
    /the option rate cannot be used: give a number from 0 to 1, not 7/,
  ],
  [
    { kind: 'conflicts', scope: { times: -1 } },
    /the option times cannot be used: give a whole number from 0, not -1/,
  ],
  [{ kind: 'conflicts', scope: [] }, /^scope: give an object of JSON$/],
  [
    { kind: 'conflicts', scope: { verb: [1], pods: true } },
    /^scope\.verb: give a text or a list of texts; scope\.pods: there is no such member$/,
  ],
  [{ kind: 'loseAnswers', as: 'silence' }, /^as: give cut or timeout$/],
])('an order that is wrong is refused with what to give: %j', async (order, expected) => {
  const answer = await program.act('faults', order);
  expect(answer.code).toBe(400);
  expect(message(answer)).toMatch(expected);
  expect((await program.create('one')).code).toBe(201);
});

test('numbers of faults and seeds are whole', async () => {
  expect(message(await program.act('faults/end', { fault: 'one' }))).toBe('fault: give a whole number');
  expect(message(await program.act('faults/end', { fault: 1 }))).toContain('there is no fault 1');
  expect(message(await program.act('faults/clear', { seed: 0.5 }))).toBe('seed: give a whole number');
  expect(await program.act('faults/no-such')).toMatchObject({ code: 404 });
});

test('a state is saved in the folder of the service, loaded, and what differs is shown', async () => {
  await program.create('one');
  const { value } = await program.act('snapshot');
  expect(await program.act('save', { file: 'one.yaml' })).toEqual({ code: 200, value: {} });
  expect(readFileSync(join(program.folder, 'one.yaml'), 'utf8')).toContain('name: one');
  await program.create('two');
  const changes = (await program.act('dump', value)).value;
  expect(changes).toMatchObject({ added: [{ metadata: { name: 'two' } }], changed: [], deleted: [] });
  expect(changes['text']).toBe('+ ConfigMap default/two');
  await program.act('save', { file: 'first.state', ...value });
  expect(await program.act('load', { file: 'first.state' })).toEqual({ code: 200, value: { changed: 1 } });
  expect([await program.get('one'), await program.get('two')]).toEqual([200, 404]);
  await program.act('reset');
  expect(await program.act('load', { file: './one.yaml' })).toMatchObject({ code: 200 });
  expect(await program.get('one')).toBe(200);
});

test.each(['', '/tmp/orch-state.yaml', '../orch-state.yaml', 'a/../../orch-state.yaml', 'a\0.yaml', 7])(
  'a file outside of that folder is refused: %j',
  async (file) => {
    const [saved, loaded] = [await program.act('save', { file }), await program.act('load', { file })];
    expect([saved.code, loaded.code]).toEqual([400, 400]);
    expect(message(saved)).toMatch(/^file: give a path in or below the folder/);
    expect(existsSync(join(program.folder, '..', 'orch-state.yaml'))).toBe(false);
  },
);

test('faults of files and snapshots are said', async () => {
  expect(message(await program.act('load', { file: 'none.yaml' }))).toContain('none.yaml');
  expect(message(await program.act('save', { file: 'one.txt' }))).toMatch(/\.yaml/);
  expect(await program.act('dump', { snapshot: 4711 })).toMatchObject({ code: 400 });
});
