/** The bench still runs: every case verifies its answers and prints its line, with little load. */
import { Child } from '../../support/child-process.ts';
import { keepingCode } from '../../support/kept-code.ts';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';
import { within } from '../../support/wait-for.ts';

function bench(...args: string[]): Promise<Child> {
  return Child.start({
    name: 'bench',
    program: nodeBinary(),
    args: ['test/bench/main.ts', ...args],
    cwd: repositoryRoot,
    // For the bench, and for the processes that make its load.
    env: keepingCode(),
  });
}

test('each case gives figures', async () => {
  const small = ['--pods=600', '--seconds=0.3', '--rounds=1', '--watchers=20', '--writes=20'];
  const child = await bench(...small);
  try {
    const { code } = await within('the bench', 600_000, child.exited);
    const output = child.output();
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toMatch(/^600 pods of [45]\d{3} bytes/m);
    for (const name of [
      'get one',
      'list all, one',
      'list all, 4',
      'pages of 500',
      'start with an empty store',
      'list as Table',
      'list as Table, 5 % changed',
      'list as metadata',
      'list as metadata, 5 % changed',
      'list as Protobuf',
      'list as Protobuf, 5 % changed',
      'CBOR, bare: JSON; get',
      'CBOR, bare: JSON; page',
      'CBOR, bare: JSON; create',
      'watch starts',
      'watch fan-out',
      '2 workers, bare: 1; get',
      '2 workers, bare: 1; pages',
      '2 threads, bare: 1; get',
      '2 threads, bare: 1; create',
      'replace',
      'merge patch',
      'strategic merge patch',
      'apply',
      'first start in a test',
      'account token',
      'ten rules',
      'create',
    ]) {
      expect(output).toMatch(new RegExp(`^${name}.* \\d+(/s| MB/s) `, 'm'));
    }
    // Of what is stored, every case stores as little as was asked for.
    expect(output).toContain('reset of 600 objects');
    expect(output).toContain('watches started by 60 connections');
    expect(output).not.toContain('not what was expected');
  } finally {
    await child.stop(30_000);
  }
}, 640_000);

test.each([
  ['--scale=2000 --seconds=1', '2000 objects', ['worst turn of the start', 'processor time of a renewal']],
  [
    '--watches=20',
    '20 watches',
    ['HTTP/2: memory of a watch', "Node's server alone", 'HTTP/1.1: memory of a watch'],
  ],
  ['--herd=5 --balancer', '5 clients with 18 watches each behind a balancer', ['all watches are back after']],
  ['--namespaces=3 --pods=50', '3 namespaces with 50 config maps each', ['objects deleted a second']],
  ['--herd=5', '5 clients with 18 watches each', ['all watches are back after', 'worst turn']],
])(
  '%s gives its figures',
  async (flags, head, names) => {
    const child = await bench(...flags.split(' '));
    try {
      const { code } = await within('the bench', 180_000, child.exited);
      const output = child.output();
      expect({ code, output }).toMatchObject({ code: 0 });
      for (const line of [head, ...names]) expect(output).toContain(line);
      expect(output).not.toContain('not what was expected');
    } finally {
      await child.stop(30_000);
    }
  },
  220_000,
);

test('unknown cases and flags are named', async () => {
  const child = await bench('--only=nonsense', '--pods=none');
  expect(await within('the bench', 30_000, child.exited)).toMatchObject({ code: 1 });
  expect(child.output()).toContain('--pods has the value none');
});
