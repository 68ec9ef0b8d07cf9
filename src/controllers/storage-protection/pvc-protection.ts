/** `pvc-protection`: claims stay while a pod uses them that has a node. */
import type { PersistentVolumeClaim as ClaimFields, Pod as PodFields } from '../../api/core/v1.types.ts';
import { claimProtection } from '../../api/core/storage-protection.ts';
import type { Stored } from '../../api/define.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { coreResource } from '../core-resources.ts';
import type { Controller, ControllerContext } from '../types.ts';
import { createInUseProtection } from './in-use-protection.ts';

type Claim = Stored<ClaimFields>;
type Pod = Stored<PodFields>;

const claims = coreResource('PersistentVolumeClaim', 'persistentvolumeclaims');
const pods = coreResource('Pod', 'pods');

export function createClaimProtection({
  naming,
  ...context
}: ControllerContext & { readonly naming: NamingProfile }): Controller {
  return createInUseProtection({
    ...context,
    ...{ name: 'pvc-protection', resource: claims, users: pods, finalizer: claimProtection(naming) },
    isUsed: async (claim, signal) => {
      const { namespace = '' } = claim.metadata;
      const inNamespace = await context.client.list(pods, namespace, signal);
      return inNamespace.some((pod) => uses(pod, claim));
    },
  });
}

/** No pod is placed any more whose claim is going, so one without a node uses nothing. One that ended may still hold it. */
function uses({ metadata, spec }: Pod, claim: Claim): boolean {
  if ((spec?.nodeName ?? '') === '') return false;
  const { name = '', ownerReferences } = claim.metadata;
  const isOwn = ownerReferences?.some(({ uid, controller }) => controller === true && uid === metadata.uid);
  const isShut = metadata.deletionTimestamp != null && metadata.deletionGracePeriodSeconds === 0;
  return (spec?.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === name ||
      (volume.ephemeral && isOwn && !isShut && `${metadata.name ?? ''}-${volume.name ?? ''}` === name),
  );
}
