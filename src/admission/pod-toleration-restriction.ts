/**
 * PodTolerationRestriction: pods get the default tolerations of their namespace, and only tolerate what its whitelist
 * allows. The configuration says both for namespaces whose annotations do not.
 */
import { qosClassOf } from '../api/core/pod/qos.ts';
import type { Pod as PodFields, Toleration } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { JsonValue } from '../base/json.ts';
import { isObject } from '../base/json.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { ApiObject } from '../meta/object.ts';
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import { isWriteOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { find, type ObjectReader } from './object-reader.ts';
import { mergeTolerations, TolerationSet } from './toleration-set.ts';

/** For namespaces without annotations. */
export interface PodTolerationConfig {
  readonly default: readonly Toleration[];
  /** Empty: everything is allowed. */
  readonly whitelist: readonly Toleration[];
}

export function createPodTolerationRestriction(
  reader: ObjectReader,
  config: PodTolerationConfig,
  { labelDomain }: NamingProfile,
): AdmissionPlugin {
  const annotation = (name: string): string => `scheduler.alpha.${labelDomain}/${name}`;
  const pressure = { key: `node.${labelDomain}/memory-pressure`, operator: 'Exists', effect: 'NoSchedule' };
  return {
    name: 'PodTolerationRestriction',
    async admit(attributes): Promise<void> {
      if (!isWriteOf(attributes, 'pods')) return;
      const namespace = await namespaceOf(attributes);
      const { spec } = attributes.object as Stored<PodFields>;
      if (!spec) return;
      const isNew = attributes.operation === 'CREATE';
      const defaults = isNew
        ? (tolerationsIn(attributes, namespace, annotation('defaultTolerations')) ?? config.default)
        : [];
      const extra = qosClassOf(spec) === 'BestEffort' ? defaults : [...defaults, pressure];
      if (extra.length > 0) spec.tolerations = mergeTolerations([...(spec.tolerations ?? []), ...extra]);
      assertAllowed(attributes, namespace);
    },
    async validate(attributes): Promise<void> {
      if (isWriteOf(attributes, 'pods')) assertAllowed(attributes, await namespaceOf(attributes));
    },
  };

  async function namespaceOf({ scope }: AdmissionAttributes): Promise<ApiObject | undefined> {
    return find(reader, 'core/namespaces', scope.namespace, scope.signal);
  }

  function assertAllowed(attributes: AdmissionAttributes, namespace: ApiObject | undefined): void {
    const { tolerations } = (attributes.object as Stored<PodFields>).spec ?? {};
    if (!tolerations?.length) return;
    const own = tolerationsIn(attributes, namespace, annotation('tolerationsWhitelist'));
    const whitelist = own ?? config.whitelist;
    const allowed = new TolerationSet(whitelist);
    if (whitelist.length === 0 || tolerations.every((one) => allowed.includes(one))) return;
    const whose = own ? 'namespace' : 'cluster';
    throw refused(
      attributes,
      `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${whose} whitelist`,
    );
  }
}

function refused({ scope, name }: AdmissionAttributes, problem: string): Error {
  return forbidden(scope.resource.gvr, name, problem);
}

/** Those of an annotation; undefined: there is no such annotation. @throws StatusError 403 for one that cannot be read */
function tolerationsIn(
  attributes: AdmissionAttributes,
  namespace: ApiObject | undefined,
  key: string,
): Toleration[] | undefined {
  const text = namespace?.metadata.annotations?.[key];
  if (text === undefined || text === '') return text === undefined ? undefined : [];
  const value = parse(text);
  if (Array.isArray(value) && value.every(isToleration)) return value.map(readToleration);
  const where = `annotation ${key} of namespace ${attributes.scope.namespace}`;
  throw refused(attributes, `${where} is no list of tolerations in JSON`);
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const texts = ['key', 'operator', 'value', 'effect'] as const;

function isToleration(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const { tolerationSeconds: seconds } = value;
  return (
    texts.every((name) => value[name] == null || typeof value[name] === 'string') &&
    (seconds == null || Number.isSafeInteger(seconds))
  );
}

/** Only its own fields are taken over. */
function readToleration(value: JsonValue): Toleration {
  const sent = value as Toleration;
  const { tolerationSeconds } = sent;
  return {
    ...Object.fromEntries(texts.flatMap((name) => (sent[name] ? [[name, sent[name]]] : []))),
    ...(tolerationSeconds != null && { tolerationSeconds }),
  };
}
