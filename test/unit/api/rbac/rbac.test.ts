import { applySubjectDefaults, subjectsToStorage } from '../../../../src/api/rbac/subject-conversion.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { asApiObject } from '../../../../src/meta/object.ts';
import { brief, contextWith, Kind, testErrors, withValue } from '../../../support/kind.ts';

const metadata = { name: 'system:reader', namespace: 'default' };
const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const group = 'rbac.authorization.orch.io';

describe('Role', () => {
  testErrors(new Kind('roles.rbac'), { metadata, rules: [rule] }, [
    ['rules.0.verbs', [], 'rules[0].verbs Required'],
    ['rules.0', { verbs: ['get'] }, 'rules[0].apiGroups Required', 'rules[0].resources Required'],
    ['rules.0', { verbs: ['get'], nonResourceURLs: ['/'] }, 'rules[0].nonResourceURLs Invalid'],
  ]);
});

describe('ClusterRole', () => {
  testErrors(new Kind('clusterroles.rbac'), { metadata: { name: 'a' }, rules: [rule] }, [
    ['rules.0', { verbs: ['get'], nonResourceURLs: ['/'] }],
    ['rules.0.nonResourceURLs', ['/'], 'rules[0].nonResourceURLs Invalid'],
    ['aggregationRule', {}, 'aggregationRule.clusterRoleSelectors Required'],
    [
      'aggregationRule',
      { clusterRoleSelectors: [{ matchLabels: { 'a b': 'c' } }] },
      'aggregationRule.clusterRoleSelectors[0].matchLabels Invalid',
    ],
  ]);
});

describe.each(['rolebindings', 'clusterrolebindings'])('%s', (plural) => {
  const kind = new Kind(`${plural}.rbac`);
  const isNamespaced = plural === 'rolebindings';
  const minimal: JsonObject = {
    metadata: { name: 'a', ...(isNamespaced && { namespace: 'default' }) },
    roleRef: { kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'User', name: 'ada' }],
  };
  testErrors(kind, minimal, [
    ['roleRef.name', '', 'roleRef.name Required'],
    ['roleRef.apiGroup', 'apps', 'roleRef.apiGroup NotSupported'],
    ['roleRef.kind', 'Rule', 'roleRef.kind NotSupported'],
    ['roleRef.kind', 'Role', ...(isNamespaced ? [] : ['roleRef.kind NotSupported'])],
    ['subjects.0.name', '', 'subjects[0].name Required'],
    ['subjects.0.kind', '', 'subjects[0].kind NotSupported'],
    ['subjects.0.kind', 'Robot', 'subjects[0].kind NotSupported'],
    ['subjects.0.apiGroup', 'apps', 'subjects[0].apiGroup NotSupported'],
    [
      'subjects.0',
      { kind: 'ServiceAccount', name: 'a/b' },
      'subjects[0].name Invalid',
      'subjects[0].namespace Required',
    ],
  ]);

  test('the role stays; defaults; cells', () => {
    const before = kind.created(
      withValue(minimal, 'subjects.1', { kind: 'ServiceAccount', name: 'a', namespace: 'n' }),
    );
    expect(before).toMatchObject({ roleRef: { apiGroup: group }, subjects: [{ apiGroup: group }, {}] });
    expect(brief(kind.updateErrors(before, withValue(minimal, 'roleRef.name', 'edit')))).toEqual([
      'roleRef Invalid',
    ]);
    expect(kind.cells(before).slice(1)).toEqual(['ClusterRole/view', '<unknown>', 'ada', '', 'n/a']);
  });
});

test('v1alpha1: versions instead of groups, the star for all users', () => {
  const binding: JsonObject = {
    metadata,
    subjects: [
      { kind: 'User', name: '*' },
      { kind: 'ServiceAccount', name: 'a' },
      { kind: 'Robot', apiVersion: 'x/v1', name: 'r' },
    ],
  };
  applySubjectDefaults(asApiObject(binding), contextWith());
  expect(binding['subjects']).toMatchObject([
    { apiVersion: `${group}/v1alpha1` },
    { apiVersion: 'v1' },
    { apiVersion: 'x/v1' },
  ]);
  expect(subjectsToStorage(binding, namingProfiles.orch)['subjects']).toEqual([
    { kind: 'Group', apiGroup: group, name: 'system:authenticated' },
    { kind: 'ServiceAccount', name: 'a' },
    { kind: 'Robot', apiGroup: 'x', name: 'r' },
  ]);
});
