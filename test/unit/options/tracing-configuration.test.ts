/** The file of --tracing-config-file: what it means, by release, and all of its errors together, each with line and field. */
import { readTracing } from '../../../src/options/tracing/tracing-configuration.ts';
import { YamlFile } from '../../../src/options/yaml-file.ts';

function read(body: string, minor = 36, version = 'v1') {
  const file = new YamlFile(
    `apiVersion: apiserver.config.k8s.io/${version}\nkind: TracingConfiguration\n${body}`,
  );
  return { settings: readTracing(file, { apiDomain: 'k8s.io', minor }), errors: file.errors };
}

test('defaults: the collector of this machine, and nothing but what privileged clients trace', () => {
  expect(read('')).toEqual({
    settings: { endpoint: 'grpc://localhost:4317', samplingRatePerMillion: 0, trustsPrivileged: true },
    errors: [],
  });
});

test.each([
  ['collector.example:4317', 'grpc://collector.example:4317'],
  ['collector', 'grpc://collector:4317'],
  ['10.0.0.1:80', 'grpc://10.0.0.1:80'],
  ['"[::1]:55680"', 'grpc://[::1]:55680'],
  ['dns:collector:9', 'grpc://collector:9'],
  ['dns:///collector:9', 'grpc://collector:9'],
  ['dns://1.1.1.1/collector:9', 'grpc://collector:9'],
  ['unix:///run/otel.sock', 'unix:///run/otel.sock'],
  ['unix:/run/otel.sock', 'unix:///run/otel.sock'],
])('the endpoint %s', (given, endpoint) => {
  expect(read(`endpoint: ${given}`)).toMatchObject({ settings: { endpoint }, errors: [] });
});

test.each([
  ['https://collector:4317', 'unsupported scheme: https; give host:port, dns: or unix:'],
  ['unix-abstract://x', 'unsupported scheme: unix-abstract; give host:port, dns: or unix:'],
  ['unix:run/x', 'the path of a socket must be absolute'],
  ['collector:port', 'must be host:port'],
  ['collector:99999', 'must be host:port'],
  ['user@collector:1', 'must be host:port'],
  ['collector:1/path', 'must be host:port'],
])('no endpoint: %s', (given, detail) => {
  expect(read(`endpoint: ${given}`).errors).toEqual([
    `line 3: endpoint: Invalid value: ${JSON.stringify(given)}: ${detail}`,
  ]);
});

test('all errors together', () => {
  const { errors } = read('endpoint: ftp://x\nsamplingRatePerMillion: 1000001\nrate: 1\n');
  expect(errors).toEqual([
    'line 5: unknown field "rate"',
    'line 3: endpoint: Invalid value: "ftp://x": unsupported scheme: ftp; give host:port, dns: or unix:',
    'line 4: samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million',
  ]);
  expect(read('samplingRatePerMillion: -1').errors).toEqual([
    'line 3: samplingRatePerMillion: Invalid value: -1: sampling rate must be positive',
  ]);
  expect(read('samplingRatePerMillion: 1.5').errors).toEqual([
    'line 3: samplingRatePerMillion: must be an integer',
  ]);
});

test.each([
  ['v1alpha1', 22],
  ['v1beta1', 27],
  ['v1', 34],
])('version %s since 1.%d', (version, since) => {
  expect(read('', since, version).errors).toEqual([]);
  expect(read('', since - 1, version).errors).toHaveLength(1);
});

test('traces of privileged clients are continued since 1.33', () => {
  expect(read('', 32, 'v1beta1').settings.trustsPrivileged).toBe(false);
  expect(read('', 33, 'v1beta1').settings.trustsPrivileged).toBe(true);
});
