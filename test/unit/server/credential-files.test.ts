/** Files of credentials that change: what is taken, what is refused and told, and when they are read again. */
import { copyFileSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../../src/observe/log.ts';
import { completeConfig, type CompletedConfig } from '../../../src/options/complete-config.ts';
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import { sourcesOf, type CredentialSource } from '../../../src/options/credential-sources.ts';
import type { Credentials } from '../../../src/options/credentials.ts';
import { ensurePki } from '../../../src/pki/folder.ts';
import { credentialsOf } from '../../../src/server/credentials-of.ts';
import { CredentialWatcher } from '../../../src/server/credential-files.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

let temporary: TempFolder;
let clock: HandClock;
let stopping: AbortController;
let used: Credentials;
let notes: string[];
let told: string[];
const at = (name: string): string => join(temporary.path, name);

const kubeconfig = (authority: string): string =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://hook.test', 'certificate-authority': authority } }],
    users: [{ name: 'u', user: { tokenFile: 'word' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });

beforeEach(async () => {
  temporary = await makeTempFolder('credential-files');
  await ensurePki({ folder: temporary.path, hosts: [] });
  for (const name of ['server.crt', 'server.key']) copyFileSync(at(name), at(`serving-${name}`));
  writeFileSync(at('clients'), readFileSync(at('ca.crt'), 'utf8') + readFileSync(at('etcd-ca.crt'), 'utf8'));
  writeFileSync(at('tokens'), 'token-a,ann,1\n');
  writeFileSync(at('passwords'), 'word,ann,1\n');
  writeFileSync(at('word'), 'first\n');
  writeFileSync(at('hook'), kubeconfig('ca.crt'));
  await begin();
});
afterEach(async () => {
  stopping.abort();
  await temporary.remove();
});

async function begin(sources = sourcesOf): Promise<void> {
  [notes, told] = [[], []];
  const texts = {
    'etcd-servers': 'http://127.0.0.1:1',
    'tls-cert-file': at('serving-server.crt'),
    'tls-private-key-file': at('serving-server.key'),
    'client-ca-file': at('clients'),
    'token-auth-file': at('tokens'),
    'basic-auth-file': at('passwords'),
    'service-account-key-file': at('service-account.key'),
    'authentication-token-webhook-config-file': at('hook'),
  };
  const { completed: config, errors } = await completeConfig((await configFromFlags(texts)).config);
  expect(errors).toEqual([]);
  used = credentialsOf(config.files, undefined);
  clock = new HandClock();
  stopping = new AbortController();
  const log = (text: string, about?: object): void => void told.push(`${text} ${JSON.stringify(about)}`);
  const logger = { info: log, warn: log } as unknown as Logger;
  const fileReloads = {
    note: (flag: string, result: string) => void notes.push(`${flag} ${result}`),
    use: () => undefined,
  };
  const use = (next: Credentials): void => void (used = next);
  const watcher = new CredentialWatcher(sources(config), {
    credentials: used,
    logger,
    clock,
    serving: { use, fileReloads },
  });
  void watcher.run(stopping.signal);
  await looks(2);
}

/** So many seconds pass, in each of which it looks once. */
async function looks(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await hasLooked();
    clock.advance(1_000);
  }
  await hasLooked();
}

function hasLooked(): Promise<boolean> {
  return waitFor('it has looked', () => clock.timers === 1, { interval: 1 });
}

const cut = (name: string, bytes: number): void =>
  writeFileSync(at(name), readFileSync(at(name)).subarray(0, -bytes));

test('nothing is told of files that stay', async () => {
  await looks(120);
  expect([notes, told]).toEqual([[], []]);
});

test.each<[string, string, string, RegExp]>([
  ['a bundle of authorities', 'clients', 'client-ca-file', /is cut off in a certificate/],
  ['keys of tokens', 'service-account.key', 'service-account-key-file', /the last key is cut off/],
])('%s whose last part is cut off is refused', async (_what, name, flag, why) => {
  const whole = readFileSync(at(name), 'utf8');
  const before = used;
  // The one before it is whole.
  writeFileSync(at(name), whole + whole);
  await looks(3);
  const both = used;
  cut(name, 40);
  await looks(3);
  expect(notes).toEqual([`${flag} success`, `${flag} failure`]);
  expect(told.at(-1)).toMatch(why);
  expect(used).toBe(both);
  writeFileSync(at(name), whole);
  await looks(3);
  expect(used).toEqual(before);
  expect(notes.at(-1)).toBe(`${flag} success`);
});

test.each<[string, string]>([
  ['clients', 'client-ca-file'],
  ['service-account.key', 'service-account-key-file'],
  ['hook', 'authentication-token-webhook-config-file'],
])(
  '%s of more than a megabyte is refused before it is read, which would take seconds',
  async (name, flag) => {
    const whole = readFileSync(at(name), 'utf8');
    const before = used;
    writeFileSync(at(name), `${whole}\n`.repeat(Math.ceil((1.1 * 1024 * 1024) / whole.length)));
    await looks(3);
    expect(notes).toEqual([`${flag} failure`]);
    expect(told.at(-1)).toMatch(/more than the limit of/);
    expect(used).toBe(before);
  },
);

test.each([
  ['tokens', 'token-auth-file'],
  ['passwords', 'basic-auth-file'],
] as const)(
  '%s that somebody truncates to write them anew stay; a blank line revokes them',
  async (name, flag) => {
    const before = used[name];
    expect(before).toContain('ann');
    writeFileSync(at(name), '');
    await looks(3);
    expect(notes).toEqual([`${flag} failure`]);
    expect(told.at(-1)).toMatch(/is empty.*a blank line/);
    expect(used[name]).toBe(before);
    writeFileSync(at(name), '\n');
    await looks(3);
    expect(notes.at(-1)).toBe(`${flag} success`);
    expect(used[name]).toBe('');
    // Nobody is left who could lose access.
    writeFileSync(at(name), '');
    await looks(3);
    expect(notes.at(-1)).toBe(`${flag} success`);
  },
);

test('the token of a webhook is not taken out of an empty file', async () => {
  writeFileSync(at('word'), '');
  await looks(3);
  expect(notes).toEqual(['authentication-token-webhook-config-file failure']);
  expect(used.webhooks.authentication?.token).toBe('first');
  writeFileSync(at('word'), 'second\n');
  await looks(3);
  expect(used.webhooks.authentication?.token).toBe('second');
});

test('a configuration that names a file which comes later is taken when it is there', async () => {
  writeFileSync(at('hook'), kubeconfig('later.crt'));
  await looks(3);
  expect(told.at(-1)).toMatch(/later.crt cannot be read/);
  copyFileSync(at('etcd-ca.crt'), at('later.crt'));
  await looks(60);
  expect(used.webhooks.authentication?.ca).toEqual(readFileSync(at('later.crt')));
  expect(notes.at(-1)).toBe('authentication-token-webhook-config-file success');
});

test('what stays refused is told at least once a minute, and not at every look', async () => {
  writeFileSync(at('tokens'), 'no token\n');
  await looks(300);
  expect(notes.length).toBeGreaterThanOrEqual(6);
  expect(notes.length).toBeLessThan(16);
  expect(used.tokens).toMatch(/^[^\n]*token-a[^\n]*\n$/);
  expect(told.join()).not.toContain('no token');
});

test('the former content that comes back after a refusal is told as taken', async () => {
  const before = used;
  rmSync(at('tokens'));
  await looks(3);
  writeFileSync(at('tokens'), 'token-a,ann,1\n');
  await looks(3);
  expect(notes).toEqual(['token-auth-file failure', 'token-auth-file success']);
  expect(used).toBe(before);
});

test('other content of the same size and time of writing is seen', async () => {
  utimesSync(at('tokens'), 1_000, 1_000);
  await looks(3);
  writeFileSync(at('tokens'), 'token-b,ann,1\n');
  utimesSync(at('tokens'), 1_000, 1_000);
  await looks(3);
  expect(used.tokens).toContain('token-b');
});

test('half of a file that somebody writes while it is read is not taken', async () => {
  stopping.abort();
  let isWritten = false;
  const write = (text: string): void => writeFileSync(at('tokens'), text);
  // The writer has truncated the file and written a part when it is read, and the rest after that.
  const tokens = (config: CompletedConfig): CredentialSource[] =>
    sourcesOf(config)
      .filter(({ flag }) => flag === 'token-auth-file')
      .map(({ read, ...source }) => ({
        ...source,
        read: async (...args) => {
          if (!isWritten) write('token-b,ben,2');
          const next = await read(...args);
          if (!isWritten) write('token-b,ben,2,"a,b"\n');
          isWritten = true;
          return next;
        },
      }));
  await begin(tokens);
  await looks(2);
  expect(notes).toEqual(['token-auth-file success']);
  expect(used.tokens).toContain('"a"');
});
