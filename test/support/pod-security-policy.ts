/** PodSecurityPolicies for tests: one that allows everything, with changes. */
import type { AccessChecker } from '../../src/admission/access-checker.ts';
import type { AdmissionPlugin } from '../../src/admission/admission-chain.ts';
import { createPodSecurityPolicy } from '../../src/admission/pod-security-policy/plugin.ts';
import { naming, readerOf, type Write } from './admission.ts';

const any = { rule: 'RunAsAny' };
/** Allows everything that needs no more than a rule. */
const open = {
  ...{ privileged: true, hostNetwork: true, hostPID: true, hostIPC: true, volumes: ['*'] },
  ...{ runAsUser: any, fsGroup: any, supplementalGroups: any, seLinux: any },
  ...{ allowPrivilegeEscalation: true, allowedCapabilities: ['*'], hostPorts: [{ min: 0, max: 65_535 }] },
};
export const anySeccomp = { 'seccomp.security.alpha.orch.io/allowedProfileNames': '*' };

export type Policy = Readonly<Record<string, unknown>>;

/** Users may use the policies that their names list. */
const access: AccessChecker = {
  check: (user, { verb, group, resource, name }) =>
    Promise.resolve({
      isAllowed:
        verb === 'use' &&
        group === 'policy' &&
        resource === 'podsecuritypolicies' &&
        user.name.split(/[:,]/).includes(name),
      reason: '',
    }),
};

/** The plugin over these policies, by name. */
export function pluginWith(policies: Readonly<Record<string, Policy>>): AdmissionPlugin {
  const objects = Object.entries(policies).map(([name, { annotations = {}, ...spec }]): [string, object] => [
    `policy/podsecuritypolicies/${name}`,
    { metadata: { name, annotations }, spec: { ...open, ...spec } },
  ]);
  return createPodSecurityPolicy(readerOf(Object.fromEntries(objects)), access, naming);
}

/** The creation of a pod by a user who may use the policy `p`. */
export const pod = (spec: object, annotations: object = {}, more: Partial<Write> = {}): Write => ({
  resource: 'pods',
  object: { metadata: { annotations }, spec: { containers: [{ name: 'c' }], ...spec } },
  user: { name: 'p' },
  ...more,
});
