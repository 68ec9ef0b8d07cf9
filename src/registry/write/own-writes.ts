/** For internal writes of the service. */
import { serviceUser } from '../../meta/user.ts';
import type { DeleteOptions, RequestScope } from '../types.ts';

/** Allows updates to create objects. */
export function mayCreate(): Promise<void> {
  return Promise.resolve();
}

type OwnTarget = Pick<RequestScope, 'resource' | 'signal'> &
  Partial<Pick<RequestScope, 'namespace' | 'subresource' | 'fieldManager'>>;

/** The scope of a write of the service itself; without a namespace of cluster-scoped objects. */
export function ownScope({
  resource,
  signal,
  namespace = '',
  subresource = '',
  fieldManager = 'apiserver',
}: OwnTarget): RequestScope {
  return {
    ...{ resource, namespace, subresource, fieldManager, signal },
    ...{ user: serviceUser, dryRun: false, assertMayCreate: mayCreate },
    warn: () => undefined,
  };
}

/** Deletes that object alone, and none that came in its place. */
export function deletionOf(uid: string): DeleteOptions {
  return {
    ...{ gracePeriodSeconds: undefined, orphanDependents: undefined },
    ...{ propagationPolicy: 'Background', preconditions: { uid } },
  };
}
