/** Servers that hang hold up no others, but for the first time. */
import { FetchPlaces } from '../../../../src/extension/aggregated-apis/fetch-places.ts';
import { HandClock } from '../../../support/hand-clock.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let clock: HandClock;
let places: FetchPlaces;
let asked: string[];
let answers: Map<string, () => void>;

beforeEach(() => {
  clock = new HandClock();
  places = new FetchPlaces(clock);
  asked = [];
  answers = new Map();
});

function ask(server: string): void {
  void places.use(server, () => {
    asked.push(server);
    return new Promise<void>((resolve) => answers.set(server, resolve));
  });
}

async function answer(...servers: string[]): Promise<void> {
  for (const server of servers) answers.get(server)?.();
  await settled();
}

test('one server has one place, for whatever many APIs', async () => {
  for (let api = 0; api < 4; api += 1) ask('hangs');
  ask('well');
  await settled();
  expect(asked).toEqual(['hangs', 'well']);
  await answer('hangs');
  expect(asked).toEqual(['hangs', 'well', 'hangs']);
});

test('servers that were slow the last time have a place of their own, until they are quick', async () => {
  for (const server of ['slow', 'slower']) ask(server);
  await settled();
  clock.advance(60_000);
  await answer('slow', 'slower');
  for (const server of ['slow', 'slower', 'well', 'good', 'third']) ask(server);
  await settled();
  expect(asked.slice(2)).toEqual(['slow', 'well', 'good']);
  await answer('slow', 'well');
  expect(asked.slice(5)).toEqual(['slower', 'third']);
  ask('slow');
  await answer('good');
  expect(asked.slice(7)).toEqual(['slow']);
});

test('a server that is forgotten is one like others', async () => {
  for (const server of ['slow', 'slower']) ask(server);
  await settled();
  clock.advance(60_000);
  await answer('slow', 'slower');
  places.forget('slow');
  for (const server of ['slower', 'slow']) ask(server);
  await settled();
  expect(asked.slice(2)).toEqual(['slower', 'slow']);
});
