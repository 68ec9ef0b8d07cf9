import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Runs a checking program where it is installed; gives undefined, and says so, where it is not. */
function check(
  program: string,
  args: readonly string[],
): { code: number | null; output: string } | undefined {
  const result = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  console.log(`${program}: ${result.error ? 'not installed, its check did not run' : 'checked'}`);
  return result.error ? undefined : { code: result.status, output: result.stdout + result.stderr };
}

interface Compose {
  services: Record<string, { command?: string | string[]; depends_on?: unknown }>;
}

describe('docker-compose.yml', () => {
  const { services } = load(read('docker-compose.yml')) as Compose;

  test('has three etcd members, three replicas, a balancer and Prometheus', () => {
    expect(Object.keys(services).sort()).toEqual([
      ...['balancer', 'etcd-1', 'etcd-2', 'etcd-3', 'pki', 'prometheus'],
      ...['replica-1', 'replica-2', 'replica-3'],
    ]);
  });

  test('makes a certificate for every host that others verify', () => {
    const hosts = services['pki']?.command;
    for (const name of Object.keys(services).filter((n) => /^(etcd|replica)-/.test(n)))
      expect(hosts).toContain(`--host=${name}`);
  });

  test('is accepted by docker-compose', () => {
    expect(check('docker-compose', ['config', '-q'])?.output ?? '').toBe('');
  });
});

describe('haproxy.cfg', () => {
  test('passes TLS through and checks readiness of every replica', () => {
    const config = read('deploy/haproxy/haproxy.cfg');
    expect(config).toMatch(/mode tcp/);
    expect(config).toMatch(/uri \/readyz/);
    expect(config.match(/server replica-\d replica-\d:6443/g)).toHaveLength(3);
  });

  test('is accepted by haproxy', () => {
    const folder = mkdtempSync(join(tmpdir(), 'orch-haproxy-'));
    try {
      // Names and the CA of the compose network do not exist here; the syntax is what is checked.
      const config = read('deploy/haproxy/haproxy.cfg')
        .replaceAll(/replica-\d:6443/g, '127.0.0.1:6443')
        .replaceAll(' ca-file /pki/ca.crt', ' verify none');
      const file = join(folder, 'haproxy.cfg');
      writeFileSync(file, config);
      expect(check('haproxy', ['-c', '-f', file])?.code ?? 0).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test('prometheus.yml scrapes every replica and is accepted by promtool', () => {
  const config = read('deploy/prometheus/prometheus.yml');
  expect(config.match(/replica-\d:6443/g)).toHaveLength(3);
  expect(
    check('promtool', ['check', 'config', '--syntax-only', 'deploy/prometheus/prometheus.yml'])?.code ?? 0,
  ).toBe(0);
});
