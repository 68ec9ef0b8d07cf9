import { mandatoryLevels, mandatorySchemas } from '../../../../src/api/flowcontrol/mandatory.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { brief, Kind, testErrors, contextWith } from '../../../support/kind.ts';

describe('FlowSchema', () => {
  const kind = new Kind('flowschemas.flowcontrol');
  const rule = {
    subjects: [{ kind: 'User', user: { name: 'ada' } }],
    resourceRules: [{ verbs: ['get'], apiGroups: ['*'], resources: ['pods'], namespaces: ['default'] }],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz/*'] }],
  };
  const minimal: JsonObject = {
    metadata: { name: 'mine' },
    spec: { priorityLevelConfiguration: { name: 'workload' }, rules: [rule] },
  };
  const at = 'spec.rules[0]';
  const first = 'spec.rules.0';
  testErrors(kind, minimal, [
    ['spec.matchingPrecedence', 10001, 'spec.matchingPrecedence Invalid'],
    ['spec.matchingPrecedence', 1, 'spec.matchingPrecedence Invalid'],
    ['spec.priorityLevelConfiguration.name', '', 'spec.priorityLevelConfiguration.name Required'],
    ['spec.distinguisherMethod', { type: 'ByDay' }, 'spec.distinguisherMethod.type NotSupported'],
    [first, {}, `${at} Required`, `${at}.subjects Required`],
    [`${first}.subjects.0`, {}, `${at}.subjects[0].kind Required`],
    [
      `${first}.subjects.0`,
      { kind: 'Group', user: { name: 'a' } },
      `${at}.subjects[0].group Required`,
      `${at}.subjects[0].user Forbidden`,
    ],
    [`${first}.subjects.0`, { kind: 'User', user: {} }, `${at}.subjects[0].user.name Required`],
    [
      `${first}.subjects.0`,
      { kind: 'ServiceAccount', serviceAccount: { name: '*' } },
      `${at}.subjects[0].serviceAccount.namespace Required`,
    ],
    [
      `${first}.resourceRules.0`,
      { verbs: ['*', 'get'] },
      `${at}.resourceRules[0].apiGroups Required`,
      `${at}.resourceRules[0].namespaces Required`,
      `${at}.resourceRules[0].resources Required`,
      `${at}.resourceRules[0].verbs Invalid`,
    ],
    [`${first}.resourceRules.0.namespaces`, ['*', 'a'], `${at}.resourceRules[0].namespaces Invalid`],
    [`${first}.resourceRules.0.namespaces`, ['A'], `${at}.resourceRules[0].namespaces[0] Invalid`],
    [
      `${first}.nonResourceRules.0`,
      { verbs: ['list'], nonResourceURLs: ['x', '/a//b', '/a*', ''] },
      `${at}.nonResourceRules[0].nonResourceURLs[0] Invalid`,
      `${at}.nonResourceRules[0].nonResourceURLs[1] Invalid`,
      `${at}.nonResourceRules[0].nonResourceURLs[2] Invalid`,
      `${at}.nonResourceRules[0].nonResourceURLs[3] Invalid`,
      `${at}.nonResourceRules[0].verbs[0] NotSupported`,
    ],
  ]);

  test('schemas that must be are what they are', () => {
    for (const [name, spec] of Object.entries(mandatorySchemas)) {
      const sent = { metadata: { name }, spec: JSON.parse(JSON.stringify(spec)) as JsonObject };
      expect(kind.createErrors(sent)).toEqual([]);
      expect(brief(kind.createErrors({ ...sent, spec: { ...sent.spec, matchingPrecedence: 500 } }))).toEqual([
        'spec Invalid',
      ]);
    }
  });

  test('cells and status', () => {
    const before = kind.created(minimal);
    expect(before['spec']).toMatchObject({ matchingPrecedence: 1000 });
    expect(kind.cells(before).slice(1)).toEqual(['workload', 1000, '<none>', '<unknown>', '?']);
    const status = { conditions: [{ type: 'Dangling', status: 'True' }, { type: 'Dangling' }, {}] };
    expect(brief(kind.updateErrors(before, { ...minimal, status }, 'status'))).toEqual([
      'status.conditions[1].type Duplicate',
      'status.conditions[2].type Required',
    ]);
  });
});

describe('PriorityLevelConfiguration', () => {
  const kind = new Kind('prioritylevelconfigurations.flowcontrol', contextWith({ version: 'v1beta1' }));
  const minimal: JsonObject = {
    metadata: { name: 'workload' },
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
  };
  const response = 'spec.limited.limitResponse';
  testErrors(kind, minimal, [
    ['spec.type', '', 'spec.type Required'],
    ['spec.type', 'Exempt', 'spec.limited Forbidden', 'spec.type Invalid'],
    ['spec.limited', undefined, 'spec.limited Required'],
    ['spec.limited.assuredConcurrencyShares', -1, 'spec.limited.assuredConcurrencyShares Invalid'],
    [response, {}, `${response}.type Required`],
    [`${response}.type`, 'Reject', `${response}.queuing Forbidden`],
    [`${response}.queuing`, undefined, `${response}.queuing Required`],
    [`${response}.queuing`, { queues: 4 }, `${response}.queuing.handSize Invalid`],
    [`${response}.queuing`, { queues: 10_000_001, handSize: 1 }, `${response}.queuing.queues Invalid`],
    [`${response}.queuing`, { queues: 1000, handSize: 8 }, `${response}.queuing.handSize Invalid`],
    [`${response}.queuing.queueLengthLimit`, -1, `${response}.queuing.queueLengthLimit Invalid`],
  ]);

  test('levels that must be are what they are; cells', () => {
    for (const [name, spec] of Object.entries(mandatoryLevels)) {
      const sent = { metadata: { name }, spec: JSON.parse(JSON.stringify(spec)) as JsonObject };
      expect(kind.createErrors(sent)).toEqual([]);
    }
    const wrong = { metadata: { name: 'catch-all' }, spec: minimal['spec'] as JsonObject };
    expect(brief(kind.createErrors(wrong))).toEqual(['spec Invalid']);
    expect(kind.cells(kind.created(minimal)).slice(1, 6)).toEqual(['Limited', 30, 64, 8, 50]);
  });
});

describe('StorageVersion', () => {
  const kind = new Kind('storageversions.internal');
  test('names and status', () => {
    expect(brief(kind.createErrors({ metadata: { name: 'pods' } }))).toEqual(['metadata.name Invalid']);
    const before = kind.created({ metadata: { name: 'apps.deployments' }, spec: {} });
    const status = {
      storageVersions: [{ apiServerID: 'a', encodingVersion: 'v1' }, { apiServerID: 'a' }],
      conditions: [{ type: 'x', status: 'True' }],
    };
    expect(
      brief(
        kind.updateErrors(before, { metadata: { name: 'apps.deployments' }, spec: {}, status }, 'status'),
      ),
    ).toEqual([
      'status.conditions[0].reason Required',
      'status.storageVersions[1].apiServerID Duplicate',
      'status.storageVersions[1].encodingVersion Required',
    ]);
    expect(kind.cells({ ...before, status }).slice(1, 3)).toEqual(['<unset>', 'a=v1,a=']);
  });
});
