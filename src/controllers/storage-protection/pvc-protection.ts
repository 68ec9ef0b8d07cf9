/** `pvc-protection`: claims stay while a pod uses them that has a node. */
import type { Pod as PodFields } from '../../api/core/v1.types.ts';
import { claimProtection } from '../../api/core/storage-protection.ts';
import type { Stored } from '../../api/define.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { coreResource } from '../core-resources.ts';
import type { Controller, ControllerContext } from '../types.ts';
import { createInUseProtection, type Going, type Users } from './in-use-protection.ts';

type Pod = Stored<PodFields>;

const claims = coreResource('PersistentVolumeClaim', 'persistentvolumeclaims');
const pods = coreResource('Pod', 'pods');

export function createClaimProtection({
  naming,
  ...context
}: ControllerContext & { readonly naming: NamingProfile }): Controller {
  const findUnused: Users['findUnused'] = async (namespace, going, signal) => {
    const unused = new Map(going);
    const onItem = (pod: Pod): void => {
      for (const name of claimsOf(pod, unused)) unused.delete(name);
    };
    await context.client.eachObject(pods, { namespace, onItem }, signal);
    return unused.keys();
  };
  return createInUseProtection({
    ...context,
    ...{ name: 'pvc-protection', resource: claims, finalizer: claimProtection(naming) },
    users: { resource: pods, findUnused },
  });
}

/**
 * The names of claims that a pod uses. No pod is placed any more whose claim is going, so one without a node uses nothing. One
 * that ended may still hold them. Claims made for its ephemeral volumes it uses until it is shut.
 */
function claimsOf({ metadata, spec }: Pod, going: ReadonlyMap<string, Going>): string[] {
  if ((spec?.nodeName ?? '') === '') return [];
  const { name = '', uid, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  const isShut = deletionTimestamp != null && deletionGracePeriodSeconds === 0;
  const names: string[] = [];
  for (const volume of spec?.volumes ?? []) {
    const { claimName } = volume.persistentVolumeClaim ?? {};
    if (claimName !== undefined) names.push(claimName);
    const made = `${name}-${volume.name ?? ''}`;
    if (volume.ephemeral && !isShut && going.get(made)?.controllerUid === uid) names.push(made);
  }
  return names;
}
