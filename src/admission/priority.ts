/** Priority: the number behind a pod's priority class, and no second default among the classes. */
import type { Pod as PodFields, PodSpec } from '../api/core/v1.types.ts';
import type { PriorityClass as ClassFields } from '../api/scheduling/v1.types.ts';
import type { Stored } from '../api/define.ts';
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import { isAbout, isAboutGroup, isCreationOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { FoundAmong } from './found-among.ts';
import { find, type ObjectReader } from './object-reader.ts';

type PriorityClass = Stored<ClassFields>;

export function createPriorityPlugin(reader: ObjectReader, { apiDomain }: NamingProfile): AdmissionPlugin {
  const group = `scheduling.${apiDomain}`;
  const collection = `${group}/priorityclasses`;
  const usual = new FoundAmong<PriorityClass | undefined>(reader, collection, defaultOf);
  return {
    name: 'Priority',
    admit(attributes): MaybePromise<void> {
      if (isCreationOf(attributes, 'pods')) return setPriority(attributes);
      if (attributes.operation === 'UPDATE' && isAbout(attributes, 'pods')) keepPriority(attributes);
    },
    validate(attributes): MaybePromise<void> {
      const isWrite = attributes.operation === 'CREATE' || attributes.operation === 'UPDATE';
      if (isWrite && isAboutGroup(attributes, group, 'priorityclasses'))
        return whenReady(usual.now(), (present) => {
          assertOneDefault(attributes, present);
        });
    },
  };

  async function setPriority(attributes: AdmissionAttributes): Promise<void> {
    const { spec = {} } = attributes.object as Stored<PodFields>;
    const named = await classOf(attributes, spec.priorityClassName ?? '');
    if (named) spec.priorityClassName = named.metadata.name;
    const { value = 0, preemptionPolicy = 'PreemptLowerPriority' } = named ?? {};
    assertSame(attributes, 'the integer value of priority', spec.priority, value);
    assertSame(attributes, 'the string value of PreemptionPolicy', spec.preemptionPolicy, preemptionPolicy);
    Object.assign(spec, { priority: value, preemptionPolicy });
  }

  async function classOf(
    { scope, name }: AdmissionAttributes,
    className: string,
  ): Promise<PriorityClass | undefined> {
    if (className === '') return usual.now();
    const found = await find(reader, collection, className, scope.signal);
    if (found) return found;
    throw forbidden(scope.resource.gvr, name, `no PriorityClass with name ${className} was found`);
  }
}

/** There should be one; of several that met while they were made, the least counts. */
function defaultOf(classes: readonly PriorityClass[]): PriorityClass | undefined {
  return classes
    .filter((each) => each.globalDefault === true)
    .sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
}

/** @throws StatusError 403 */
function assertSame(
  { scope, name }: AdmissionAttributes,
  what: string,
  sent: string | number | undefined,
  computed: string | number,
): void {
  if (sent === undefined || sent === computed) return;
  const problem =
    `${what} (${String(sent)}) must not be provided in pod spec; ` +
    `priority admission controller computed ${String(computed)} from the given PriorityClass name`;
  throw forbidden(scope.resource.gvr, name, problem);
}

/** A manifest without them means no other ones. */
function keepPriority({ object, oldObject }: AdmissionAttributes): void {
  const spec: PodSpec = (object as Stored<PodFields>).spec ?? {};
  const before: PodSpec = (oldObject as Stored<PodFields>).spec ?? {};
  if (spec.priority === undefined && before.priority !== undefined) spec.priority = before.priority;
  if (spec.preemptionPolicy === undefined && before.preemptionPolicy !== undefined)
    spec.preemptionPolicy = before.preemptionPolicy;
}

/** @throws StatusError 403 */
function assertOneDefault(
  { object, scope, name }: AdmissionAttributes,
  present: PriorityClass | undefined,
): void {
  if ((object as PriorityClass).globalDefault !== true || !present || present.metadata.name === name) return;
  const problem = `PriorityClass ${present.metadata.name ?? ''} is already marked as default. Only one default can exist`;
  throw forbidden(scope.resource.gvr, name, problem);
}
