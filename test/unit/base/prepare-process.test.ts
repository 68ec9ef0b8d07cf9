import { spawnSync } from 'node:child_process';
import { cpSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { selfSigned } from '../../support/pki.ts';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const program = ['src', 'base', 'prepare-process.ts'];

/** What a script prints in a Node of its own, after the preparation. */
function prepared(script: string, root = repositoryRoot, extra: NodeJS.ProcessEnv = {}): string {
  const url = pathToFileURL(join(root, ...program)).href;
  const { NODE_COMPILE_CACHE: _given, ...given } = process.env;
  const env = { ...given, ...extra };
  const main = `import { prepareProcess } from '${url}'; prepareProcess(); ${script}`;
  const result = spawnSync(nodeBinary(), ['--input-type=module', '-e', main], { encoding: 'utf8', env });
  return result.stdout + result.stderr;
}

test('the compile cache is beside the program, not in a shared folder', () => {
  const where = prepared(`import m from 'node:module'; console.log(m.getCompileCacheDir());`);
  expect(where).toMatch(new RegExp(`^${join(repositoryRoot, '.orch', 'compile-cache')}/`));
});

test('the folder of the compile cache is created for this user alone', async () => {
  const folder = await makeTempFolder('compile-cache');
  try {
    for (const part of [program, ['src', 'base', 'own-modules.ts']])
      cpSync(join(repositoryRoot, ...part), join(folder.path, ...part), { recursive: true });
    expect(prepared('', folder.path)).toBe('');
    expect(statSync(join(folder.path, '.orch')).mode & 0o777).toBe(0o700);
  } finally {
    await folder.remove();
  }
});

test('SIGUSR1 opens no inspector, also without --disable-sigusr1', () => {
  const script = `process.kill(process.pid, 'SIGUSR1'); setTimeout(() => console.log('alive'), 200);`;
  expect(prepared(script)).toBe('alive\n');
});

/** SIGUSR2 reloads the balancer; the others end no program that is written in Go, such as the one whose place this takes. */
test.each(['SIGUSR2', 'SIGALRM', 'SIGVTALRM', 'SIGPROF', 'SIGIO', 'SIGPWR', 'SIGXCPU'])(
  '%s, which may be meant for another program, ends no process',
  (name) => {
    const script = `process.kill(process.pid, '${name}'); setTimeout(() => console.log('alive'), 200);`;
    expect(prepared(script)).toBe('alive\n');
  },
);

test('no variable switches off the verification of servers, in this process or in its threads', async () => {
  const { cert, key } = await selfSigned('Ed25519');
  const script = `
    import { connect, createServer } from 'node:tls';
    import { Worker } from 'node:worker_threads';
    const server = createServer(${JSON.stringify({ cert, key })}).on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1', () => {
      const socket = connect({ host: '127.0.0.1', port: server.address().port });
      socket.on('secureConnect', () => socket.destroy(console.log('connected')));
      socket.on('error', (error) => console.log(error.code));
      socket.on('close', () => server.close());
    });
    new Worker('console.log(String(process.env.NODE_TLS_REJECT_UNAUTHORIZED))', { eval: true });`;
  const said = prepared(script, repositoryRoot, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }).trim().split('\n');
  expect(said.sort()).toEqual(['DEPTH_ZERO_SELF_SIGNED_CERT', 'undefined']);
});

describe('modules', () => {
  /** What a module below a built service, with the copy of what finds its modules, prints. */
  async function printedBy(files: Readonly<Record<string, string>>): Promise<string> {
    const folder = await makeTempFolder('modules');
    try {
      const own = join(folder.path, 'dist', 'base', 'own-modules.ts');
      cpSync(join(repositoryRoot, 'src', 'base', 'own-modules.ts'), own, { recursive: true });
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, 'dist', name), text);
      const url = pathToFileURL(own).href;
      const main = `import { resolveOwnModules } from '${url}'; resolveOwnModules();
        await import('${pathToFileURL(join(folder.path, 'dist', 'main.mjs')).href}');`;
      const result = spawnSync(nodeBinary(), ['--input-type=module', '-e', main], { encoding: 'utf8' });
      return result.stdout + result.stderr;
    } finally {
      await folder.remove();
    }
  }

  test('of the service find each other without package.json; those of packages and missing ones are as ever', async () => {
    const printed = await printedBy({
      // Nobody looks at it.
      'package.json': '{ "type": "commonjs" }',
      'base/package.json': '{ "type": "module" }',
      'main.mjs': `import { more } from './more.js'; import { join } from 'node:path';
        console.log(more, join('a', 'b')); await import('./none.js').catch(() => console.log('missing'));`,
      'more.js': `import { createRequire } from 'node:module'; import other from './other.cjs';
        export const more = [other, createRequire(import.meta.url)('./other.cjs')].join();`,
      'other.cjs': `module.exports = 'other';`,
    });
    expect(printed).toBe('other,other a/b\nmissing\n');
  });
});
