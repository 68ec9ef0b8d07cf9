/**
 * Time, timers and randomness of a replica come from the environment that its composition hands in, later turns from the
 * event loop in use: a simulation drives both. What uses those of the machine is listed here, with the reason.
 */
import { sourceFiles } from '../../tools/source-files.ts';

const direct = new RegExp(
  [
    String.raw`(?<![.\w#])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\(`,
    String.raw`\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b`,
    String.raw`(?<!\.)\b(?:randomUUID|randomBytes|randomInt)\(`,
    String.raw`node:timers|\bAbortSignal\.timeout\b|\bsystem(?:Clock|Random|Environment)\b`,
  ].join('|'),
);

/** Files, and folders (which end in a slash), that use those of the machine. */
const exempt: Readonly<Record<string, string>> = {
  'base/clock.ts': 'is the clock of the machine',
  'base/random.ts': 'is the randomness of the machine',
  'base/environment.ts': 'puts both together',
  'base/event-loop.ts': 'is the event loop of the machine',
  'base/host-names.ts': 'files of this machine, which may change at any time',
  'base/coalesced.ts': 'microtasks run in the same turn, in order',
  'base/nameless-authorities.ts': 'TLS of Node: certificates are of the time of the machine',
  'storage/storage.ts': 'the default of a storage that is given neither',
  'storage/feed/feeds.ts': 'microtasks run in the same turn, in order',
  'storage/encryption/': 'keys and nonces are always random',
  'storage/etcd/http2/': 'sockets of Node; a simulation has connections of its own',
  'storage/etcd/node-http2/': 'sockets of Node',
  'memory-etcd/': 'microtasks run in the same turn, in order',
  'authn/basic.ts': 'keys of digests are secrets of the process',
  'authn/token-file.ts': 'keys of digests are secrets of the process',
  'server/run.ts': 'begins a process: hands in what the machine has',
  'server/worker-main.ts': 'begins a process: hands in what the machine has',
  'server/serving-thread-main.ts': 'begins a thread: hands in what the machine has',
  'server/write-thread.ts': 'begins a thread: hands in what the machine has',
  'server/credential-files.ts': 'looks at files of the machine',
  'registry/conversion/manifest-converter.ts': 'is a command, not a replica',
  'options/': 'reads flags and files when a process begins',
  'http/server.ts': 'sockets of Node: draining ends those',
  'http/connection-gate.ts': 'sockets of Node: deadlines of handshakes',
  'base/handshake-bytes.ts': 'sockets of Node: looks for bytes of handshakes',
  'http/idle-ends.ts': 'sockets of Node: draining ends those',
  'http/late-turns.ts': 'sockets of Node: handshakes whose clients are late are read in turns',
  'http/gone-clients.ts': 'sockets of Node: looks at those whose clients may be gone',
  'http/unread-body.ts': 'sockets of Node: a client reads the response before its connection is closed',
  'http/session-chains.ts': 'TLS of Node: keys of tickets are secrets of the process',
  'http/http2/http2-connections.ts': 'sockets of Node: pings and idle connections',
  'http/http2/session-reading.ts': 'sockets of Node: a session reads on once its writes are sent',
  'http/openapi/remote/': 'threads of this machine',
  'observe/log-output.ts': 'writes to a descriptor of the process, also while it exits',
  'cli/': 'a process of the operator',
  'local-etcd/': 'another process of this machine',
  'pki/': 'keys and dates of certificates that a command issues',
  'restore/': 'a command, not a replica',
  'workers/': 'processes of this machine',
  'testing/': 'waits for the service as a client in the time of the machine; hands a replica its environment',
  'write-threads/': 'threads of this machine',
};

function isExempt(path: string): boolean {
  return Object.keys(exempt).some((name) => (name.endsWith('/') ? path.startsWith(name) : path === name));
}

/** Lines with a direct use, without comments. */
function uses(path: string, text: string): string[] {
  return text
    .split('\n')
    .map((line, i) => ({ line, at: `src/${path}:${String(i + 1)}` }))
    .filter(({ line }) => direct.test(line) && !/^\s*(?:\*|\/\*|\/\/)/.test(line))
    .map(({ line, at }) => `${at}: ${line.trim()}`);
}

test.each([
  'const timer = setTimeout(run, 5);',
  'setImmediate(() => run());',
  'const since = performance.now();',
  'const at = new Date();',
  'const pick = Math.floor(Math.random() * 3);',
  'const id = randomUUID();',
  'const signal = AbortSignal.timeout(5);',
  "import { setTimeout as delay } from 'node:timers/promises';",
  'run(systemClock);',
])('the check finds %s', (line) => {
  expect(uses('a.ts', line)).toHaveLength(1);
});

test.each([
  'clock.setTimeout(run, 5);',
  'const at = new Date(clock.now());',
  '// Date.now() may go back',
  'random.uuid();',
])('the check lets %s pass', (line) => {
  expect(uses('a.ts', line)).toEqual([]);
});

test('time and randomness come from the environment, but for the files that are named', () => {
  const files = sourceFiles(['.ts']).filter((file) => !isExempt(file.path));
  expect(files.flatMap((file) => uses(file.path, file.text))).toEqual([]);
});

test('every exemption is used', () => {
  const users = sourceFiles(['.ts']).filter((file) => uses(file.path, file.text).length > 0);
  const unused = Object.keys(exempt).filter(
    (name) => !users.some(({ path }) => (name.endsWith('/') ? path.startsWith(name) : path === name)),
  );
  expect(unused).toEqual([]);
});
