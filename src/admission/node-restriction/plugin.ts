/**
 * NodeRestriction: nodes (users `system:node:<name>` in the group `system:nodes`) write only what is their own: their
 * Node, Lease and CSINode, pods that are bound to them, tokens of these. What a node may do at all, authorization says.
 */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { nodeOf } from '../../meta/user.ts';
import type { AdmissionPlugin } from '../admission-chain.ts';
import type { ObjectReader } from '../object-reader.ts';
import { restrictNode } from './node-writes.ts';
import {
  restrictAccount,
  restrictClaim,
  restrictCsiNode,
  restrictLease,
  restrictSlice,
} from './own-objects.ts';
import { restrictPod } from './pod-writes.ts';
import { restrictCertificate, restrictPodCertificate } from './certificate-requests.ts';
import { forbiddenRequest, type LateRestrictions, type NodeRequest } from './node-request.ts';

type Restriction = (request: NodeRequest) => MaybePromise<void>;

export function createNodeRestriction(
  reader: ObjectReader,
  naming: NamingProfile,
  late: LateRestrictions = {},
): AdmissionPlugin {
  const { apiDomain } = naming;
  const restrictions: ReadonlyMap<string, Restriction> = new Map<string, Restriction>([
    ['/pods', restrictPod],
    ['/nodes', restrictNode],
    ['/persistentvolumeclaims', restrictClaim],
    ['/serviceaccounts', restrictAccount],
    [`coordination.${apiDomain}/leases`, restrictLease],
    [`storage.${apiDomain}/csinodes`, restrictCsiNode],
    ...laterRestrictions(naming, late),
  ]);
  return {
    name: 'NodeRestriction',
    admit(attributes): MaybePromise<void> {
      const { user, resource } = attributes.scope;
      const node = nodeOf(user);
      if (node === undefined) return;
      if (node === '')
        throw forbiddenRequest(attributes, `could not determine node from user ${JSON.stringify(user.name)}`);
      const { group, resource: plural } = resource.gvr;
      return restrictions.get(`${group}/${plural}`)?.({
        ...{ node, attributes, reader, naming, late },
      });
    },
  };
}

function laterRestrictions(
  { apiDomain }: NamingProfile,
  { slices, podCertificates, certificates }: LateRestrictions,
): [string, Restriction][] {
  const all: readonly (readonly [boolean | undefined, string, Restriction])[] = [
    [slices, `resource.${apiDomain}/resourceslices`, restrictSlice],
    [podCertificates, `certificates.${apiDomain}/podcertificaterequests`, restrictPodCertificate],
    [certificates, `certificates.${apiDomain}/certificatesigningrequests`, restrictCertificate],
  ];
  return all.filter(([isOn]) => isOn === true).map(([, key, restriction]) => [key, restriction]);
}
