/**
 * PodSecurityPolicy: a pod needs a policy that its account or its writer may `use`. The first by name that allows it as it
 * is counts, otherwise the first that allows it once it has set what the pod leaves open. Updates are only validated.
 */
import type { Pod as PodFields } from '../../api/core/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import { SharedSlice } from '../../base/cooperate.ts';
import { deepCopy, deepEqual, type JsonObject } from '../../base/json.ts';
import { collect, type FieldError } from '../../meta/field-error.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { changesOnlyCollection } from '../../meta/object.ts';
import { forbidden } from '../../meta/status.ts';
import { accountUser, type UserInfo } from '../../meta/user.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import type { AccessChecker } from '../access-checker.ts';
import { isWriteOf } from '../attributes.ts';
import type { AdmissionPlugin } from '../admission-chain.ts';
import { FoundAmong } from '../found-among.ts';
import type { ObjectReader } from '../object-reader.ts';
import { createPolicyProvider, type PolicyPod, type PolicyProvider } from './policy-provider.ts';

type Pod = Stored<PodFields>;

const collection = 'policy/podsecuritypolicies';

interface Judgement {
  /** The policy that allows the pod, and the pod as it completes it. */
  readonly allowing?: { readonly name: string; readonly pod: PolicyPod };
  /** Why policies that may be used forbid it. */
  readonly errors: readonly FieldError[];
}

export function createPodSecurityPolicy(
  reader: ObjectReader,
  access: AccessChecker,
  naming: NamingProfile,
): AdmissionPlugin {
  const annotation = `${naming.labelDomain}/psp`;
  const auditKey = (phase: string): string => `podsecuritypolicy.policy.${naming.apiDomain}/${phase}-policy`;
  const policies = new FoundAmong(reader, collection, (all) =>
    all
      .flatMap((policy) => createPolicyProvider(policy, naming) ?? [])
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
  const judge = async (attributes: AdmissionAttributes, preferred?: string): Promise<Judgement> =>
    judgePod({ access, attributes, preferred, providers: preferredFirst(await policies.now(), preferred) });
  return {
    name: 'PodSecurityPolicy',
    async admit(attributes): Promise<void> {
      if (attributes.operation !== 'CREATE' || !isWriteOf(attributes, 'pods')) return;
      const { allowing, errors } = await judge(attributes);
      if (!allowing) throw refused(attributes, `unable to admit pod: ${listed(errors)}`);
      const pod = attributes.object as Pod;
      pod.spec = allowing.pod.spec;
      pod.metadata.annotations = { ...allowing.pod.annotations, [annotation]: allowing.name };
      attributes.scope.annotate?.(auditKey('admit'), allowing.name);
    },
    async validate(attributes): Promise<void> {
      const { operation, object, oldObject, scope } = attributes;
      if (!isWriteOf(attributes, 'pods') || !object) return;
      // Garbage collection changes owners and finalizers of pods whatever they may do.
      if (operation === 'UPDATE' && oldObject && changesOnlyCollection(object, oldObject)) return;
      const preferred = object.metadata.annotations?.[annotation] ?? '';
      const { allowing, errors } = await judge(attributes, preferred);
      if (!allowing) throw refused(attributes, `unable to validate pod: ${listed(errors)}`);
      scope.annotate?.(auditKey('validate'), allowing.name);
    },
  };
}

function refused({ scope, name }: AdmissionAttributes, problem: string): Error {
  return forbidden(scope.resource.gvr, name, `PodSecurityPolicy: ${problem}`);
}

function listed(errors: readonly FieldError[]): string {
  return `[${errors.map(({ field, message }) => `${field}: ${message}`).join(' ')}]`;
}

function preferredFirst(
  providers: readonly PolicyProvider[],
  preferred: string | undefined,
): readonly PolicyProvider[] {
  const first = providers.find(({ name }) => name === preferred);
  return first ? [first, ...providers.filter((each) => each !== first)] : providers;
}

/** Of all pods that are judged. */
const judging = new SharedSlice();

interface Question {
  readonly access: AccessChecker;
  readonly attributes: AdmissionAttributes;
  /** undefined: policies may complete the pod. */
  readonly preferred: string | undefined;
  readonly providers: readonly PolicyProvider[];
}

/** @throws StatusError 403 without any policy */
async function judgePod(question: Question): Promise<Judgement> {
  const { attributes, preferred, providers } = question;
  if (providers.length === 0) throw refused(attributes, 'no providers available to validate pod request');
  const original = copyOf(attributes.object as Pod);
  let completed: Judgement['allowing'];
  const failures: [PolicyProvider, readonly FieldError[]][] = [];
  for (const provider of providers) {
    if (judging.shouldYield()) await judging.yieldNow();
    const pod = copyOf(attributes.object as Pod);
    provider.complete(pod);
    const errors = provider.validate(pod);
    if (errors.length > 0) failures.push([provider, errors]);
    const isChanged = !isSame(pod, original);
    const canCount = isChanged ? preferred === undefined && !completed : true;
    if (errors.length > 0 || !canCount || !(await mayUse(question, provider.name))) continue;
    if (!isChanged) return { allowing: { name: provider.name, pod }, errors: [] };
    completed = { name: provider.name, pod };
  }
  if (completed) return { allowing: completed, errors: [] };
  const reported: FieldError[] = [];
  for (const [{ name }, errors] of failures) if (await mayUse(question, name)) collect(reported, errors);
  return { errors: reported };
}

function copyOf({ metadata, spec = {} }: Pod): PolicyPod {
  return { annotations: metadata.annotations ?? {}, spec: deepCopy(spec as JsonObject) };
}

function isSame(a: PolicyPod, b: PolicyPod): boolean {
  const plain = ({ annotations, spec }: PolicyPod): JsonObject => ({
    annotations: { ...annotations },
    spec: spec as JsonObject,
  });
  return deepEqual(plain(a), plain(b));
}

/** The groups that policies were in, now and in former releases. */
const groups = ['policy', 'extensions'];

/** The account of the pod is asked for first: most pods are written by controllers. */
async function mayUse({ access, attributes }: Question, name: string): Promise<boolean> {
  const { user, namespace } = attributes.scope;
  const { serviceAccountName = '' } = (attributes.object as Pod).spec ?? {};
  const users: UserInfo[] =
    serviceAccountName === '' ? [user] : [accountUser(namespace, serviceAccountName), user];
  for (const who of users)
    for (const group of groups) {
      const question = { verb: 'use', group, resource: 'podsecuritypolicies', namespace, name };
      if ((await access.check(who, question)).isAllowed) return true;
    }
  return false;
}
