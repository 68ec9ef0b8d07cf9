/**
 * For whom a node asks for tokens of its pods: audiences that volumes of the pod name, itself or by a CSI driver, and those that
 * authorization lets it ask for (verb `request-serviceaccounts-token-audience` on the audience, KEP-4412).
 */
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  Pod as PodFields,
  Volume,
} from '../../api/core/v1.types.ts';
import type { CSIDriver } from '../../api/storage/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import { quoted } from '../../base/short-text.ts';
import { find } from '../object-reader.ts';
import { forbiddenRequest, type NodeRequest } from './node-request.ts';

type Pod = Stored<PodFields>;

/** @throws StatusError 403 */
export async function restrictAudience(
  request: NodeRequest,
  audiences: readonly string[],
  pod: Pod,
): Promise<void> {
  const { attributes, late } = request;
  if (!late.mayAsk) return;
  if (audiences.length > 1) throw forbiddenRequest(attributes, 'node may only request 0 or 1 audiences');
  // Without one it is that of the service.
  const [audience = ''] = audiences;
  for (const volume of pod.spec?.volumes ?? [])
    if (namesAudience(volume, audience) || (await driverAsks(request, { pod, volume, audience }))) return;
  if (await late.mayAsk(attributes, audience)) return;
  throw forbiddenRequest(
    attributes,
    `audience ${quoted(audience)} not found in pod spec volume, ${attributes.scope.user.name} is not authorized to ` +
      'request tokens for this audience',
  );
}

function namesAudience({ projected }: Volume, audience: string): boolean {
  const sources = projected?.sources ?? [];
  return sources.some(
    (source) => source.serviceAccountToken && (source.serviceAccountToken.audience ?? '') === audience,
  );
}

interface Asked {
  readonly pod: Pod;
  readonly volume: Volume;
  readonly audience: string;
}

/** Whether the CSI driver of the volume gets tokens for the audience. */
async function driverAsks(request: NodeRequest, { pod, volume, audience }: Asked): Promise<boolean> {
  const { reader, naming, attributes } = request;
  const driver = await driverOf(request, pod, volume);
  if (driver === '') return false;
  const collection = `storage.${naming.apiDomain}/csidrivers`;
  const found = await find(reader, collection, driver, attributes.scope.signal);
  const { tokenRequests } = (found as Stored<CSIDriver> | undefined)?.spec ?? {};
  return (tokenRequests ?? []).some((token) => (token.audience ?? '') === audience);
}

/** '' for a volume of another kind, or one that is not bound yet. */
async function driverOf(request: NodeRequest, pod: Pod, volume: Volume): Promise<string> {
  if (volume.csi) return volume.csi.driver ?? '';
  const claim = claimOf(pod, volume);
  return claim === '' ? '' : driverOfClaim(request, claim);
}

function claimOf({ metadata }: Pod, { name = '', ephemeral, persistentVolumeClaim }: Volume): string {
  return ephemeral ? `${metadata.name ?? ''}-${name}` : (persistentVolumeClaim?.claimName ?? '');
}

async function driverOfClaim({ reader, attributes }: NodeRequest, name: string): Promise<string> {
  const { namespace, signal } = attributes.scope;
  const claim = await find(reader, 'core/persistentvolumeclaims', `${namespace}/${name}`, signal);
  const { volumeName = '' } = (claim as Stored<PersistentVolumeClaim> | undefined)?.spec ?? {};
  if (volumeName === '') return '';
  const bound = await find(reader, 'core/persistentvolumes', volumeName, signal);
  return (bound as Stored<PersistentVolume> | undefined)?.spec?.csi?.driver ?? '';
}
