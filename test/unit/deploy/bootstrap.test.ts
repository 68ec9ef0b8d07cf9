/** The bootstrap's tools, each in a process of its own: they are plain JavaScript, and signals are what they handle. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { evaluateInBootstrap as evaluate } from '../../support/bootstrap-script.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const { ORCH_TEST_RUN: _mark, ...ownEnvironment } = process.env;

test('an unknown command gets one line and a code that is not 0', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'deploy/bootstrap.mjs'), 'jump'], {
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toBe(
    'orch-apiserver: unknown command jump: use one of start, test, bench, simulate, build\n',
  );
});

test('npm start with too few open files is one sentence, and sets nothing up', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const script = (scripts['start'] ?? '').replace(/exec .*$/, 'echo set up');
  const ask = (files: number): string => {
    const { stdout, stderr } = spawnSync('sh', ['-c', `ulimit -n ${String(files)}; ${script}`], {
      cwd: root,
      encoding: 'utf8',
    });
    return stdout + stderr;
  };
  expect(ask(24)).toBe(
    'orch-apiserver: only 24 files may be open at once; raise the limit (ulimit -n) to 1024 or more [LIMIT_TOO_LOW]\n',
  );
  expect(ask(256)).toBe('set up\n');
});

describe('a set-up step', () => {
  const step = (script: string): string =>
    `import { step } from './run.mjs'; step('tool installed', process.execPath, ['-e', ${JSON.stringify(script)}]);`;

  test('is one line when it goes well', () => {
    const { code, out, err } = evaluate(step('console.log("noise")'));
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toMatch(/^orch-apiserver: tool installed \(\d+\.\d s\)$/);
  });

  test('shows its output when it fails', () => {
    const { code, err } = evaluate(step('console.log("the cause"); process.exit(3)'));
    expect(code).toBe(1);
    expect(err).toMatch(/^the cause\n/);
    expect(err).toMatch(/not tool installed: .* ended with code 3/);
  });

  test('does not wait for a service that it started', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'orch-service-')), 'pid');
    const service = `const { pid } = require('child_process').spawn('sleep', ['60'], { stdio: 'inherit', detached: true });
      require('fs').writeFileSync('${file}', String(pid)); process.exit()`;
    const started = Date.now();
    const { code } = evaluate(step(service));
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
    rmSync(dirname(file), { recursive: true });
    expect(code).toBe(0);
    expect(Date.now() - started).toBeLessThan(30_000);
  });
});

describe('a program in the foreground', () => {
  const foreground = (script: string): string =>
    `import { foreground } from './run.mjs';
     process.exitCode = await foreground(process.execPath, ['-e', ${JSON.stringify(script)}], { limitMs: 20_000 });`;

  test('gives its exit code', () => {
    expect(evaluate(foreground('process.exit(7)')).code).toBe(7);
  });

  test('gives 128 and the number of the signal that ended it', () => {
    expect(evaluate(foreground('process.kill(process.pid, "SIGKILL")')).code).toBe(137);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('gets %s and is waited for', async (signal) => {
    const script = `process.once('${signal}', () => setTimeout(() => process.exit(5), 200));
      setInterval(() => {}, 1000); console.log('up');`;
    const resolved = foreground(script).replaceAll(`'./`, `'${join(root, 'deploy', 'bootstrap')}/`);
    const child = spawn(process.execPath, ['--input-type=module', '-e', resolved], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([5, null]);
  });
});

describe('the plan of a test run', () => {
  const files = ['unit/base/json.test.ts', 'unit/http/chain.test.ts', 'integration/http/server.test.ts'];
  const plan = (...words: string[]): { code: number | null; out: string; err: string } =>
    evaluate(
      `import { testPlan } from './test-plan.mjs';
       console.log(JSON.stringify(testPlan(${JSON.stringify(words)}, ${JSON.stringify(files)})))`,
    );

  test.each<[string[], unknown]>([
    [['unit'], [{ name: 'unit', patterns: [] }]],
    [['unit', 'base'], [{ name: 'unit', patterns: ['base'] }]],
    [['base/json'], [{ name: 'unit', patterns: ['base/json\\.test\\.ts$'] }]],
    [['test/unit/base/json.test.ts'], [{ name: 'unit', patterns: ['base/json\\.test\\.ts$'] }]],
    [
      ['http/'],
      [
        { name: 'unit', patterns: ['http/chain\\.test\\.ts$'] },
        { name: 'integration', patterns: ['http/server\\.test\\.ts$'] },
      ],
    ],
  ])('%p', (words, want) => {
    expect(JSON.parse(plan(...words).out)).toEqual(want);
  });

  test('is everything without a word', () => {
    const names = (JSON.parse(plan().out) as { name: string }[]).map(({ name }) => name);
    const suites = [
      'unit',
      'golden',
      'simulation',
      'examples',
      'integration',
      'newer-etcd',
      'cluster',
      'clients',
    ];
    expect(names).toEqual(['types', 'lint', 'format', 'build', ...suites]);
  });

  test('is an error where nothing matches', () => {
    const { code, err } = plan('nonsense');
    expect(code).toBe(1);
    expect(err).toContain('no stage and no test file matches nonsense: stages are types, lint,');
  });
});

describe('the etcd that tests run on', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orch-programs-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  /** With nothing on PATH but an etcd that says to be of this version. */
  const run = (script: string, version: string, variables: Record<string, string> = {}): string => {
    for (const name of ['etcd', 'etcdctl'])
      writeFileSync(
        join(folder, name),
        `#!/bin/sh\necho '${name === 'etcd' ? 'etcd Version' : 'etcdctl version'}: ${version}'\n`,
        { mode: 0o755 },
      );
    const set = { ORCH_TEST_ETCD_BIN: '', ORCH_TEST_ETCD_VERSION: '', PATH: folder, ...variables };
    return evaluate(`Object.assign(process.env, ${JSON.stringify(set)});\n${script}`).out;
  };
  const chosen = `import { ensureTestEtcd } from './test-etcd.mjs';
    try { ensureTestEtcd(); console.log(process.env.ORCH_TEST_ETCD_BIN || 'that of PATH'); }
    catch (error) { console.log(error.message); }`;

  test.each<[string, Record<string, string>, string]>([
    ['by default', {}, 'that of PATH'],
    ['a folder', { ORCH_TEST_ETCD_BIN: folder }, folder],
    ['a folder without it', { ORCH_TEST_ETCD_BIN: '/nowhere' }, 'no etcd in ORCH_TEST_ETCD_BIN=/nowhere:'],
    ['the release of PATH', { ORCH_TEST_ETCD_VERSION: '3.9' }, 'that of PATH'],
    ['exactly that', { ORCH_TEST_ETCD_VERSION: '3.9.1' }, 'that of PATH'],
    ['a release that is nowhere', { ORCH_TEST_ETCD_VERSION: '3.9.10' }, 'no etcd 3.9.10 found:'],
    ['no release', { ORCH_TEST_ETCD_VERSION: 'latest' }, 'ORCH_TEST_ETCD_VERSION=latest is no release:'],
  ])('%s', (_, variables, want) => {
    expect(run(chosen, '3.9.1', variables)).toContain(want);
  });

  const beside = `import { newerEtcd } from './test-etcd.mjs'; console.log(JSON.stringify(newerEtcd()));`;
  test.each<[string, string, Record<string, string>, string]>([
    ['the machine has a newer one', '3.5.30', {}, 'the tests before ran on etcd 3.5.30'],
    ['one was chosen', '3.4.23', { ORCH_TEST_ETCD_VERSION: '3.4' }, 'ran on an etcd that was chosen'],
    ['what PATH has does not run', '; exit 1', {}, 'no etcd found'],
  ])('a second one is left out where %s', (_, version, variables, reason) => {
    expect(JSON.parse(run(beside, version, variables))).toEqual({
      reason: expect.stringContaining(reason) as string,
    });
  });

  test('no other suite of Debian is asked where there is no apt', () => {
    const script = `import { takePrograms } from './debian-suite.mjs';
      console.log(takePrograms(['etcd-server'], 'trixie', '${folder}/taken'));`;
    expect(run(script, '3.4.23')).toBe('false');
  });
});

describe('leftovers of a test run', () => {
  const endLeftovers = `import { endLeftovers } from './leftovers.mjs';
    console.log((await endLeftovers(process.argv[1], 3_000)).join('\\n'));`;
  const sleeper = (mark: string, seconds = '60'): ChildProcess =>
    spawn('sleep', [seconds], { env: { ...ownEnvironment, ORCH_TEST_RUN: mark }, stdio: 'ignore' });
  const mark = `bootstrap-test-${String(process.pid)}`;
  const onLinux = process.platform === 'linux' ? test : test.skip;

  onLinux('are found by their mark and ended, others are left alone', async () => {
    const marked = sleeper(mark);
    const other = sleeper(`${mark}-other`);
    const ended = once(marked, 'exit');
    expect(evaluate(endLeftovers, mark).out).toBe(`${String(marked.pid)} sleep 60`);
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(other.exitCode ?? other.signalCode).toBeNull();
    other.kill();
  });

  onLinux('are none when a process ends within the time of grace', async () => {
    const child = sleeper(mark, '1');
    const ended = once(child, 'exit');
    expect(evaluate(endLeftovers, mark).out).toBe('');
    expect(await ended).toEqual([0, null]);
  });
});

describe('the record of a build', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  function newFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'orch-build-'));
    folders.push(folder);
    return folder;
  }

  function git(folder: string, ...words: string[]): string {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
    return spawnSync('git', [...identity, ...words], { cwd: folder, encoding: 'utf8' }).stdout.trim();
  }

  function recorded(folder: string, isNew: boolean, environment = {}): Record<string, string> {
    // Not in the folder, of which it would be a change.
    const file = join(folders[1] ?? '', 'build.json');
    const options = JSON.stringify({ file, isNew, environment });
    const { code, err } = evaluate(
      `import { recordBuild } from './build-info.mjs'; recordBuild('${folder}', ${options});`,
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  }

  test('has the commit of a clone, its state and the time of the build', () => {
    const clone = newFolder();
    newFolder();
    git(clone, 'init', '-q');
    git(clone, 'commit', '-q', '--allow-empty', '-m', 'first');
    const first = recorded(clone, true);
    expect(first).toEqual({
      gitCommit: git(clone, 'rev-parse', 'HEAD'),
      gitTreeState: 'clean',
      buildDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as unknown,
    });
    writeFileSync(join(clone, 'edited'), '');
    expect(recorded(clone, false)).toEqual({ ...first, gitTreeState: 'dirty' });
  });

  test('without a clone has what the environment says', () => {
    const folder = newFolder();
    newFolder();
    expect(recorded(folder, true)).toMatchObject({ gitCommit: '', gitTreeState: '' });
    const environment = { GIT_COMMIT: 'abc', GIT_TREE_STATE: 'clean' };
    expect(recorded(folder, false, environment)).toMatchObject({ gitCommit: 'abc', gitTreeState: 'clean' });
  });
});

/** The packages of this checkout, as if they were installed there: were they installed anew, those of this checkout would stay. */
function linkPackages(folder: string): void {
  mkdirSync(folder);
  const stamp = '.orch-setup';
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== stamp) symlinkSync(join(root, 'node_modules', name), join(folder, name));
  const lock = readFileSync(join(root, 'package-lock.json'));
  writeFileSync(join(folder, stamp), createHash('sha256').update(lock).digest('hex'));
}

describe('a build', () => {
  let checkout: string;
  const at = (...parts: string[]): string => join(checkout, ...parts);
  const build = (): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [at('deploy/bootstrap.mjs'), 'build'], { encoding: 'utf8' });
  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), 'orch-build of a checkout-'));
    for (const name of [
      'deploy',
      'tsconfig.json',
      'package.json',
      'package-lock.json',
      'test/tools/tsconfig.build.json',
    ])
      cpSync(join(root, name), at(name), { recursive: true });
    linkPackages(at('node_modules'));
    // Of the sources, what the steps behind the compiler work on.
    for (const folder of ['schema', 'api', 'testing/host']) mkdirSync(at('src', folder), { recursive: true });
    writeFileSync(at('src/main.ts'), 'export const made: number = 1;\n');
    writeFileSync(at('src/schema/declarations.ts'), 'export function writeDeclarations(): void {}\n');
    writeFileSync(at('src/testing/index.ts'), 'export {};\n');
    writeFileSync(at('src/testing/host/answer-messages.ts'), 'export {};\n');
    writeFileSync(at('src/testing/host/write-beginning.ts'), 'export function writeBeginning(): void {}\n');
  });
  afterEach(() => {
    rmSync(checkout, { recursive: true });
  });

  test('that fails leaves the former one, from which a service may run', () => {
    expect(build().status).toBe(0);
    expect(readFileSync(at('dist/main.js'), 'utf8')).toContain('made = 1');
    writeFileSync(at('src/main.ts'), 'export const made: number = "two";\n');
    expect(build().status).toBe(1);
    expect(readFileSync(at('dist/main.js'), 'utf8')).toContain('made = 1');
    writeFileSync(at('src/main.ts'), 'export const made: number = 3;\n');
    expect(build().status).toBe(0);
    expect(readFileSync(at('dist/main.js'), 'utf8')).toContain('made = 3');
    expect(readdirSync(at('.orch'))).toEqual([]);
  });

  test('leaves nothing of a removed source', () => {
    writeFileSync(at('src/more.ts'), 'export const more = 1;\n');
    expect(build().status).toBe(0);
    rmSync(at('src/more.ts'));
    expect(build().status).toBe(0);
    expect(existsSync(at('dist/more.js'))).toBe(false);
  });

  test('beside another one: both end well', async () => {
    const run = async (): Promise<number | null> => {
      const child = spawn(process.execPath, [at('deploy/bootstrap.mjs'), 'build'], { stdio: 'ignore' });
      return ((await once(child, 'exit')) as [number | null])[0];
    };
    expect(await Promise.all([run(), run(), run()])).toEqual([0, 0, 0]);
    expect(readFileSync(at('dist/main.js'), 'utf8')).toContain('made = 1');
    expect(readdirSync(at('.orch'))).toEqual([]);
  });
});
