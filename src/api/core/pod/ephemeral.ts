/** Containers that are added to a running pod to look into it: they come by a subresource of their own, and stay. */
import { quoted } from '../../../base/short-text.ts';
import { keepMetadata, type Stored } from '../../define.ts';
import type { FieldError } from '../../../meta/field-error.ts';
import { errorsOf, forbidden } from '../../../meta/field-error.ts';
import { FieldPath } from '../../../meta/field-path.ts';
import type { SubresourceDefinition } from '../../types.ts';
import { same } from '../../validation/rules.ts';
import type { Pod } from '../v1.types.ts';
import { validatePodSpec } from './pod-spec.ts';
import type { PodRights } from './privileged.ts';

type StoredPod = Stored<Pod>;

const spec = FieldPath.of('spec');
const path = spec.child('ephemeralContainers');

/** Everything else of the pod is as it was. */
function prepareForUpdate(next: StoredPod, current: StoredPod): void {
  const { ephemeralContainers } = next.spec ?? {};
  keepMetadata(next, current);
  next.spec = { ...current.spec, ephemeralContainers };
  next.status = current.status;
}

function validateUpdate(next: StoredPod, current: StoredPod, rights: PodRights): FieldError[] {
  const named = new Map(
    (next.spec?.ephemeralContainers ?? []).map((container) => [container.name, container]),
  );
  const changes = errorsOf(current.spec?.ephemeralContainers ?? [], (before) => {
    const after = named.get(before.name);
    const name = quoted(before.name ?? '');
    if (!after) return [forbidden(path, `existing ephemeral containers ${name} may not be removed`)];
    return same(after, before)
      ? []
      : [forbidden(path, `existing ephemeral containers ${name} may not be changed`)];
  });
  return [...validatePodSpec(next.spec ?? {}, spec, rights), ...changes];
}

const common = {
  name: 'ephemeralcontainers',
  featureGate: 'EphemeralContainers',
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate,
  validateUpdate,
} as const;

/** Read and written as a pod, of which the rest stays (KEP-277). */
export const ephemeralContainers: SubresourceDefinition<StoredPod> = {
  ...common,
  introducedIn: '1.22',
  type: 'object',
};

/** Until then, read and written as a kind of their own. */
export const formerEphemeralContainers: SubresourceDefinition<StoredPod> = {
  ...common,
  removedIn: '1.22',
  kind: { group: '', version: 'v1', kind: 'EphemeralContainers' },
  type: 'action',
  handler: 'ephemeral-containers',
};
