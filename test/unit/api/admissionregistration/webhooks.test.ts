import type { JsonObject } from '../../../../src/base/json.ts';
import { asApiObject } from '../../../../src/meta/object.ts';
import { brief, Kind, testFaults, withValue } from '../kind.ts';

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const webhook = {
  name: 'check.example.com',
  clientConfig: { url: 'https://example.com/check' },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const first = 'webhooks.0';
const at = 'webhooks[0]';

describe.each(['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'])('%s', (plural) => {
  const kind = new Kind(`${plural}.admissionregistration`);
  const minimal: JsonObject = { metadata: { name: 'check' }, webhooks: [webhook] };
  testFaults(kind, minimal, [
    [`${first}.name`, '', `${at}.name Required`],
    [`${first}.name`, 'check.local', `${at}.name Invalid`],
    [`${first}.timeoutSeconds`, 31, `${at}.timeoutSeconds Invalid`],
    [`${first}.failurePolicy`, 'Retry', `${at}.failurePolicy NotSupported`],
    [
      `${first}.admissionReviewVersions`,
      ['v2', 'v2', 'V'],
      `${at}.admissionReviewVersions Invalid`,
      `${at}.admissionReviewVersions[1] Duplicate`,
      `${at}.admissionReviewVersions[2] Invalid`,
    ],
    [
      `${first}.rules.0`,
      {},
      `${at}.rules[0].apiGroups Required`,
      `${at}.rules[0].apiVersions Required`,
      `${at}.rules[0].operations Required`,
      `${at}.rules[0].resources Required`,
    ],
    [`${first}.rules.0.operations`, ['*', 'CREATE'], `${at}.rules[0].operations Invalid`],
    [`${first}.rules.0.apiVersions`, [''], `${at}.rules[0].apiVersions[0] Required`],
    [`${first}.rules.0.resources`, ['*', 'pods'], `${at}.rules[0].resources Invalid`],
    [
      `${first}.rules.0.resources`,
      ['pods/*', 'pods/status', ''],
      `${at}.rules[0].resources[1] Invalid`,
      `${at}.rules[0].resources[2] Required`,
    ],
    [`${first}.clientConfig`, {}, `${at}.clientConfig Required`],
    [
      `${first}.clientConfig.url`,
      'http://u@example.com/?a#b',
      ...Array<string>(4).fill(`${at}.clientConfig.url Invalid`),
    ],
    [`${first}.clientConfig.url`, 'nowhere', `${at}.clientConfig.url Required`],
    [
      `${first}.clientConfig`,
      { service: { port: 0, path: 'a//b' } },
      `${at}.clientConfig.service.name Required`,
      `${at}.clientConfig.service.namespace Required`,
      `${at}.clientConfig.service.path Invalid`,
      `${at}.clientConfig.service.path Invalid`,
      `${at}.clientConfig.service.port Invalid`,
    ],
  ]);

  test('defaults, generation, cells', () => {
    const before = kind.created(minimal);
    expect(before['webhooks']).toMatchObject([
      { failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 },
    ]);
    expect(kind.definition.strategy.bumpsGeneration?.(before, before)).toBe(false);
    expect(kind.cells(before)[1]).toBe(1);
  });

  test('v1 asks more than v1beta1', () => {
    const [v1, beta] = kind.definition.versions;
    const loud = { ...webhook, sideEffects: 'Unknown', admissionReviewVersions: [] };
    const sent = asApiObject({ ...minimal, webhooks: [loud, { ...loud, sideEffects: '' }] });
    expect(brief(v1?.validate?.(sent, kind.context) ?? [])).toEqual([
      'webhooks[0].admissionReviewVersions Required',
      'webhooks[0].sideEffects NotSupported',
      'webhooks[1].admissionReviewVersions Required',
      'webhooks[1].name Duplicate',
      'webhooks[1].sideEffects Required',
    ]);
    expect(beta?.validate).toBeUndefined();
    expect(kind.createFaults(withValue(minimal, `${first}.sideEffects`, 'Unknown'))).toEqual([]);
  });
});
