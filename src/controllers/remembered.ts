/**
 * What an informer remembers of an object, to tell it if a later list lacks the object. It is little: there may be a million
 * of them, and metadata may have tens of thousands of labels, which take a multiple of their text.
 */
import { apiVersionOf } from '../meta/gvk.ts';
import { asApiObject, type ApiObject } from '../meta/object.ts';
import type { ResourceRef } from './types.ts';

type Annotations = NonNullable<ApiObject['metadata']['annotations']>;

export class Remembered {
  readonly #uid: string | undefined;
  readonly #namespace: string | undefined;
  readonly #name: string | undefined;
  readonly #version: string | undefined;
  /** undefined where there are none of those that are kept. */
  readonly #annotations: Annotations | undefined;

  /** @param keptAnnotations names of annotations that are remembered, too */
  constructor(
    { uid, namespace, name, resourceVersion, annotations }: ApiObject['metadata'],
    keptAnnotations: readonly string[],
  ) {
    this.#uid = uid;
    this.#namespace = namespace;
    this.#name = name;
    this.#version = resourceVersion;
    this.#annotations = picked(annotations ?? {}, keptAnnotations);
  }

  /** The object as far as it is remembered. */
  object(resource: ResourceRef): ApiObject {
    return asApiObject({
      ...{ apiVersion: apiVersionOf(resource), kind: resource.kind },
      metadata: {
        ...(this.#name !== undefined && { name: this.#name }),
        ...(this.#namespace !== undefined && { namespace: this.#namespace }),
        ...(this.#uid !== undefined && { uid: this.#uid }),
        ...(this.#version !== undefined && { resourceVersion: this.#version }),
        ...(this.#annotations && { annotations: this.#annotations }),
      },
    });
  }
}

function picked(annotations: Annotations, names: readonly string[]): Annotations | undefined {
  const kept = names.flatMap((name) => {
    const value = annotations[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
