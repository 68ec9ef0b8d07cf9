/** The scale subresource of kinds that count replicas in `spec.replicas` and `status.replicas`. */
import type { ApiObject } from '../meta/object.ts';
import type { SubresourceDefinition } from './types.ts';

type Replicated = ApiObject & {
  spec?: { replicas?: number | null | undefined } | null | undefined;
  status?: { readonly replicas?: number | null | undefined } | null | undefined;
};

/** `selector` gives the text that selects the replicas. */
export function scaleSubresource<T extends Replicated>(
  selector: (object: T) => string,
): SubresourceDefinition<T> {
  return {
    name: 'scale',
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    verbs: ['get', 'patch', 'update'],
    type: 'action',
    handler: 'scale',
    scale: {
      wanted: ({ spec }) => spec?.replicas ?? 0,
      setWanted: (object, replicas) => {
        object.spec = { ...object.spec, replicas };
      },
      observed: ({ status }) => status?.replicas ?? 0,
      selector,
    },
  };
}
