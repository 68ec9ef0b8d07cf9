import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import { controllersFlags } from '../../../src/options/controllers/controller-manager-options.ts';
import { parseDurationMs } from '../../../src/base/duration.ts';
import { serveFlags, type FlagDefinition } from '../../../src/options/serve-flags.ts';
import { commandOf, parseFlags } from '../../../src/cli/parse-flags.ts';
import { pkiFlags } from '../../../src/options/commands/pki-options.ts';
import type { ServerConfig } from '../../../src/options/server-config.ts';
import { clientNames, pkiPlan, tokenKeyName } from '../../../src/pki/plan.ts';

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

interface Service {
  image: string;
  build?: string;
  pull_policy?: string;
  restart?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  pids_limit?: number;
  mem_limit?: string;
  memswap_limit?: string;
  ulimits?: Record<string, unknown>;
  logging?: { driver: string; options: Record<string, string> };
  healthcheck?: { test: string[] };
  privileged?: boolean;
  command?: string | string[];
  depends_on?: unknown;
  stop_grace_period?: string;
  volumes?: string[];
  user?: string;
}

// With merge keys (`<<`), as Compose reads it.
const { services } = load(read('docker-compose.yml'), { schema: YAML11_SCHEMA }) as {
  services: Record<string, Service>;
};
const names = Object.keys(services);
const named = (pattern: RegExp): string[] => names.filter((name) => pattern.test(name));
const [members, replicas, controllers] = [
  named(/^etcd-\d$/),
  named(/^replica-\d$/),
  named(/^controllers-\d$/),
];

function wordsOf(name: string): string[] {
  const command = services[name]?.command ?? [];
  return typeof command === 'string' ? command.trim().split(/\s+/) : command;
}

function flagOf(name: string, flag: string): string[] {
  const start = `--${flag}=`;
  return wordsOf(name)
    .filter((word) => word.startsWith(start))
    .map((word) => word.slice(start.length));
}

const configs = new Map<string, ServerConfig>();

beforeAll(async () => {
  for (const replica of replicas) {
    const [, ...words] = wordsOf(replica);
    const { texts } = parseFlags(commandOf('', '', serveFlags), serveFlags, words);
    configs.set(replica, (await configFromFlags(texts)).config);
  }
});

function configOf(replica: string): ServerConfig {
  const config = configs.get(replica);
  if (config === undefined) throw new Error(`${replica} is no replica`);
  return config;
}

describe('docker-compose.yml', () => {
  test('has three etcd members, three replicas, two that run controllers, a balancer and Prometheus', () => {
    expect([members.length, replicas.length, controllers.length]).toEqual([3, 3, 2]);
    expect(names.filter((name) => ![...members, ...replicas, ...controllers].includes(name)).sort()).toEqual([
      'balancer',
      'pki',
      'prometheus',
    ]);
  });

  const flags: Record<string, readonly FlagDefinition[]> = {
    serve: serveFlags,
    controllers: controllersFlags,
    pki: pkiFlags,
  };
  test.each(names.filter((name) => services[name]?.image === 'orch-apiserver'))(
    '%s gets a command and flags that exist',
    async (name) => {
      const [command = '', ...words] = wordsOf(name);
      const known = flags[command];
      if (known === undefined) throw new Error(`there is no command ${JSON.stringify(command)}`);
      const { texts, errors } = parseFlags(commandOf(command, '', known), known, words);
      expect(errors).toEqual([]);
      if (command === 'serve') expect((await configFromFlags(texts)).errors).toEqual([]);
    },
  );

  test('replicas follow every member and leave controllers to the processes that have a credential for it', () => {
    for (const name of replicas) {
      const config = configOf(name);
      expect(config.etcd.servers).toEqual(members.map((member) => `https://${member}:2379`));
      expect([...config.controllers]).toEqual([]);
      // Somebody collects: deletions may leave dependents behind.
      expect(config.collectsGarbage).toBe(true);
    }
    for (const name of controllers)
      expect(flagOf(name, 'kubeconfig')).toEqual(['/pki/controller-manager.kubeconfig']);
    expect(clientNames).toContain('controller-manager');
  });

  test('tokens that controllers sign are good at every replica', () => {
    for (const name of controllers)
      for (const replica of replicas)
        expect(flagOf(name, 'service-account-private-key-file')).toEqual(
          flagOf(replica, 'service-account-key-file'),
        );
  });

  test('a replica is left alone until it has stopped by itself, but not the balancer, which refuses connections until then', () => {
    expect(parseInt(services['balancer']?.stop_grace_period ?? '', 10)).toBeLessThanOrEqual(2);
    for (const name of replicas) {
      const config = configOf(name);
      const longest = (config.shutdownDelayMs + config.requests.timeoutMs) / 1000;
      expect(parseInt(services[name]?.stop_grace_period ?? '0', 10)).toBeGreaterThan(longest);
    }
  });

  test('certificates are for every host that others verify, and every such host is a service', () => {
    const hosts = flagOf('pki', 'host').filter((host) => host !== 'localhost' && host !== '127.0.0.1');
    expect(hosts.sort()).toEqual([...members, ...replicas, ...controllers, 'balancer'].sort());
    expect(flagOf('pki', 'server')).toEqual(['https://balancer:6443']);
  });

  test('members know each other', () => {
    const all = members.map((member) => `${member}=https://${member}:2380`).join(',');
    for (const name of members) {
      expect(flagOf(name, 'initial-cluster')).toEqual([all]);
      expect(flagOf(name, 'initial-cluster-state')).toEqual(['${ETCD_CLUSTER_STATE:-new}']);
    }
  });

  test.each(names)('%s has no privileges, and bounds to what it takes', (name) => {
    const service = services[name];
    expect(service?.read_only).toBe(true);
    expect(service?.cap_drop).toEqual(['ALL']);
    expect(service?.security_opt).toEqual(['no-new-privileges:true']);
    expect(service?.ulimits?.['core']).toBe(0);
    expect(service?.pids_limit).toBeGreaterThan(0);
    expect(service?.mem_limit).toMatch(/\d[gm]/);
    expect(service?.memswap_limit).toBe(service?.mem_limit);
    expect(Object.keys(service?.logging?.options ?? {})).toEqual(['max-size', 'max-file']);
    expect(service?.restart).toBe(name === 'pki' ? 'no' : 'unless-stopped');
    // It runs once; its exit code tells how it went.
    expect(service?.healthcheck === undefined).toBe(name === 'pki');
  });

  test('an image is built for one service, which the others use', () => {
    for (const image of ['orch-apiserver', 'orch-etcd']) {
      const users = names.filter((name) => services[name]?.image === image);
      const [builder, ...others] = users;
      expect(users.filter((name) => services[name]?.build !== undefined)).toEqual([builder]);
      for (const name of others) expect([name, services[name]?.pull_policy]).toEqual([name, 'never']);
    }
  });

  test('etcd is not root, and its data and its key are its own', () => {
    const file = read('deploy/etcd/Dockerfile');
    const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(file) ?? [];
    const [, imageUid, imageGid] = /^USER (\d+):(\d+)$/m.exec(read('Dockerfile')) ?? [];
    expect([undefined, '0', imageUid]).not.toContain(uid);
    // It reads the key by its group.
    expect(gid).toBe(imageGid);
    expect(file).toContain(`install -d -o ${uid ?? ''} -g ${gid ?? ''} -m 700 /data`);
  });

  test('configuration is mounted as folders: an editor that replaces a file would leave the old one mounted', () => {
    const mounted = names
      .flatMap((name) => services[name]?.volumes ?? [])
      .map((text) => text.split(':')[0] ?? '');
    const folders = mounted.filter((path) => path.startsWith('.'));
    expect(folders.sort()).toEqual(['./deploy/haproxy', './deploy/prometheus']);
  });

  test('procedures of the guide name services that exist, and replace one without those that it depends on', () => {
    const guide = read('deploy/README.md');
    const loops = [...guide.matchAll(/^for name in (.*); do$/gm)].flatMap(([, list = '']) => list.split(' '));
    const commands = [
      ...guide.matchAll(/docker compose (?:up|run|stop|start|kill|build)\b[^`\n|#]*/g),
    ].flat();
    expect([loops.length > 3, commands.length > 12]).toEqual([true, true]);
    const called = commands.flatMap((command) => command.match(/\b(?:etcd|replica|controllers)-\d\b/g) ?? []);
    // The fourth is the one that the guide adds.
    const unknown = [...called, ...loops].filter((name) => !names.includes(name) && name !== 'replica-4');
    expect(unknown).toEqual([]);
    const ofAll = 'docker compose up --build -d';
    for (const command of commands)
      if (command.startsWith('docker compose up') && command !== ofAll)
        expect(command).toMatch(/ --no-deps (--wait )?\S/);
  });

  test('is accepted by docker-compose', () => {
    expect(check('docker-compose', ['config', '-q'])?.output ?? '').toBe('');
  });
});

test('every credential that a service names is made by pki', () => {
  const pairs = pkiPlan.flatMap(({ name, certificates }) => [name, ...certificates.map((c) => c.name)]);
  const made = [
    ...pairs.flatMap((name) => [`${name}.crt`, `${name}.key`]),
    ...clientNames.map((name) => `${name}.kubeconfig`),
    `${tokenKeyName}.key`,
  ];
  const files = [
    'docker-compose.yml',
    'deploy/haproxy/haproxy.cfg',
    'deploy/prometheus/prometheus.yml',
    'deploy/etcd/Dockerfile',
  ];
  for (const file of files) {
    const used = [...read(file).matchAll(/\/pki\/([a-z-]+\.[a-z]+)/g)].map((match) => match[1]);
    expect([file, used.length > 0]).toEqual([file, true]);
    expect(made).toEqual(expect.arrayContaining(used));
  }
});

describe('credentials', () => {
  const shares = new Map(
    flagOf('pki', 'share').map((share) => {
      const [folder = '', files = ''] = share.split('=');
      return [folder, files.split('+')];
    }),
  );
  const mounts = (name: string): string[][] => (services[name]?.volumes ?? []).map((text) => text.split(':'));
  const folderOf = new Map(mounts('pki').map(([volume = '', folder = '']) => [volume, folder]));
  const configuration: Record<string, string> = {
    balancer: 'deploy/haproxy/haproxy.cfg',
    prometheus: 'deploy/prometheus/prometheus.yml',
  };

  test.each(names.filter((name) => name !== 'pki'))('%s has those that it needs and no others', (name) => {
    const [volume = '', , mode] = mounts(name).find(([, folder]) => folder === '/pki') ?? [];
    expect(mode).toBe('ro');
    const shared = shares.get(folderOf.get(volume) ?? '') ?? [];
    const file = configuration[name];
    const text = wordsOf(name).join(' ') + (file === undefined ? '' : read(file));
    const used = new Set([...text.matchAll(/\/pki\/([a-z-]+\.[a-z]+)/g)].map((match) => match[1] ?? ''));
    expect([...shared].sort()).toEqual([...used].sort());
    expect(mounts(name).filter(([other = '']) => folderOf.has(other))).toHaveLength(1);
  });

  test('only pki has keys of CAs or of the administrator', () => {
    const all = new Set([...shares.values()].flat());
    for (const secret of ['ca.key', 'etcd-ca.key', 'admin.key', 'admin.kubeconfig'])
      expect(all).not.toContain(secret);
    const holders = names.filter((name) => mounts(name).some(([volume]) => volume === 'pki'));
    expect(holders).toEqual(['pki']);
  });

  test('volumes of the image belong to its user; Prometheus is not root and in its group', () => {
    const image = read('Dockerfile');
    const user = /^USER (\d+):(\d+)$/m.exec(image);
    for (const folder of folderOf.values()) expect(image).toMatch(new RegExp(` ${folder}[ ;]`));
    const [uid, gid] = (services['prometheus']?.user ?? '').split(':');
    expect(uid).not.toBe('0');
    expect(gid).toBe(user?.[2]);
  });
});

describe('haproxy.cfg', () => {
  const config = read('deploy/haproxy/haproxy.cfg');
  /** The lines of a section such as `backend replicas`, comments left out. */
  const section = (title: string): string[] => {
    const lines = config.split('\n').filter((line) => !line.trim().startsWith('#'));
    const start = lines.indexOf(title);
    const end = lines.findIndex((line, i) => i > start && /^\S/.test(line));
    return lines.slice(start + 1, end < 0 ? undefined : end).map((line) => line.trim());
  };
  const servers = (title: string): string[] => section(title).filter((line) => line.startsWith('server '));

  test('passes TLS through, so that client certificates reach the replicas', () => {
    expect(section('defaults')).toContain('mode tcp');
    expect(section('frontend api').find((line) => line.startsWith('bind '))).not.toContain('ssl');
  });

  test.each(['replicas', 'unready'])('backend %s has every replica', (backend) => {
    expect(servers(`backend ${backend}`)).toEqual(replicas.map((name) => `server ${name} ${name}:6443`));
  });

  test('a replica that is not ready gets nothing new, one that does not answer loses its connections', () => {
    const lines = section('backend replicas');
    expect(lines).toContain('http-check send meth GET uri /readyz hdr Host orch-apiserver');
    expect(lines).toContain('http-check expect status 200 error-status L7OKC');
    const settings = lines.filter((line) => line.startsWith('default-server ')).join(' ');
    for (const wanted of ['check-ssl', 'ca-file /pki/ca.crt']) expect(settings).toContain(wanted);
    expect(section('global')).toContain('lua-load /usr/local/etc/haproxy/shut-sessions.lua');
    // Handshakes of clients do not delay checks at a port of their own.
    for (const name of replicas)
      expect(settings).toContain(` port ${String(configOf(name).healthCheckPort)} `);
    expect(configOf(replicas[0] ?? '').healthCheckPort).toBeGreaterThan(0);
    // What would end connections that are still being redispatched.
    expect(settings).not.toContain('on-marked-down');
  });

  test('sessions are shut after connections that cannot be made went elsewhere, and within a second in all', () => {
    const lua = read('deploy/haproxy/shut-sessions.lua');
    const graceMs = Number(/^local grace = (\S+)$/m.exec(lua)?.[1]) * 1000;
    expect(graceMs).toBeGreaterThan(settingMs(/timeout connect (\S+)/));
    // Two checks fail, each at the end of its interval, the first after an interval in which nothing was asked.
    expect(config).toContain(' fall 2 ');
    expect(config).not.toContain('timeout check');
    const noticedMs = 3 * settingMs(/ inter (\S+)/) + settingMs(/ fastinter (\S+)/);
    expect(noticedMs + graceMs).toBeLessThan(1000);
    expect(lua).toContain(`local backend = 'replicas'`);
  });

  const settingMs = (pattern: RegExp): number => parseDurationMs(pattern.exec(config)?.[1] ?? '') ?? NaN;

  test('clients with HTTP/2, who have one connection, leave it now and then for a replica that is back', () => {
    for (const name of replicas) {
      const { goawayChance } = configOf(name);
      // Each costs a handshake: of many requests only one.
      expect([goawayChance > 0, goawayChance <= 0.01]).toEqual([true, true]);
    }
  });

  test('lets the old process of a reload live as long as the longest watch and its request', () => {
    for (const name of replicas) {
      const { minWatchMs, timeoutMs } = configOf(name).requests;
      expect(settingMs(/hard-stop-after (\S+)/)).toBeGreaterThan(2 * minWatchMs + timeoutMs);
    }
  });

  test('looks away before a replica that stops lets connections go, at half its delay', () => {
    for (const name of replicas)
      expect(settingMs(/ inter (\S+)/)).toBeLessThan(configOf(name).shutdownDelayMs / 2);
  });

  test('lets silent watches live, and finds out about peers that have gone', () => {
    for (const name of replicas) {
      // A watch that names no end lives for up to twice the shortest time.
      const longestMs = 2 * configOf(name).requests.minWatchMs;
      expect(settingMs(/timeout client (\S+)/)).toBeGreaterThan(longestMs);
      expect(settingMs(/timeout server (\S+)/)).toBeGreaterThan(longestMs);
    }
    for (const option of ['option clitcpka', 'option srvtcpka'])
      expect(section('defaults')).toContain(option);
  });

  test('is accepted by haproxy', () => {
    const folder = mkdtempSync(join(tmpdir(), 'orch-haproxy-'));
    try {
      // Names and the CA of the compose network do not exist here; the syntax is what is checked.
      const text = config
        .replaceAll(/replica-\d:6443/g, '127.0.0.1:6443')
        .replaceAll(' ca-file /pki/ca.crt', ' verify none')
        .replaceAll('/usr/local/etc/haproxy/', `${join(root, 'deploy', 'haproxy')}/`);
      const file = join(folder, 'haproxy.cfg');
      writeFileSync(file, text);
      expect(check('haproxy', ['-c', '-f', file])?.code ?? 0).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test('prometheus.yml scrapes every process that has metrics, and is accepted by promtool with its rules', () => {
  const { scrape_configs: jobs } = load(read('deploy/prometheus/prometheus.yml')) as {
    scrape_configs: { static_configs: { targets: string[] }[] }[];
  };
  const targets = jobs.flatMap((job) => job.static_configs.flatMap((group) => group.targets));
  const [metricsUrl = ''] = flagOf('etcd-1', 'listen-metrics-urls');
  expect(targets).toEqual([
    ...replicas.map((name) => `${name}:6443`),
    ...controllers.map((name) => `${name}:${flagOf(name, 'secure-port').join()}`),
    ...members.map((name) => `${name}:${new URL(metricsUrl).port}`),
    `balancer:${/bind :(\d+)$/m.exec(read('deploy/haproxy/haproxy.cfg').split('frontend metrics')[1] ?? '')?.[1] ?? ''}`,
  ]);
  expect(
    check('promtool', ['check', 'config', '--syntax-only', 'deploy/prometheus/prometheus.yml'])?.code ?? 0,
  ).toBe(0);
});
