/** Writes of ConfigMaps, and what mutating policies of a test make of them. */
import type { AdmissionPlugin } from '../../src/admission/admission-chain.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { asJson } from '../../src/meta/object.ts';
import { StatusError } from '../../src/meta/status.ts';
import { mutatedBy, put, type Mutated } from './admission-policies.ts';
import { attributesOf, type Write } from './admission.ts';

export const write: Write = { resource: 'configmaps', object: { data: { size: '3' } } };
export const objects = {
  'core/namespaces/web': { metadata: { name: 'web', labels: { tier: 'gold' } } },
  'core/configmaps/web/limits': { metadata: { name: 'limits' }, data: { max: '2' } },
};

export const apply = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
export const patch = (expression: string): JsonObject => ({
  patchType: 'JSONPatch',
  jsonPatch: { expression },
});

export const podRule = {
  matchConstraints: {
    resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
  },
};

/** The object after a policy, or the code and the message of the refusal. */
export async function outcome(
  mutations: readonly JsonObject[],
  policy: JsonObject = {},
  { binding = {}, ...more }: Partial<Write> & { readonly binding?: JsonObject } = {},
): Promise<JsonObject | string> {
  const mutated = mutatedBy({ objects });
  put(mutated.index, { mutations: [...mutations], reinvocationPolicy: 'Never', ...policy }, binding);
  return admitted(mutated, { ...write, ...more });
}

export async function admitted(
  mutated: Mutated,
  about: Write,
  ...behind: AdmissionPlugin[]
): Promise<JsonObject | string> {
  const attributes = attributesOf(about);
  try {
    await mutated.chain(...behind).admit(attributes);
    return attributes.object ? asJson(attributes.object) : {};
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${String(error.code)} ${error.message}`;
  }
}
