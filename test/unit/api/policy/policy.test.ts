import { podDisruptionBudgets } from '../../../../src/api/policy/pod-disruption-budgets.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { brief, Kind, testErrors } from '../../../support/kind.ts';

const metadata = { name: 'web', namespace: 'default' };

describe('PodDisruptionBudget', () => {
  const kind = new Kind('poddisruptionbudgets.policy');
  const minimal: JsonObject = {
    metadata,
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  };
  testErrors(kind, minimal, [
    ['spec.maxUnavailable', 1, 'spec Invalid'],
    ['spec.minAvailable', -1, 'spec.minAvailable Invalid'],
    ['spec.minAvailable', '101%', 'spec.minAvailable Invalid'],
    ['spec.minAvailable', 'many', 'spec.minAvailable Invalid'],
    [
      'spec.selector',
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      'spec.selector.matchExpressions[0].values Forbidden',
    ],
  ]);

  test('status and cells', () => {
    const before = kind.created(minimal);
    const status = { disruptionsAllowed: -1, currentHealthy: -1, conditions: [{ type: '', status: 'True' }] };
    expect(brief(kind.updateErrors(before, { ...minimal, status }, 'status'))).toEqual([
      'status.conditions[0].type Required',
      'status.currentHealthy Invalid',
      'status.disruptionsAllowed Invalid',
    ]);
    expect(kind.cells(before).slice(1, 4)).toEqual(['1', 'N/A', 0]);
  });

  test('the empty selector means the opposite in both versions', () => {
    const beta = podDisruptionBudgets.versions.find(({ version }) => version === 'v1beta1');
    const key = 'pdb.orch.io/deprecated-v1beta1-empty-selector-match';
    const empty = (): JsonObject => ({ spec: { selector: {} } });
    const marked = (operator: string): JsonObject => ({
      spec: { selector: { matchExpressions: [{ key, operator }] } },
    });
    const { orch } = namingProfiles;
    expect(beta?.toStorage?.(empty(), orch)).toEqual(marked('Exists'));
    expect(beta?.fromStorage?.(marked('Exists'), orch)).toEqual(empty());
    expect(beta?.fromStorage?.(empty(), orch)).toEqual(marked('DoesNotExist'));
    expect(beta?.toStorage?.(marked('DoesNotExist'), orch)).toEqual(empty());
    expect(beta?.toStorage?.({ spec: {} }, orch)).toEqual({ spec: {} });
  });
});

describe('PodSecurityPolicy', () => {
  const kind = new Kind('podsecuritypolicies.policy');
  const any = { rule: 'RunAsAny' };
  const minimal: JsonObject = {
    metadata: { name: 'open' },
    spec: { seLinux: any, runAsUser: any, supplementalGroups: any, fsGroup: any },
  };
  testErrors(kind, minimal, [
    ['spec.seLinux', {}, 'spec.seLinux.rule Required'],
    [
      'spec.fsGroup',
      {
        rule: 'Some',
        ranges: [
          { min: 5, max: 1 },
          { min: -1, max: 1 },
        ],
      },
      'spec.fsGroup.rule NotSupported',
      'spec.fsGroup.ranges[0].min Invalid',
      'spec.fsGroup.ranges[1].min Invalid',
    ],
    ['spec.requiredDropCapabilities', ['*', 'X'], 'spec.requiredDropCapabilities Invalid'],
    ['spec.volumes', ['floppy'], 'spec.volumes[0] NotSupported'],
    [
      'spec.hostPorts',
      [
        { min: 5, max: 70000 },
        { min: 9, max: 5 },
      ],
      'spec.hostPorts[0].max Invalid',
      'spec.hostPorts[1].min Invalid',
    ],
    [
      'spec.allowedHostPaths',
      [{ pathPrefix: '/a/../b' }, {}],
      'spec.allowedHostPaths[0].pathPrefix Invalid',
      'spec.allowedHostPaths[1].pathPrefix Required',
    ],
    ['spec.allowedFlexVolumes', [{}], 'spec.allowedFlexVolumes[0].driver Required'],
    ['spec.allowedCSIDrivers', [{}], 'spec.allowedCSIDrivers[0].name Required'],
    ['spec.forbiddenSysctls', ['net.*', 'A b'], 'spec.forbiddenSysctls[1] Invalid'],
    [
      'spec.runtimeClass',
      { allowedRuntimeClassNames: ['a'], defaultRuntimeClassName: 'b' },
      'spec.runtimeClass.allowedRuntimeClassNames Required',
    ],
  ]);

  test('what must be dropped is not allowed; sysctls are allowed or forbidden', () => {
    const spec = {
      ...(minimal['spec'] as JsonObject),
      requiredDropCapabilities: ['X'],
      allowedCapabilities: ['X'],
      allowedUnsafeSysctls: ['a'],
      forbiddenSysctls: ['a'],
      defaultAllowPrivilegeEscalation: true,
      allowPrivilegeEscalation: false,
    };
    expect(brief(kind.createErrors({ ...minimal, spec }))).toEqual([
      'spec.allowedCapabilities Invalid',
      'spec.defaultAllowPrivilegeEscalation Invalid',
      'spec.forbiddenSysctls[0] Invalid',
    ]);
    expect(kind.created(minimal)['spec']).toMatchObject({ allowPrivilegeEscalation: true });
    expect(kind.cells(kind.created(minimal))).toEqual([
      'open',
      'false',
      '',
      'RunAsAny',
      'RunAsAny',
      'RunAsAny',
      'RunAsAny',
      false,
      '',
    ]);
  });
});
