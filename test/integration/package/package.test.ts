/** The package as its users have it: packed, installed into an empty project, and used there. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';
import { readmeText } from '../../support/readme.ts';
import { Project, type Ended } from './support/project.ts';
import { rulesTest } from './support/rules-test.ts';

const olderNodes = ['20.15.0', '22.13.0', '24.21.0'];
const platform = `node-${process.platform}-${process.arch}`;

let project: Project;

beforeAll(async () => {
  const nodes = olderNodes.map((version) => `node-${version}@npm:${platform}@${version}`);
  project = await Project.with([
    '@kubernetes/client-node',
    '@types/node',
    'vitest@5.1.1',
    'jest-environment-jsdom@30',
    'jest',
    'ts-jest@29.4.15',
    'typescript',
    '@types/jest',
    ...nodes,
  ]);
}, 240_000);

afterAll(async () => {
  await project.remove();
});

function olderNode(version: string): string {
  return join(project.folder, 'node_modules', `node-${version}`, 'bin', 'node');
}

function inRepository(...parts: string[]): string {
  return join(repositoryRoot, 'node_modules', ...parts);
}

const body = `
  const controlPlane = await startControlPlane({ users: [{ name: 'jane' }] });
  const about = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } };
  await controlPlane.admin.create({ ...about, data: { level: 'high' } });
  const found = await controlPlane.until(about, (map) => map?.data?.level === 'high');
  equal(found.metadata.namespace, 'default');
  const refused = await controlPlane.as('jane').get(about).catch((error) => error);
  equal(refused instanceof ApiError, true);
  equal(await controlPlane.reset() > 0, true);
  equal(await controlPlane.admin.find(about), undefined);
  const failed = await startControlPlane({ flags: { 'event-ttl': 'x' } }).catch((error) => error);
  equal(failed instanceof StartError, true);
  await controlPlane.stop();
`;
const names = '{ ApiError, StartError, startControlPlane }';
const nodeTest = `test('a control plane', async () => {${body}});`;
const jestTest = `const equal = (a, b) => expect(a).toBe(b);\n${nodeTest}`;

const http2Test = `test('a client of HTTP/2', async () => {
  const controlPlane = await startControlPlane({ users: [{ name: 'jane' }] });
  const { token } = controlPlane.kubeconfig('jane').users[0].user;
  const session = connect(controlPlane.url, { ca: controlPlane.ca, servername: 'localhost' });
  const headers = await new Promise((resolve, reject) => {
    const request = session.request({ ':path': '/version', authorization: 'Bearer ' + token });
    request.on('error', reject).on('response', (found) => request.resume().on('end', () => resolve(found)));
  });
  equal(headers[':status'], 200);
  equal(headers['x-kubernetes-pf-flowschema-uid'].length, 36);
  session.close();
  await controlPlane.stop();
});`;

/** A flag makes the second one make all of it itself. */
const beginningTest = `test('what the build has made is what a start makes', async () => {
  const [built, made] = [await startControlPlane(), await startControlPlane({ flags: { 'event-ttl': '2h' } })];
  const kinds = [
    ...['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map((kind) => ['rbac.authorization.k8s.io/v1', kind]),
    ...['FlowSchema', 'PriorityLevelConfiguration'].map((kind) => ['flowcontrol.apiserver.k8s.io/v1beta1', kind]),
    ...[['v1', 'Namespace'], ['scheduling.k8s.io/v1', 'PriorityClass'], ['apiregistration.k8s.io/v1', 'APIService']],
  ];
  const own = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'lastTransitionTime', 'lastUpdateTime'];
  const text = (value) => JSON.stringify(value, (name, found) => (own.includes(name) ? undefined : found), 1);
  for (const [apiVersion, kind] of kinds) {
    const [given, expected] = await Promise.all([built, made].map(async (plane) => {
      await plane.settled();
      return (await plane.admin.list({ apiVersion, kind })).items;
    }));
    equal(given.length > 0, true);
    equal(text(given), text(expected));
    if (kind === 'PriorityClass') equal(new Set(given.map(({ metadata }) => metadata.resourceVersion)).size, 1);
  }
  await Promise.all([built.stop(), made.stop()]);
});`;

const loadsProgram = `import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load: (url, context, next) => loaded.push(url) && next(url, context) });
const { startControlPlane } = await import('orch-apiserver/testing');
const controlPlane = await startControlPlane();
const others = loaded.filter((url) => !url.includes('/orch-apiserver/dist/'));
console.log(others.sort().join());
await controlPlane.stop();`;

const files = {
  'loads.mjs': loadsProgram,
  'beginning.mjs': `import { equal } from 'node:assert/strict';\nimport { test } from 'node:test';\nimport ${names} from 'orch-apiserver/testing';\n${beginningTest}`,
  'esm.mjs': `import { equal } from 'node:assert/strict';\nimport { connect } from 'node:http2';\nimport { test } from 'node:test';\nimport ${names} from 'orch-apiserver/testing';\n${nodeTest}\n${http2Test}\n${rulesTest}`,
  'commonjs.cjs': `const { equal } = require('node:assert/strict');\nconst { test } = require('node:test');\nconst ${names} = require('orch-apiserver/testing');\n${nodeTest}`,
  'jest/one.test.js': `const ${names} = require('orch-apiserver/testing');\n${jestTest}`,
  'jest/two.test.js': `const ${names} = require('orch-apiserver/testing');\n${jestTest}`,
  'forgetful/one.test.js': `const { startControlPlane } = require('orch-apiserver/testing');
    test('a control plane that nothing stops', async () => {
      const controlPlane = await startControlPlane();
      await controlPlane.admin.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } });
    });`,
  'esm-jest/one.test.mjs': `import { connect } from 'node:http2';\nimport ${names} from 'orch-apiserver/testing';\n${jestTest}\n${http2Test}`,
  'jsdom/one.test.js': `/** @jest-environment jsdom */\nconst ${names} = require('orch-apiserver/testing');\n${jestTest}`,
  'vitest/one.test.mjs': `import { expect, test } from 'vitest';\nimport ${names} from 'orch-apiserver/testing';\n${jestTest}`,
};

/** What a first test in TypeScript has: a client, typed objects, matchers in both directions, a release. */
const typedTest = `
import { CoreV1Api, KubeConfig, type V1ConfigMap } from '@kubernetes/client-node';
import { startControlPlane } from 'orch-apiserver/testing';
import { matchers } from 'orch-apiserver/testing/matchers';

expect.extend(matchers);

test('objects as they come from a client', async () => {
  const controlPlane = await startControlPlane({ release: '1.30' });
  try {
    expect(await controlPlane.admin.request({ method: 'GET', path: '/version' })).toMatchObject({ minor: '30' });
    const config = new KubeConfig();
    config.loadFromString(controlPlane.kubeconfigText());
    const api = config.makeApiClient(CoreV1Api);
    const body: V1ConfigMap = { metadata: { name: 'one', labels: { size: 'l' }, finalizers: ['shop.test/fold'] } };
    const created: V1ConfigMap = await api.createNamespacedConfigMap({ namespace: 'default', body });
    expect(created).toHaveLabel('size', 'l');
    expect(created).not.toBeTerminating();
    expect(() => expect(created).toHaveFinalizer('other')).toThrow(/shop\\.test\\/fold/);
    const about = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } };
    const found = await controlPlane.until<V1ConfigMap>(about, (map) => map !== undefined);
    expect(found.metadata?.labels?.size).toBe('l');
    expect(await controlPlane.until(about, (map) => map !== undefined)).toHaveLabel('size');
    await expect(controlPlane.admin.create({ ...about, data: {} })).rejects.toBeRefusedWith('AlreadyExists');
  } finally {
    await controlPlane.stop();
  }
});
`;

beforeAll(() => {
  for (const [name, text] of Object.entries(files)) project.write(name, text);
});

function expectSuccess({ code, output }: Ended): void {
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
}

/** The controller of the guide with its first test. */
function guideCode(): string {
  const [code] = [...readmeText('README.md').matchAll(/```js\n([\s\S]*?)```/g)].map((match) => match[1]);
  return code ?? '';
}

test('the code of the guide is a first test that passes, as it stands there', async () => {
  project.write('guide/welcome.test.mjs', guideCode());
  const ended = await project.run(nodeBinary(), ['--test', 'guide/welcome.test.mjs']);
  expectSuccess(ended);
  expect(ended.output).toContain('a new namespace is welcomed');
});

test('the test of the guide ends also when it fails', async () => {
  project.write('guide/wrong.test.mjs', guideCode().replace('`Hello ${name}`', "'Hi'"));
  const ended = await project.run(nodeBinary(), ['--test', 'guide/wrong.test.mjs']);
  // The last line of the runner, which one that hangs never writes.
  expect(ended.output).toMatch(/\bfail 1\b/);
  expect(ended.output).toContain('Hello shop');
});

/** As the guide says, for a client made of ES modules. */
test('Jest in TypeScript, with @kubernetes/client-node and the matchers', async () => {
  project.write('typescript/package.json', '{ "type": "module", "private": true }');
  const preset = `import { createDefaultEsmPreset } from 'ts-jest';\nexport default createDefaultEsmPreset();\n`;
  project.write('typescript/jest.config.js', preset);
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2022', strict: true, skipLibCheck: true },
    ...{ isolatedModules: true, types: ['jest', 'node'] },
  };
  project.write('typescript/tsconfig.json', JSON.stringify({ compilerOptions }));
  project.write('typescript/one.test.ts', typedTest);
  const jest = join(project.folder, 'node_modules', 'jest', 'bin', 'jest.js');
  const args = ['--experimental-vm-modules', jest, '--testTimeout=60000', '-c', 'typescript/jest.config.js'];
  const ended = await project.run(nodeBinary(), args);
  expectSuccess(ended);
  expect(ended.output).toMatch(/Tests:\s+1 passed, 1 total/);
  const checked = [join(project.folder, 'node_modules', 'typescript', 'bin', 'tsc'), '--noEmit', '-p'];
  expectSuccess(await project.run(nodeBinary(), [...checked, 'typescript']));
});

test('Vitest in TypeScript, with @kubernetes/client-node and the matchers', async () => {
  const vitestNames = `import { expect, test } from 'vitest';\n`;
  project.write(
    'typescript-vitest/one.test.ts',
    vitestNames + typedTest.replace(/testing\/matchers/, '$&/vitest'),
  );
  const ended = await runVitest('typescript-vitest');
  expectSuccess(ended);
  expect(ended.output).toMatch(/Tests\s+1 passed/);
  const settings = { module: 'nodenext', target: 'es2022', strict: true, skipLibCheck: true, noEmit: true };
  const compilerOptions = { ...settings, types: ['node'] };
  project.write('typescript-vitest/package.json', '{ "type": "module", "private": true }');
  project.write('typescript-vitest/tsconfig.json', JSON.stringify({ compilerOptions }));
  const compiler = join(project.folder, 'node_modules', 'typescript', 'bin', 'tsc');
  expectSuccess(await project.run(nodeBinary(), [compiler, '-p', 'typescript-vitest']));
});

test.each(olderNodes)('Node %s: ES modules and CommonJS under node:test', async (version) => {
  const ended = await project.run(olderNode(version), ['--test', 'esm.mjs', 'commonjs.cjs']);
  expectSuccess(ended);
  expect(ended.output).toMatch(/pass 4/);
  expect(ended.output).not.toMatch(/warning/i);
});

test('control planes begin with what the build has made', async () => {
  expectSuccess(await project.run(nodeBinary(), ['--test', 'beginning.mjs']));
});

/** What is loaded for all takes memory and time of every process. */
test('a start loads no module that only some tests need', async () => {
  const ended = await project.run(nodeBinary(), ['loads.mjs']);
  expect(ended).toEqual({ code: 0, output: 'node:path,node:timers,node:worker_threads\n' });
  const inBundle = project.read('node_modules/orch-apiserver/dist/testing/host/THIRD-PARTY-NOTICES.txt');
  expect(inBundle).toMatch(/^express /m);
  expect(inBundle).not.toMatch(/^(js-yaml|re2js) /m);
});

function runJest(folder: string, ...words: readonly string[]): Promise<Ended> {
  const jest = inRepository('jest', 'bin', 'jest.js');
  const options = [
    '--runInBand',
    '--testTimeout=60000',
    '--testMatch=**/*.test.{js,mjs}',
    '--rootDir',
    folder,
  ];
  return project.run(nodeBinary(), [...words, jest, ...options]);
}

test('Jest, by require, with several files in one process', async () => {
  const ended = await runJest('jest');
  expectSuccess(ended);
  expect(ended.output).toMatch(/Tests:\s+2 passed, 2 total/);
  expect(ended.output).not.toMatch(/did not exit|open handle/i);
});

test('Jest, as ES modules', async () => {
  const ended = await runJest('esm-jest', '--experimental-vm-modules');
  expectSuccess(ended);
  expect(ended.output).toMatch(/Tests:\s+2 passed, 2 total/);
});

test('Jest, with the environment of a browser', async () => {
  const ended = await runJest('jsdom');
  expectSuccess(ended);
  expect(ended.output).toMatch(/Tests:\s+1 passed, 1 total/);
  expect(ended.output).not.toMatch(/did not exit|open handle/i);
});

test('Jest ends in spite of a test that forgets to stop', async () => {
  const ended = await runJest('forgetful');
  expectSuccess(ended);
  expect(ended.output).toMatch(/Tests:\s+1 passed, 1 total/);
  expect(ended.output).not.toMatch(/did not exit|open handle/i);
});

function runVitest(folder: string): Promise<Ended> {
  const vitest = join(project.folder, 'node_modules', 'vitest', 'vitest.mjs');
  const options = ['--testTimeout=60000', '--no-color'];
  return project.run(nodeBinary(), [vitest, 'run', '--dir', folder, ...options]);
}

test('Vitest, by import', async () => {
  const ended = await runVitest('vitest');
  expectSuccess(ended);
  expect(ended.output).toMatch(/Tests\s+1 passed/);
});

const typed = `
import { KubeConfig, type V1ConfigMap, type V1Pod } from '@kubernetes/client-node';
import { startControlPlane, type ControlPlane } from 'orch-apiserver/testing';

export async function use(): Promise<string> {
  await using controlPlane: ControlPlane = await startControlPlane({
    naming: 'kubernetes',
    users: [{ name: 'jane', groups: ['developers'] }],
    featureGates: { APIListChunking: true },
    flags: { 'event-ttl': '10m', 'anonymous-auth': false },
  });
  const map: V1ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { a: 'b' } };
  const created: V1ConfigMap = await controlPlane.admin.create(map);
  const about = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' } };
  const pod = await controlPlane.until<V1Pod>(about, (found) => found?.status?.phase === 'Running');
  const any = await controlPlane.admin.get(about);
  const file: string = await controlPlane.kubeconfigFile('jane');
  new KubeConfig().loadFromOptions(controlPlane.kubeconfig('jane'));
  await controlPlane.until(created, (found) => found?.metadata.name === 'one');
  const there: string | undefined = (await controlPlane.until(about, (found) => found !== undefined)).metadata.name;
  await controlPlane.admin.patch(map, { data: { a: 'c' } });
  for await (const { object } of controlPlane.admin.watch<V1Pod>({ apiVersion: 'v1', kind: 'Pod' })) void object.spec?.nodeName;
  await controlPlane.admin.delete(created);
  return [there, created.metadata?.uid, pod?.spec?.nodeName, any.metadata.name, any['spec'].nodeName, file].join();
}
`;

const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];

test.each([
  ['nodenext', 'nodenext', 'typed.mts'],
  ['nodenext', 'nodenext', 'typed.cts'],
  ['esnext', 'bundler', 'typed.mts'],
])('types need no casts: module %s, resolution %s, %s', async (module, resolution, file) => {
  project.write('typed.mts', typed);
  project.write('typed.cts', typed);
  const compiler = inRepository('typescript', 'bin', 'tsc');
  const settings = ['--module', module, '--moduleResolution', resolution, '--target', 'es2022'];
  const lib = ['--lib', 'es2023,esnext.disposable', '--types', 'node', '--skipLibCheck'];
  expectSuccess(
    await project.run(nodeBinary(), [compiler, ...strict, ...settings, ...lib, '--ignoreConfig', file]),
  );
});

test('types are found by the resolution of older CommonJS projects, too', async () => {
  const entries = ['', '/matchers', '/matchers/jest-globals', '/matchers/vitest'].map(
    (name) => `testing${name}`,
  );
  const lines = entries.map((entry) => `export * from 'orch-apiserver/${entry}';\n`);
  project.write('older.ts', lines.join(''));
  const compiler = inRepository('typescript', 'bin', 'tsc');
  const settings = ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0'];
  const lib = ['--target', 'es2022', '--types', 'node', '--skipLibCheck', '--ignoreConfig'];
  const args = [compiler, '--noEmit', '--strict', ...settings, ...lib, 'older.ts'];
  expectSuccess(await project.run(nodeBinary(), args));
});

test('declarations of the tests’ entry stand alone, also where libraries are checked', async () => {
  project.write(
    'alone.mts',
    `import { startControlPlane } from 'orch-apiserver/testing';\nexport const start = startControlPlane;\n`,
  );
  const compiler = inRepository('typescript', 'bin', 'tsc');
  const settings = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--ignoreConfig'];
  expectSuccess(await project.run(nodeBinary(), [compiler, ...strict, ...settings, 'alone.mts']));
});

test('the library face is there for ES modules and, by newer Nodes, for CommonJS', async () => {
  const names = `'configFromFlags' in face && 'runServer' in face`;
  const esm = `import * as face from 'orch-apiserver'; console.log(${names});`;
  const commonJs = `const face = require('orch-apiserver'); console.log(${names});`;
  for (const args of [
    ['--input-type=module', '-e', esm],
    ['-e', commonJs],
  ])
    expect(await project.run(olderNode('24.21.0'), args)).toEqual({ code: 0, output: 'true\n' });
});

test('the package brings its licence and changes, and runs nothing when it is installed', () => {
  const manifest = JSON.parse(project.read('node_modules/orch-apiserver/package.json')) as {
    readonly private?: boolean;
    readonly license: string;
    readonly version: string;
    readonly scripts: Readonly<Record<string, string>>;
    readonly dependencies: Readonly<Record<string, string>>;
  };
  expect(manifest.private).toBeUndefined();
  expect(manifest.license).toBe('Apache-2.0');
  expect(Object.keys(manifest.scripts)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(pre|post)?install$|^prepare$/)]),
  );
  expect(manifest.dependencies).not.toHaveProperty('node');
  const file = (name: string): string => project.read(`node_modules/orch-apiserver/deploy/${name}`);
  expect(file('LICENSE')).toMatch(/Apache License\s+Version 2\.0/);
  expect(file('CHANGELOG.md')).toContain(`## ${manifest.version}`);
});

test.each(['', '20.15.0', '22.13.0'])('the command runs, Node %s', async (version) => {
  const node = version === '' ? nodeBinary() : olderNode(version);
  const command = join('node_modules', 'orch-apiserver', 'dist', 'main.js');
  expect(existsSync(join(project.folder, 'node_modules', '.bin', 'orch-apiserver'))).toBe(true);
  const shown = await project.run(node, [command, 'version']);
  expect(shown).toMatchObject({ code: 0, output: expect.stringMatching(/^orch-apiserver v/) as string });
  const PATH = '/nowhere';
  const missing = await project.run(node, [command, '--data-dir=data', '--secure-port=0'], { env: { PATH } });
  expect(missing.code).toBe(1);
  expect(missing.output).toMatch(
    /no etcd is in PATH .*\(apt-get is not in PATH\); install etcd .*--etcd-servers.*"testing".*\[ETCD_MISSING\]/,
  );
});
