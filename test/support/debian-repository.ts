/** A repository of Debian packages in a folder, and an apt that knows only that. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './paths.ts';

/** Whether this machine can make and read packages. */
export const hasDebian = ['apt-get', 'dpkg', 'dpkg-deb'].every((name) => findProgram(name) !== undefined);

export interface DebianRepository {
  /** Settings of apt, for `APT_CONFIG`. Its lists have not been read yet. */
  readonly settings: string;
  /** Whether apt has read lists into those of the machine, or done what the machine does after an update. */
  isTouched(): boolean;
}

/**
 * Makes a repository with one package, which has one program.
 * @param folder an empty one, or one that does not exist
 * @param program file that becomes `/usr/bin/<name>`
 */
export function makeDebianRepository(
  folder: string,
  packageName: string,
  name: string,
  program: string,
): DebianRepository {
  const at = (...names: readonly string[]): string => join(folder, ...names);
  for (const part of ['content/DEBIAN', 'content/usr/bin', 'packages', 'lists/partial', 'archives/partial'])
    mkdirSync(at(part), { recursive: true });
  copyFileSync(program, at('content/usr/bin', name));
  chmodSync(at('content/usr/bin', name), 0o755);
  const about = controlOf(packageName);
  writeFileSync(at('content/DEBIAN/control'), about);
  buildPackage(at('content'), at('packages', `${packageName}.deb`));
  writeFileSync(at('packages/Packages'), about + placeOf(at('packages'), `${packageName}.deb`));
  writeFileSync(at('sources.list'), `deb [trusted=yes] file:${at('packages')} ./\n`);
  writeFileSync(at('apt.conf'), settingsOf(at));
  const isRead = (): boolean => readdirSync(at('lists')).some((list) => list.includes('packages'));
  return { settings: at('apt.conf'), isTouched: () => isRead() || existsSync(at('hook')) };
}

function controlOf(packageName: string): string {
  const { stdout } = spawnSync('dpkg', ['--print-architecture'], { encoding: 'utf8' });
  const lines = [
    ...[`Package: ${packageName}`, 'Version: 3.4.0-1', `Architecture: ${stdout.trim()}`],
    ...['Maintainer: Tests <tests@shop.test>', 'Description: of tests'],
  ];
  return `${lines.join('\n')}\n`;
}

function buildPackage(content: string, archive: string): void {
  const { status } = spawnSync('dpkg-deb', ['-Znone', '--build', content, archive]);
  if (status !== 0) throw new Error(`no package was made of ${content}`);
}

function placeOf(folder: string, name: string): string {
  const file = join(folder, name);
  const sum = createHash('sha256').update(readFileSync(file)).digest('hex');
  return `Filename: ./${name}\nSize: ${String(statSync(file).size)}\nSHA256: ${sum}\n`;
}

function settingsOf(at: (...names: readonly string[]) => string): string {
  const settings = {
    ...{ 'Dir::Etc::sourcelist': at('sources.list'), 'Dir::Etc::sourceparts': '/dev/null' },
    ...{ 'Dir::State::lists': at('lists'), 'Dir::Cache': at(), 'APT::Sandbox::User': '' },
    'Acquire::Languages': 'none',
    'APT::Update::Post-Invoke::': `touch ${at('hook')}`,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} "${value}";\n`)
    .join('');
}
