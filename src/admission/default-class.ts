/** The class that objects get which name none: the one that an annotation marks as default. */
import type { ApiObject } from '../meta/object.ts';
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';

export interface DefaultClassQuery {
  readonly classes: readonly ApiObject[];
  /** Any of these, with the value `true`, marks a default. */
  readonly annotations: readonly string[];
  /** What the classes are called in the error message. */
  readonly plural: string;
}

/** Its name; undefined where there is none. @throws StatusError 403 where there are several */
export function defaultClass(
  { scope, name }: AdmissionAttributes,
  { classes, annotations, plural }: DefaultClassQuery,
): string | undefined {
  const marked = classes.filter(({ metadata }) =>
    annotations.some((annotation) => metadata.annotations?.[annotation] === 'true'),
  );
  if (marked.length <= 1) return marked[0]?.metadata.name;
  const problem = `Internal error occurred: ${String(marked.length)} default ${plural} were found`;
  throw forbidden(scope.resource.gvr, name, problem);
}
