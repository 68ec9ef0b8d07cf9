/** The class that objects get which name none: the one that an annotation marks as default. */
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import type { CollectionId } from '../storage/types.ts';
import { FoundAmong } from './found-among.ts';
import type { ObjectReader } from './object-reader.ts';

export interface DefaultClassQuery {
  readonly collection: CollectionId;
  /** Any of these, with the value `true`, marks a default. */
  readonly annotations: readonly string[];
  /** What the classes are called in the error message. */
  readonly plural: string;
}

/** Its name for an object; undefined where there is none. Throws, or rejects with, a StatusError 403 where there are several. */
export type DefaultClass = (attributes: AdmissionAttributes) => MaybePromise<string | undefined>;

export function createDefaultClass(
  reader: ObjectReader,
  { collection, annotations, plural }: DefaultClassQuery,
): DefaultClass {
  const marked = new FoundAmong(reader, collection, (classes) =>
    classes
      .filter(({ metadata }) =>
        annotations.some((annotation) => metadata.annotations?.[annotation] === 'true'),
      )
      .map(({ metadata }) => metadata.name),
  );
  return ({ scope, name }) =>
    whenReady(marked.now(), (names) => {
      if (names.length <= 1) return names[0];
      const problem = `Internal error occurred: ${String(names.length)} default ${plural} were found`;
      throw forbidden(scope.resource.gvr, name, problem);
    });
}
