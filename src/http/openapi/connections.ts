/** Operations of connections (`pods/log`, `services/proxy`): options in the query, untyped text as response. */
import type { SubresourceDefinition } from '../../api/types.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { expandNames } from '../../meta/naming.ts';
import type { ServedResource } from '../../registry/types.ts';
import type { WireTypes } from '../wire-types.ts';
import type { OperationModel } from './model.ts';
import { capital, operationWords } from './operation-words.ts';
import { ownParameter } from './parameters.ts';
import { verbShapes } from './verb-shapes.ts';

/** Makes the operations of a path; `suffix` distinguishes the paths of one subresource. */
export function connectionPath(
  resource: ServedResource,
  subresource: SubresourceDefinition,
  types: WireTypes,
): (suffix: string) => OperationModel[] {
  const { gvk, naming } = resource;
  const gvkOf = subresource.kind
    ? { ...subresource.kind, group: expandNames(subresource.kind.group, naming) }
    : gvk;
  const query = parametersOf(subresource, types);
  // A subresource with the kind of its object is read like an object.
  const isRead = subresource.kind === undefined;
  return (suffix) =>
    subresource.verbs.flatMap((verb) => {
      const shape = verbShapes[verb];
      if (!shape) return [];
      const words = operationWords(resource, {
        word: isRead ? shape.word : 'connect',
        isWatchList: false,
        isAcross: false,
        subresource: capital(subresource.name) + suffix,
        ...(!isRead && { method: shape.method }),
      });
      return {
        method: shape.method,
        ...words,
        description: `${isRead ? shape.says : `Connect by ${verb} to the`} ${subresource.name} of the ${gvk.kind}.`,
        action: isRead ? shape.action : 'connect',
        gvk: gvkOf,
        query,
        produces: [isRead ? 'text/plain' : '*/*'],
        answers: [{ code: 200, description: 'OK', isText: true }],
      };
    });
}

function parametersOf({ options }: SubresourceDefinition, types: WireTypes): string[] {
  const schema = options && types.find(apiVersionOf(options), options.kind);
  return schema ? [...schema.fields.keys()].map((field) => ownParameter(schema.name, field)) : [];
}
