import type { JsonObject } from '../../../../src/base/json.ts';
import { brief, contextWith, Kind, testErrors } from '../../../support/kind.ts';

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
  testErrors(kind, minimal, [
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
    [`${first}.rules.0.resources`, ['*', 'pods', '*', '*'], `${at}.rules[0].resources Invalid`],
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

  const conditional = new Kind(
    `${plural}.admissionregistration`,
    contextWith({ release: { major: 1, minor: 29 } }),
    { major: 1, minor: 29 },
  );
  const condition = (expression: string, name = 'c'): JsonObject => ({ name, expression });
  const place = `${at}.matchConditions`;
  testErrors(conditional, minimal, [
    [`${first}.matchConditions`, [condition("object.metadata.name != 'a' && request.namespace == 'b'")]],
    [
      `${first}.matchConditions`,
      [condition('object.a ==', ''), condition(' '), condition("'text'", 'c')],
      `${place}[0].expression Invalid`,
      `${place}[0].name Required`,
      `${place}[1].expression Required`,
      `${place}[2].expression Invalid`,
      `${place}[2].name Duplicate`,
    ],
    // Of a later release.
    [`${first}.matchConditions`, [condition("isIP('::1')")], `${place}[0].expression Invalid`],
    [
      `${first}.matchConditions`,
      Array.from({ length: 8 }, (_, i) => condition(`'${'x'.repeat(8_000)}' != ''`, `c${String(i)}`)),
      `${place}[6].expression Forbidden`,
      `${place}[7].expression Forbidden`,
    ],
  ]);

  test('an update keeps expressions of a later release', () => {
    const stored = conditional.created({
      ...minimal,
      webhooks: [{ ...webhook, matchConditions: [condition("isIP('::1')")] }],
    });
    const next = { ...minimal, webhooks: [{ ...webhook, matchConditions: [condition("isIP('::1')", 'd')] }] };
    expect(brief(conditional.updateErrors(stored, next))).toEqual([]);
  });

  test('defaults, generation, cells', () => {
    const before = kind.created(minimal);
    expect(before['webhooks']).toMatchObject([
      { failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 },
    ]);
    expect(kind.definition.strategy.bumpsGeneration?.(before, before)).toBe(false);
    expect(kind.cells(before)[1]).toBe(1);
  });

  const beta = new Kind(`${plural}.admissionregistration`, contextWith({ version: 'v1beta1' }));
  const loud = { ...webhook, sideEffects: 'Unknown' };
  const twice = [webhook, { ...webhook, sideEffects: 'NoneOnDryRun' }];
  const foreign = { ...webhook, admissionReviewVersions: ['v3'] };
  const of = (...webhooks: JsonObject[]): JsonObject => ({ ...minimal, webhooks });

  test('v1 asks more than v1beta1', () => {
    const bare = { ...loud, admissionReviewVersions: [] };
    expect(brief(kind.createErrors(of(bare, { ...bare, sideEffects: '' })))).toEqual(
      expect.arrayContaining([
        'webhooks[0].admissionReviewVersions Required',
        'webhooks[0].sideEffects NotSupported',
        'webhooks[1].admissionReviewVersions Required',
        'webhooks[1].name Duplicate',
        'webhooks[1].sideEffects Required',
      ]),
    );
    expect(brief(beta.createErrors(of(loud, ...twice)))).toEqual([]);
    expect(brief(beta.createErrors(of(foreign)))).toEqual([`${at}.admissionReviewVersions Invalid`]);
  });

  test.each([
    ['side effects', [loud], `${at}.sideEffects NotSupported`],
    ['names', twice, 'webhooks[1].name Duplicate'],
    ['reviews', [foreign], `${at}.admissionReviewVersions Invalid`],
  ])('what is stored with errors in its %s may keep them, and have them anew', (_name, invalid, error) => {
    const [good, bad] = [of(webhook), of(...invalid)];
    expect(brief(kind.updateErrors(kind.created(good), bad))).toEqual([error]);
    expect(brief(kind.updateErrors(kind.created(bad), bad))).toEqual([]);
    expect(brief(kind.updateErrors(kind.created(bad), good))).toEqual([]);
    // Of the others it may have none.
    const everything = { ...foreign, sideEffects: 'Some' };
    expect(brief(kind.updateErrors(kind.created(bad), of(everything, everything)))).toEqual(
      [
        ...['sideEffects NotSupported', 'admissionReviewVersions Invalid'].flatMap((rest) => [
          `webhooks[0].${rest}`,
          `webhooks[1].${rest}`,
        ]),
        'webhooks[1].name Duplicate',
      ]
        .filter((other) => other.split('.')[1] !== error.split('.')[1])
        .sort(),
    );
  });
});
