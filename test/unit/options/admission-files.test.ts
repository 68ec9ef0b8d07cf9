/** The configuration of admission plugins: what is read, and how every error is told with file and line. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import { completeConfig, type CompletedConfig } from '../../../src/options/complete-config.ts';
import { describeStartError } from '../../../src/base/start-error.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let folder: TempFolder;

beforeAll(async () => {
  folder = await makeTempFolder('admission-files');
});
afterAll(() => folder.remove());

const head = 'apiVersion: apiserver.config.orch.io/v1\nkind: AdmissionConfiguration\n';
const limitsHead = 'apiVersion: eventratelimit.admission.orch.io/v1alpha1\nkind: Configuration\n';

/** The completed configuration over files by their names, and its errors without the folder. */
async function complete(
  files: Readonly<Record<string, string>>,
  enabled = 'EventRateLimit',
): Promise<{ completed: CompletedConfig; told: string[] }> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  const { config, errors } = await configFromFlags({
    'admission-control-config-file': join(folder.path, 'main'),
    'enable-admission-plugins': enabled,
  });
  expect(errors).toEqual([]);
  const { completed, errors: found } = await completeConfig(config);
  return { completed, told: found.map((one) => describeStartError(one).replaceAll(`${folder.path}/`, '')) };
}

const full = '- {type: Server, qps: 50, burst: 100}\n- {type: User, qps: 1, burst: 2, cacheSize: 3}\n';
const read = [
  { type: 'Server', qps: 50, burst: 100, cacheSize: 4096 },
  { type: 'User', qps: 1, burst: 2, cacheSize: 3 },
];

test('limits stand in the file, or in one that it names from its folder', async () => {
  const named = {
    main: `${head}plugins:\n- name: EventRateLimit\n  path: limits\n`,
    limits: `${limitsHead}limits:\n${full}`,
  };
  const indented = `${limitsHead}limits:\n${full}`.replaceAll(/^/gm, '    ').trimEnd();
  const inline = { main: `${head}plugins:\n- name: EventRateLimit\n  configuration:\n${indented}\n` };
  for (const files of [named, inline]) {
    const { completed, told } = await complete(files);
    expect(told).toEqual([]);
    expect(completed.files.admission.eventLimits).toEqual(read);
  }
});

test('all errors in both files are told, each with its line', async () => {
  const main = `apiVersion: v1\nkind: Config\nplugin: x\nplugins:\n- name: EventRateLimit\n  path: limits\n- name: Priority\n- name: EventRateLimit\n`;
  const limits = `${limitsHead}limits:\n- type: Pod\n  qps: 0\n  burst: 1.5\n  size: 3\n- {type: User, qps: 1, burst: 1, cacheSize: -1}\n- type: User\n  qps: 1\n`;
  const { told } = await complete({ main, limits });
  const remedy = '; correct these lines, or --admission-control-config-file [PLUGIN_FILE_INVALID]';
  expect(told).toEqual([
    'main: line 3: unknown field "plugin"; ' +
      'line 1: apiVersion must be one of apiserver.config.orch.io/v1, apiserver.orch.io/v1alpha1; ' +
      'line 2: kind must be AdmissionConfiguration; ' +
      'line 7: plugin "Priority" cannot be configured, only EventRateLimit, ImagePolicyWebhook, PodSecurity, PodTolerationRestriction can; ' +
      `line 8: EventRateLimit is configured twice${remedy}`,
    'limits: line 7: unknown field "size"; ' +
      'line 4: type must be one of Server, Namespace, User, SourceAndObject; ' +
      'line 5: qps must be an integer from 1 to 2147483647; ' +
      'line 6: burst must be an integer from 1 to 2147483647; ' +
      'line 8: cacheSize must be an integer from 0 to 1000000; ' +
      'line 9: burst must be an integer from 1 to 2147483647; ' +
      `line 9: type "User" has more than one limit${remedy}`,
  ]);
});

test.each([
  ['says nothing', 'null\n', /main: line 1: not an object of kind AdmissionConfiguration;/],
  ['is no YAML', `${head}plugins: [`, /main: line \d: invalid YAML;/],
  ['has no entry', `${head}plugins: []\n`, /main: line 3: EventRateLimit is enabled but not configured;/],
  [
    'has plugins that are none',
    `${head}plugins: {}\n`,
    /line 3: plugins must be a list of objects; .*not configured;/,
  ],
  [
    'has an entry without limits',
    `${head}plugins:\n- name: EventRateLimit\n`,
    /line 4: give either path or configuration;/,
  ],
  [
    'names a file that is missing',
    `${head}plugins:\n- {name: EventRateLimit, path: none}\n`,
    /^none cannot be read .*\[FILE_UNREADABLE\]/,
  ],
  [
    'has no limits',
    `${head}plugins:\n- name: EventRateLimit\n  configuration:\n    apiVersion: eventratelimit.admission.orch.io/v1alpha1\n    kind: Configuration\n`,
    /main: line 5: limits are missing;/,
  ],
])('a file that %s', async (_what, main, error) => {
  const { told } = await complete({ main });
  expect(told).toEqual([expect.stringMatching(error)]);
});

test('the entry may be missing where the plugin is off; the plugin needs a file', async () => {
  expect((await complete({ main: `${head}plugins: []\n` }, '')).told).toEqual([]);
  const { errors } = await configFromFlags({ 'enable-admission-plugins': 'EventRateLimit' });
  expect(errors.map(describeStartError)).toEqual([
    'flag --enable-admission-plugins names EventRateLimit, which has no configuration; ' +
      'configure it in the file of --admission-control-config-file [FLAG_VALUE]',
  ]);
});

test('tolerations and the image policy are read, with paths from the folder of their file', async () => {
  const main = `${head}plugins:
- name: PodTolerationRestriction
  configuration:
    apiVersion: podtolerationrestriction.admission.orch.io/v1alpha1
    kind: Configuration
    default: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]
- name: ImagePolicyWebhook
  path: images
`;
  const images = 'imagePolicy: {kubeConfigFile: kubeconfig, denyTTL: -1, defaultAllow: true}\n';
  const kubeconfig =
    'clusters: [{name: c, cluster: {server: "https://images.test/x", insecure-skip-tls-verify: true}}]\n' +
    'contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\nusers: [{name: u, user: {}}]\n';
  const { completed, told } = await complete({ main, images, kubeconfig }, 'ImagePolicyWebhook');
  expect(told).toEqual([]);
  const { podTolerations, imagePolicy } = completed.files.admission;
  expect(podTolerations).toEqual({
    default: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
    whitelist: [],
  });
  expect(imagePolicy).toMatchObject({
    ...{ allowedTtlMs: 300_000, deniedTtlMs: 0, retryMs: 500, allowsOnFailure: true },
    webhook: { server: 'https://images.test/x' },
  });
});

test('errors in tolerations and in the image policy are told with their lines', async () => {
  const main = `${head}plugins:
- name: PodTolerationRestriction
  configuration:
    apiVersion: podtolerationrestriction.admission.orch.io/v1alpha1
    kind: Configuration
    whitelist:
    - {key: a, operator: Has}
    - {kei: a}
- name: ImagePolicyWebhook
  configuration:
    imagePolicy:
      allowTTL: 1801
      defaultAllow: maybe
`;
  const { told } = await complete({ main }, 'ImagePolicyWebhook');
  expect(told).toEqual([
    'main: line 9: operator must be one of Exists, Equal; ' +
      'line 10: unknown field "kei"; ' +
      'line 10: operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"; ' +
      'line 13: kubeConfigFile is missing; ' +
      'line 14: allowTTL must be an integer from -1 to 1800; ' +
      'line 15: defaultAllow must be true or false; ' +
      'correct these lines, or --admission-control-config-file [PLUGIN_FILE_INVALID]',
  ]);
});

test('levels and exemptions of PodSecurity are read, and told of with their lines', async () => {
  const start = `${head}plugins:
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.orch.io/v1
    kind: PodSecurityConfiguration
`;
  const good = `${start}    defaults: {enforce: baseline, warn: restricted, warn-version: v1.21}
    exemptions: {usernames: [ann], namespaces: [orch-system]}
`;
  const { completed, told } = await complete({ main: good }, 'PodSecurity');
  expect(told).toEqual([]);
  expect(completed.files.admission.podSecurity).toEqual({
    defaults: {
      enforce: { level: 'baseline', version: 'latest' },
      audit: { level: 'privileged', version: 'latest' },
      warn: { level: 'restricted', version: 'v1.21' },
    },
    exemptions: { usernames: ['ann'], namespaces: ['orch-system'], runtimeClasses: [] },
  });
  const wrong = `${start}    defaults:
      enforce: strict
      audit-version: '1.21'
      level: x
    exemptions:
      namespaces: [a, a, B]
      usernames: ['']
`;
  const errors = await complete({ main: wrong }, 'PodSecurity');
  expect(errors.told).toHaveLength(1);
  for (const text of [
    'line 11: unknown field "level"',
    'line 9: enforce must be one of privileged, baseline, restricted',
    'line 10: audit-version must be "latest" or "v1.x"',
    'line 13: namespaces names "a" twice',
    'line 14: usernames: must not be empty',
  ])
    expect(errors.told[0]).toContain(text);
});
