/** The flags of `backup`, `restore` and `pki`: what they become, and that everything wrong with them is told at once. */
import type { StartErrorDetail } from '../../../src/base/start-error.ts';
import { backupConfig } from '../../../src/options/commands/backup-options.ts';
import { pkiConfig } from '../../../src/options/commands/pki-options.ts';
import { restoreConfig } from '../../../src/options/commands/restore-options.ts';

function causesOf(errors: readonly StartErrorDetail[]): string[] {
  return errors.map(({ cause }) => cause);
}

describe('backup', () => {
  test('asks the etcd of the service on the data folder, or the members that are named', () => {
    const { config, errors } = backupConfig({ output: 'x.db' });
    expect(errors).toEqual([]);
    expect(config).toMatchObject({ output: 'x.db', dataFolder: '.orch', servers: [], caFile: '' });
    const servers = ['https://a:2379', 'https://b:2379'];
    const named = backupConfig({
      output: 'x.db',
      'etcd-servers': servers.join(','),
      'etcd-cafile': 'ca.crt',
    });
    expect(named.config).toMatchObject({ servers, caFile: 'ca.crt' });
  });

  test('needs a file', () => {
    expect(causesOf(backupConfig({}).errors)).toEqual(['--output is missing']);
  });
});

describe('restore', () => {
  const member = {
    name: 'a',
    'initial-cluster': 'a=https://a:2380',
    'initial-advertise-peer-urls': 'https://a:2380',
  };

  test.each([
    ['the own etcd', {}, { kind: 'own', dataFolder: '.orch' }],
    ['a file for a cluster', { output: 'p.db' }, { kind: 'prepare', output: 'p.db' }],
    [
      'a member',
      { 'etcd-data-dir': 'data', prepared: 'true', ...member },
      { kind: 'member', dataDir: 'data', member: { name: 'a', initialClusterToken: '' } },
    ],
  ])('restores %s', (_name, texts, goal) => {
    const { config, errors } = restoreConfig({ snapshot: 's.db', ...texts });
    expect(errors).toEqual([]);
    expect(config).toMatchObject({ snapshot: 's.db', dryRun: false, beyondRevision: 0, goal });
  });

  test('takes revisions as large as clients can count', () => {
    const { config, errors } = restoreConfig({ snapshot: 's.db', 'beyond-revision': '999999999999999' });
    expect({ config, errors }).toMatchObject({ config: { beyondRevision: 999_999_999_999_999 }, errors: [] });
  });

  test('tells everything that is wrong, values first', () => {
    const wrong = { 'beyond-revision': 'x', 'dry-run': 'maybe', 'etcd-data-dir': 'd', 'data-dir': 'e' };
    expect(causesOf(restoreConfig({ ...wrong, output: 'p.db' }).errors)).toEqual([
      '--snapshot is missing',
      'flag --dry-run has the value "maybe"',
      'flag --beyond-revision has the value "x"',
      '--etcd-data-dir is given without --name',
      '--etcd-data-dir is given without --initial-cluster',
      '--etcd-data-dir is given without --initial-advertise-peer-urls',
      '--etcd-data-dir is given without --prepared',
      '--etcd-data-dir and --output are both given',
      '--etcd-data-dir and --data-dir are both given',
    ]);
    expect(causesOf(restoreConfig({ snapshot: 's.db', prepared: 'true' }).errors)).toEqual([
      '--prepared is given without --etcd-data-dir',
    ]);
  });
});

describe('pki', () => {
  test('hosts and shares are lists', () => {
    const { config, errors } = pkiConfig({
      out: 'pki',
      host: 'a, b',
      share: '/one=ca.crt+server.crt,/two=ca.crt',
    });
    expect(errors).toEqual([]);
    expect(config).toEqual({
      folder: 'pki',
      hosts: ['a', 'b'],
      server: '',
      shares: [
        { folder: '/one', files: ['ca.crt', 'server.crt'] },
        { folder: '/two', files: ['ca.crt'] },
      ],
    });
  });

  test('tells everything that is wrong', () => {
    expect(causesOf(pkiConfig({ server: 'http://a', share: 'x,/one=ca.crt,=y' }).errors)).toEqual([
      '--out is missing',
      'flag --server has the value "http://a"',
      'flag --share has the value "x"',
      'flag --share has the value "=y"',
    ]);
  });
});
