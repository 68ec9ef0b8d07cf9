/** Second step of a write: mutating admission; and validating admission of the object as it will be stored. */
import type { ApiObject } from '../../meta/object.ts';
import type { AdmissionAttributes, AdmissionChain } from '../types.ts';
import { nameOf } from './decode.ts';
import { agreeWithPath } from './object-meta.ts';
import type { Base, CreateDraft, Draft, Write } from './write.ts';

/**
 * Mutating admission: may change the object of the draft. A request that names its object creates that one or none: repeated, it
 * would create another one each time. (What would be updated cannot change its name, which validation says.)
 * @throws StatusError of admission, 400
 */
export async function admit(write: Write, draft: Draft): Promise<void> {
  const attributes = attributesOf(write, draft);
  await write.deps.admission.admit(attributes);
  write.change.form?.into(draft.object, attributes.object);
  if (!draft.base && write.name !== '') agreeWithPath(write.scope, write.name, draft.object.metadata);
}

/** Validating admission of the prepared object. @throws StatusError of admission */
export async function admitFinal(write: Write, draft: Draft): Promise<void> {
  await write.deps.admission.validate(attributesOf(write, draft));
}

type Attributes = AdmissionAttributes & { readonly object: ApiObject };

function attributesOf(write: Write, draft: Draft): Attributes {
  return draft.base ? updateAttributes(write, draft.object, draft.base) : createAttributes(write, draft);
}

function updateAttributes({ scope, name, change }: Write, object: ApiObject, base: Base): Attributes {
  const { form } = change;
  const about = { operation: 'UPDATE', scope, name } as const;
  if (!form) return { ...about, object, oldObject: base.object };
  return { ...about, object: form.of(object), oldObject: form.of(base.object), kind: form.kind };
}

function createAttributes({ scope }: Write, { object, precondition }: CreateDraft): Attributes {
  const name = nameOf(object.metadata);
  return {
    ...{ operation: 'CREATE', scope, name, object, oldObject: undefined },
    dependOn: (state) => {
      precondition.dependOn(state);
    },
  };
}

/** Admission of a write that is part of an admitted operation: nothing is called. */
export const admittedAlready: AdmissionChain = {
  admit: () => Promise.resolve(),
  validate: () => Promise.resolve(),
  callsWebhooks: () => false,
};
