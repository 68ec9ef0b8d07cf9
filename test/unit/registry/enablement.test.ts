import { builtInGroups } from '../../../src/api/index.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { currentRelease, parseRelease } from '../../../src/observe/release.ts';
import { decideEnabled, parseRuntimeConfig } from '../../../src/registry/catalogue/enablement.ts';

/** What is on, as `group/version/resource`. */
function enabled(text = '', release = '1.21', naming = namingProfiles.orch): (key: string) => boolean {
  const isEnabled = decideEnabled({
    groups: builtInGroups,
    naming,
    release: parseRelease(release) ?? currentRelease,
    settings: parseRuntimeConfig(text),
  });
  return (key) => {
    const [resource = '', version = '', group = ''] = key.split('/').reverse();
    return isEnabled(group, version, resource);
  };
}

describe('parseRuntimeConfig', () => {
  test.each<[string, Record<string, boolean>]>([
    ['', {}],
    ['batch/v2alpha1', { 'batch/v2alpha1': true }],
    ['batch/v1=false, api/alpha=TRUE,', { 'batch/v1': false, 'api/alpha': true }],
    ['api/v1=1,api/v1/pods=0', { v1: true, 'v1/pods': false }],
    ['batch/v1=false,batch/v1=true', { 'batch/v1': true }],
  ])('%j', (text, expected) => {
    expect({ ...parseRuntimeConfig(text) }).toEqual(expected);
  });

  test('names everything that is invalid', () => {
    expect(() => parseRuntimeConfig('a=b,=true,c=true=false,d,e=__proto__')).toThrow(
      '"a=b", "=true", "c=true=false", "e=__proto__": give key=true or key=false',
    );
  });
});

describe('what is on', () => {
  test('by default: everything but alpha', () => {
    const isOn = enabled();
    expect(isOn('v1/pods')).toBe(true);
    expect(isOn('batch/v1beta1/cronjobs')).toBe(true);
    expect(isOn('rbac.authorization.orch.io/v1alpha1/roles')).toBe(false);
    expect(isOn('internal.apiserver.orch.io/v1alpha1/storageversions')).toBe(false);
  });

  test('what the release never served is not', () => {
    const isOn = enabled('api/all=true');
    expect(isOn('apps/v1beta1/deployments')).toBe(false);
    expect(isOn('extensions/v1beta1/deployments')).toBe(false);
    expect(isOn('extensions/v1beta1/ingresses')).toBe(true);
    expect(isOn('rbac.authorization.orch.io/v1alpha1/roles')).toBe(true);
  });

  test.each<[string, Record<string, boolean>]>([
    ['batch/v2alpha1', { 'batch/v2alpha1/cronjobs': true }],
    ['api/alpha', { 'node.orch.io/v1alpha1/runtimeclasses': true }],
    ['api/beta=false', { 'batch/v1beta1/cronjobs': false, 'batch/v1/cronjobs': true }],
    [
      'api/beta=false,batch/v1beta1',
      { 'batch/v1beta1/cronjobs': true, 'policy/v1beta1/poddisruptionbudgets': false },
    ],
    ['api/all=false,api/ga=true', { 'batch/v1beta1/cronjobs': false, 'batch/v1/cronjobs': true }],
    ['api/all=false,v1=true', { 'v1/pods': true, 'apps/v1/deployments': false }],
    ['batch/v1=false', { 'batch/v1/jobs': false, 'batch/v1beta1/cronjobs': true }],
    ['batch/v1=false,batch/v1/jobs=true', { 'batch/v1/jobs': true, 'batch/v1/cronjobs': false }],
    ['batch/v1/jobs=false', { 'batch/v1/jobs': false, 'batch/v1/cronjobs': true }],
    ['v1/pods=false', { 'v1/pods': false, 'v1/services': true }],
  ])('with %s', (text, expected) => {
    const isOn = enabled(text);
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, isOn(key)]))).toEqual(expected);
  });

  test('keys are in the words of the naming profile', () => {
    const isOn = enabled('storage.k8s.io/v1beta1=false', '1.21', namingProfiles.kubernetes);
    expect(isOn('storage.k8s.io/v1beta1/csidrivers')).toBe(false);
    expect(() => enabled('storage.k8s.io/v1beta1=false')).toThrow('unknown storage.k8s.io/v1beta1');
  });
});

describe('a later release', () => {
  test('stops serving what the specification says it does', () => {
    const in22 = enabled('', '1.22');
    expect(in22('extensions/v1beta1/ingresses')).toBe(false);
    expect(in22('storage.orch.io/v1beta1/csidrivers')).toBe(false);
    expect(in22('storage.orch.io/v1beta1/csistoragecapacities')).toBe(true);
    expect(in22('batch/v1beta1/cronjobs')).toBe(true);
    const in25 = enabled('', '1.25');
    expect(in25('batch/v1beta1/cronjobs')).toBe(false);
    expect(in25('policy/v1beta1/podsecuritypolicies')).toBe(false);
    expect(in25('policy/v1/poddisruptionbudgets')).toBe(true);
  });

  test('does not know what it has removed', () => {
    expect(() => enabled('batch/v1beta1=true', '1.25')).toThrow('unknown batch/v1beta1');
  });
});

describe('refusals', () => {
  test('unknown keys are reported with the known ones', () => {
    expect(() => enabled('batch/v9,api/everything,__proto__,batch/v1/pods=false,apps/v1beta1')).toThrow(
      /^unknown batch\/v9, api\/everything, __proto__, batch\/v1\/pods, apps\/v1beta1; batch\/v1 has cronjobs, jobs; there are api\/all, api\/ga, api\/beta, api\/alpha, .*batch\/v1, .*v1, and resources of them$/,
    );
  });

  test.each(['api/all=false', 'v1=false', 'v1/namespaces=false', 'api/ga=false'])(
    '%s leaves too little',
    (text) => {
      expect(() => enabled(text)).toThrow('v1/namespaces cannot be disabled');
    },
  );
});
