/** The engine `etcd`, and the command, on a machine without etcd: it is fetched out of a Debian package, or what to do is said. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { hasDebian, makeDebianRepository, type DebianRepository } from '../../support/debian-repository.ts';
import { etcdBinary, findProgram, nodeBinary } from '../../support/paths.ts';
import { Service } from '../../support/service.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const program = join(import.meta.dirname, 'support', 'forgetful.ts');

let folder: TempFolder;
const at = (...names: readonly string[]): string => join(folder.path, ...names);

beforeAll(async () => {
  folder = await makeTempFolder('fetched');
  for (const name of ['programs', 'project', 'tmp']) mkdirSync(at(name));
  linkPrograms();
});

afterAll(() => folder.remove());

/** All programs of this machine but etcd. */
function linkPrograms(): void {
  const seen = new Set(['etcd']);
  for (const place of (process.env['PATH'] ?? '').split(delimiter))
    for (const name of namesIn(place)) {
      if (!seen.has(name)) symlinkSync(join(place, name), at('programs', name));
      seen.add(name);
    }
}

function namesIn(place: string): readonly string[] {
  try {
    return readdirSync(place);
  } catch {
    return [];
  }
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a control plane with engine `etcd` in an empty project. */
function started(env: NodeJS.ProcessEnv): Ended {
  const own = { ...process.env, XDG_CACHE_HOME: at('cache'), TMPDIR: at('tmp'), ...env };
  const options = { cwd: at('project'), encoding: 'utf8', timeout: 100_000, env: own } as const;
  return spawnSync(nodeBinary(), [program, 'etcd'], options);
}

/** An apt that knows only a repository with etcd, and has not read its list yet. */
function debianWithEtcd(): DebianRepository {
  rmSync(at('debian'), { recursive: true, force: true });
  return makeDebianRepository(at('debian'), 'etcd-server', 'etcd', etcdBinary());
}

test('without etcd and without a way to fetch it, the error says what to do', () => {
  const { status, stderr } = started({ PATH: '/nowhere' });
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /no etcd is in PATH or \S+\.orch\/bin, and none could be fetched \(apt-get is not in PATH\)/,
  );
  expect(stderr).toMatch(
    /install etcd 3\.4 or newer, .* `etcdServers`, or leave out `engine`.*\[ETCD_MISSING\]/,
  );
});

test('a folder that cannot be written is named', () => {
  writeFileSync(at('file'), '');
  const { stderr } = started({ PATH: at('programs'), XDG_CACHE_HOME: at('file') });
  expect(stderr).toMatch(hasDebian ? /none could be fetched \(E.*file/ : /is not in PATH\)/);
});

const where = hasDebian ? test : test.skip;

where('etcd is fetched once, also where package lists are missing, and the machine stays as it is', () => {
  const repository = debianWithEtcd();
  const environment = { PATH: at('programs'), APT_CONFIG: repository.settings };
  const first = started(environment);
  expect({ status: first.status, stderr: first.stderr }).toEqual({ status: 0, stderr: '' });
  expect(first.stdout).toMatch(/kubeconfig$/m);
  expect(readdirSync(at('cache', 'orch-apiserver'))).toEqual(['bin']);
  expect(readdirSync(at('project'))).toEqual([]);
  // Lists and cache of the machine, and what it does after an update.
  expect(repository.isTouched()).toBe(false);
  rmSync(at('programs', 'apt-get'));
  const later = started(environment);
  expect({ status: later.status, stderr: later.stderr }).toEqual({ status: 0, stderr: '' });
});

where(
  'the command fetches it, too',
  async () => {
    const repository = debianWithEtcd();
    rmSync(at('programs', 'apt-get'), { force: true });
    symlinkSync(String(findProgram('apt-get')), at('programs', 'apt-get'));
    rmSync(at('cache'), { recursive: true, force: true });
    const env = { PATH: at('programs'), APT_CONFIG: repository.settings, XDG_CACHE_HOME: at('cache') };
    const service = await Service.start(at('data'), [], env);
    await service.stop();
    expect(readdirSync(at('cache', 'orch-apiserver'))).toEqual(['bin']);
    expect(repository.isTouched()).toBe(false);
  },
  60_000,
);
