import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runConvert } from '../../../src/cli/convert.ts';
import { StartError } from '../../../src/base/start-error.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let temporary: TempFolder;
beforeAll(async () => {
  temporary = await makeTempFolder('convert');
});
afterAll(() => temporary.remove());

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string[];
}

async function convert(words: readonly string[], input = ''): Promise<Run> {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    out: (line: string) => out.push(line),
    err: (line: string) => err.push(line),
    isTerminal: false,
  };
  const code = await runConvert(words, io, Readable.from([Buffer.from(input)]));
  return { code, out: out.join('\n'), err };
}

const roles = `
kind: Role
apiVersion: rbac.authorization.orch.io/v1beta1
metadata: {name: reader}
rules: []
---
---
kind: PriorityClass
apiVersion: scheduling.orch.io/v1beta1
metadata: {name: high}
value: 7
`;

test('documents of standard input come out as documents of YAML', async () => {
  expect(await convert(['-f', '-'], roles)).toEqual({
    code: 0,
    out: [
      'apiVersion: rbac.authorization.orch.io/v1',
      'kind: Role',
      'metadata:',
      '  name: reader',
      'rules: []',
      '---',
      'apiVersion: scheduling.orch.io/v1',
      'kind: PriorityClass',
      'metadata:',
      '  name: high',
      'value: 7',
      'preemptionPolicy: PreemptLowerPriority',
    ].join('\n'),
    err: [],
  });
});

test('several files become a JSON List; objects that the version lacks are reported', async () => {
  const files = ['a.yaml', 'b.json'].map((name) => join(temporary.path, name));
  writeFileSync(files[0] ?? '', roles);
  writeFileSync(
    files[1] ?? '',
    '{"kind":"PriorityClass","apiVersion":"scheduling.orch.io/v1","metadata":{"name":"low"}}',
  );
  const words = files.flatMap((file) => ['-f', file]);
  const run = await convert([...words, '-o', 'json', '--output-version=scheduling.orch.io/v1alpha1']);
  expect(run.code).toBe(0);
  expect(JSON.parse(run.out)).toMatchObject({
    ...{ kind: 'List', apiVersion: 'v1' },
    items: [
      { kind: 'Role', apiVersion: 'rbac.authorization.orch.io/v1beta1' },
      { kind: 'PriorityClass', apiVersion: 'scheduling.orch.io/v1alpha1', metadata: { name: 'high' } },
      { kind: 'PriorityClass', apiVersion: 'scheduling.orch.io/v1alpha1', metadata: { name: 'low' } },
    ],
  });
  expect(run.err).toEqual([
    'orch-apiserver: rbac.authorization.orch.io/v1beta1 Role "reader" does not exist in ' +
      'scheduling.orch.io/v1alpha1 and is unchanged',
  ]);
});

test.each([
  ['one behind the other', (one: string) => `\n${one}${one}\n${one}`, 3],
  ['as documents of YAML', (one: string) => `${one}\n---\n${one}`, 2],
])('JSON objects %s', async (_name, write, count) => {
  const one =
    '{"kind":"Role","apiVersion":"rbac.authorization.orch.io/v1beta1","metadata":{"name":"a{\\"}"}}';
  const { out } = await convert(['-f', '-', '-o', 'json'], write(one));
  const { items } = JSON.parse(out) as { items: { apiVersion: string }[] };
  expect(items.map(({ apiVersion }) => apiVersion)).toEqual(
    Array(count).fill('rbac.authorization.orch.io/v1'),
  );
});

test('names of the other profile; nothing converted is a failure', async () => {
  const text = 'kind: CSIDriver\napiVersion: storage.k8s.io/v1beta1\nmetadata: {name: d}\nspec: {}\n';
  expect((await convert(['-f', '-', '--naming=kubernetes'], text)).out).toContain('storage.k8s.io/v1\n');
  const run = await convert(['-f', '-'], text);
  expect(run.code).toBe(1);
  expect(run.err).toHaveLength(1);
});

test('help names the flags', async () => {
  expect((await convert(['--help'])).out).toContain('-f, --filename <FILES>');
});

const role = 'kind: Role\napiVersion: rbac.authorization.orch.io/v1\n';
test.each<[string, string[], RegExp]>([
  ['no file', [], /--filename is missing/],
  ['an unknown version', ['-f', '-', '--output-version=apps/v7'], /"apps\/v7"/],
  ['an unknown format', ['-f', '-', '-o', 'xml'], /"xml"/],
  ['an unknown profile', ['-f', '-', '--naming=x'], /"x"/],
])('refuses flags with %s', async (_name, words, message) => {
  const { code, out, err } = await convert(words, role);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toEqual([expect.stringMatching(message)]);
});

test('reports all errors of its flags', async () => {
  const { err } = await convert(['--naming=x', '-o', 'xml', '--output-version=apps/v7', '--nothing']);
  expect(err.map((line) => /(\[.*\])$/.exec(line)?.[1])).toEqual([
    '[FLAG_UNKNOWN]',
    ...Array.from({ length: 4 }, () => '[FLAG_VALUE]'),
  ]);
});

test.each<[string, string[], string, RegExp]>([
  ['a file that is missing', ['-f', 'missing.yaml'], '', /missing\.yaml: ENOENT/],
  ['nothing', ['-f', '-'], '---\n', /standard input: the file contains no object/],
  ['no YAML', ['-f', '-'], 'a: [', /standard input: invalid YAML/],
  ['half an object', ['-f', '-'], '{"kind":"Role"}{', /standard input: invalid YAML/],
  ['no object', ['-f', '-'], '- 1', /standard input: a document of the file is not an object/],
  ['a field of another type', ['-f', '-'], `${role}rules: x`, /Role: rules: expected/],
])('refuses %s', async (_name, words, input, message) => {
  const refusal = await convert(words, input).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(StartError);
  expect((refusal as StartError).message).toMatch(message);
});

describe('of a release', () => {
  const scaler = `
kind: HorizontalPodAutoscaler
apiVersion: autoscaling/v2beta2
metadata: {name: web}
spec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: web}}
`;

  test.each([
    ['1.21', 'autoscaling/v1'],
    ['1.23', 'autoscaling/v2'],
    ['1.36', 'autoscaling/v2'],
  ])('%s: the newest stable version is that of the release', async (release, apiVersion) => {
    const { code, out } = await convert(['-f', '-', `--emulated-release=${release}`], scaler);
    expect(code).toBe(0);
    expect(out).toContain(`apiVersion: ${apiVersion}\n`);
    const stable = scaler.replace('v2beta2', 'v1');
    expect((await convert(['-f', '-', `--emulated-release=${release}`], stable)).out).toContain(
      `apiVersion: ${apiVersion}\n`,
    );
  });

  test('versions that it does not know are refused', async () => {
    const words = ['-f', '-', '--output-version=autoscaling/v2'];
    const problemOf = async (more: string[]): Promise<string> => (await convert(more, scaler)).err.join();
    expect(await problemOf(words)).toContain('--output-version has the value "autoscaling/v2"; use one of');
    expect(await problemOf([...words, '--emulated-release=1.24'])).toBe('');
    expect(await problemOf(['-f', '-', '--emulated-release=1.99'])).toContain('known releases are');
  });
});
