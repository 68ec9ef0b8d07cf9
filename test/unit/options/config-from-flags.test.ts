import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import { FlagReader } from '../../../src/options/flag-reader.ts';
import { controllerNames } from '../../../src/controllers/controller-names.ts';
import { missingVersions } from '../../../src/options/api/served-versions.ts';
import { serveFlags, type FlagTexts } from '../../../src/options/serve-flags.ts';

const errorsOf = async (texts: FlagTexts): Promise<string[]> =>
  (await configFromFlags(texts)).errors.map((error) => `${error.code} ${error.cause}`);

test('without flags everything has its default and nothing is wrong', async () => {
  const { config, errors } = await configFromFlags({});
  expect(errors).toEqual([]);
  expect(config).toMatchObject({
    bindAddress: '127.0.0.1',
    securePort: 6443,
    healthCheckPort: 0,
    anonymousAuth: true,
    authorization: { modes: ['RBAC'] },
    naming: 'orch',
    dataFolder: '.orch',
    etcd: { servers: [], prefix: '/registry', compactionIntervalMs: 300_000 },
    requests: { timeoutMs: 60_000, minWatchMs: 300_000 },
  });
});

test('etcd may be at the usual port of its scheme', async () => {
  const servers = 'https://a:443,https://[::1]:443/';
  const { config, errors } = await configFromFlags({ 'etcd-servers': servers, 'etcd-cafile': 'ca' });
  expect(errors).toEqual([]);
  expect(JSON.stringify(config)).toContain('https://a:443');
});

test('texts become typed values', async () => {
  const { config, errors } = await configFromFlags({
    'anonymous-auth': 'false',
    'authorization-mode': 'Webhook, AlwaysDeny,RBAC',
    'authorization-webhook-cache-authorized-ttl': '1m',
    'authorization-webhook-config-file': 'hook',
    'etcd-servers': 'http://a:2379, http://b:2379',
    'emulated-release': '1.25',
    'etcd-prefix': '/other/',
    'feature-gates': 'HPAScaleToZero=true',
    'request-timeout': '1m30s',
    'runtime-config': 'api/alpha,batch/v1/jobs=false',
    'secure-port': '0',
    'show-hidden-metrics-for-version': '1.24',
  });
  expect(errors).toEqual([]);
  expect(config).toMatchObject({
    anonymousAuth: false,
    authorization: {
      modes: ['Webhook', 'AlwaysDeny', 'RBAC'],
      webhook: { configFile: 'hook', version: 'v1beta1', authorizedTtlMs: 60_000, unauthorizedTtlMs: 30_000 },
    },
    securePort: 0,
    emulatedRelease: { major: 1, minor: 25 },
    runtimeConfig: { 'api/alpha': true, 'batch/v1/jobs': false },
    featureGates: { HPAScaleToZero: true },
    showHiddenMetricsFor: { major: 1, minor: 24 },
    etcd: { servers: ['http://a:2379', 'http://b:2379'], prefix: '/other' },
    requests: { timeoutMs: 90_000 },
  });
});

const wrong: { flag: keyof FlagTexts; value: string }[] = [
  ...['x', '10.0.0.0', '10.0.0.0/11', '10.0.0.0/30', 'fd00::/107', '10.0.0.0/24,10.1.0.0/24', ','].map(
    (value) => ({ flag: 'service-cluster-ip-range', value }) as const,
  ),
  { flag: 'service-node-port-range', value: '5-4' },
  { flag: 'anonymous-auth', value: 'maybe' },
  ...['constructor', '__proto__'].map((value) => ({ flag: 'anonymous-auth', value }) as const),
  { flag: 'authorization-mode', value: 'Rbac' },
  { flag: 'authorization-mode', value: 'RBAC,AlwaysDeny,RBAC' },
  { flag: 'authorization-mode', value: ',' },
  { flag: 'authorization-webhook-cache-authorized-ttl', value: '5' },
  { flag: 'authorization-webhook-version', value: 'v2' },
  { flag: 'bind-address', value: 'localhost' },
  { flag: 'emulated-release', value: '1.20' },
  { flag: 'emulated-release', value: 'next' },
  { flag: 'emulated-release', value: '1.37' },
  { flag: 'emulated-release', value: '1.99' },
  { flag: 'emulated-release', value: '2.21' },
  { flag: 'etcd-compaction-interval', value: '5' },
  { flag: 'etcd-prefix', value: 'registry' },
  { flag: 'event-ttl', value: '900ms' },
  { flag: 'lease-reuse-duration-seconds', value: '-1' },
  { flag: 'etcd-servers', value: 'localhost:2379' },
  { flag: 'etcd-servers', value: 'http://a' },
  { flag: 'feature-gates', value: 'NoSuchGate=true' },
  { flag: 'feature-gates', value: 'HPAScaleToZero' },
  { flag: 'livez-grace-period', value: 'soon' },
  { flag: 'min-request-timeout', value: '30s' },
  { flag: 'naming', value: 'other' },
  { flag: 'request-timeout', value: '-1s' },
  { flag: 'runtime-config', value: 'api/alpha=maybe' },
  { flag: 'runtime-config', value: 'batch/v3' },
  { flag: 'runtime-config', value: 'storage.k8s.io/v1=false' },
  { flag: 'runtime-config', value: 'api/all=false' },
  { flag: 'secure-port', value: '65536' },
  { flag: 'health-check-port', value: '65536' },
  // The default of --secure-port.
  { flag: 'health-check-port', value: '6443' },
  { flag: 'show-hidden-metrics-for-version', value: '1.1' },
  { flag: 'shutdown-delay-duration', value: '1x' },
  { flag: 'service-account-max-token-expiration', value: '59m' },
  { flag: 'service-account-max-token-expiration', value: '4294967297s' },
  { flag: 'v', value: '11' },
];

test.each(wrong)('--$flag=$value is one error that names the flag', async ({ flag, value }) => {
  const found = await errorsOf({ [flag]: value });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(`FLAG_VALUE flag --${flag}`);
});

test('a release that nothing is known of is told with those that are', async () => {
  expect(await errorsOf({ 'emulated-release': '1.27' })).toEqual([]);
  const [found] = await errorsOf({ 'emulated-release': '1.99' });
  expect(found).toContain(
    '"1.99" is not a known release; known releases are 1.21, 1.22, 1.23, 1.24, 1.25, 1.26, 1.27',
  );
});

test('errors in several flags are told together', async () => {
  expect(await errorsOf({ 'secure-port': 'x', naming: 'y', 'tls-cert-file': 'c' })).toEqual([
    'FLAG_VALUE flag --secure-port has the value "x"',
    'FLAG_VALUE flag --naming has the value "y"',
    'FLAG_COMBINATION --tls-cert-file is given without --tls-private-key-file',
  ]);
});

const pairs: { given: FlagTexts; missing: string }[] = [
  { given: { 'tls-private-key-file': 'k' }, missing: '--tls-cert-file' },
  { given: { 'etcd-certfile': 'c', 'etcd-servers': 'http://a:1' }, missing: '--etcd-keyfile' },
  { given: { 'etcd-keyfile': 'k', 'etcd-servers': 'http://a:1' }, missing: '--etcd-certfile' },
  { given: { 'etcd-cafile': 'a' }, missing: '--etcd-servers' },
  { given: { 'etcd-servers': 'https://a:1' }, missing: '--etcd-cafile' },
  { given: { 'authorization-mode': 'Webhook' }, missing: '--authorization-webhook-config-file' },
  { given: { 'authorization-mode': 'Node,ABAC' }, missing: '--authorization-policy-file' },
  { given: { 'authorization-policy-file': 'f' }, missing: '--authorization-mode with ABAC' },
  {
    given: { 'authorization-webhook-config-file': 'f' },
    missing: '--authorization-mode with Webhook',
  },
];

test.each(pairs)('what needs $missing says so', async ({ given, missing }) => {
  expect((await configFromFlags(given)).errors).toMatchObject([
    { code: 'FLAG_COMBINATION', remedy: `give ${missing} too` },
  ]);
});

test('services have one range of addresses, or two of different families', async () => {
  const { config, errors } = await configFromFlags({
    'service-cluster-ip-range': '10.96.0.1/16, fd00::/112',
    'service-node-port-range': '30000+9',
  });
  expect(errors).toEqual([]);
  expect(config.services).toMatchObject({
    clusterIpRanges: ['10.96.0.0/16', 'fd00::/112'],
    nodePortRange: '30000-30009',
  });
  const dualStackOff = {
    'service-cluster-ip-range': '10.0.0.0/24,fd00::/112',
    'feature-gates': 'IPv6DualStack=false',
  };
  expect((await configFromFlags(dualStackOff)).errors).toMatchObject([{ code: 'FLAG_COMBINATION' }]);
});

test('priority levels need seats to share; without them 0 means no limit', async () => {
  const none = { 'max-requests-inflight': '0', 'max-mutating-requests-inflight': '0' };
  expect((await configFromFlags(none)).errors).toMatchObject([{ code: 'FLAG_COMBINATION' }]);
  expect((await configFromFlags({ ...none, 'max-requests-inflight': '1' })).errors).toEqual([]);
  expect((await configFromFlags({ ...none, 'enable-priority-and-fairness': 'false' })).errors).toEqual([]);
});

test('every flag is read, so that none is accepted without effect', async () => {
  const asked = new Set<string>();
  const text = jest.spyOn(FlagReader.prototype as FlagReader<string>, 'text');
  await configFromFlags(Object.fromEntries(serveFlags.map((flag) => [flag.name, flag.default || 'x'])));
  for (const [name] of text.mock.calls) asked.add(name);
  expect([...asked].sort()).toEqual(serveFlags.map((flag) => flag.name).sort());
});

test('without flags about versions every controller has what it needs', async () => {
  for (const naming of ['orch', 'kubernetes']) {
    const { config } = await configFromFlags({ naming, controllers: controllerNames.join(',') });
    expect(config.controllers.size).toBe(controllerNames.length);
    expect([...missingVersions(config)]).toEqual([]);
  }
});
