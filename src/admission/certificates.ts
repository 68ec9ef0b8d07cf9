/**
 * Requests for certificates: CertificateApproval and CertificateSigning require the verb on the request's signer;
 * CertificateSubjectRestriction rejects requests that would make members of `system:masters`.
 */
import { quoted } from '../base/short-text.ts';
import { isDeepStrictEqual } from 'node:util';
import type { CertificateSigningRequest as RequestFields } from '../api/certificates/v1.types.ts';
import type { ClusterTrustBundle as BundleFields } from '../api/certificates/v1beta1.types.ts';
import { requestOf } from '../api/certificates/signer-default.ts';
import type { Stored } from '../api/define.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { forbidden } from '../meta/status.ts';
import { groupMasters, type UserInfo } from '../meta/user.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import { isAboutGroup } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

type Request = Stored<RequestFields>;
type Bundle = Stored<BundleFields>;

export interface SignerPermission {
  /** Whether the user may do this to the signer of that name, as authorization says. */
  maySign(user: UserInfo, verb: 'approve' | 'sign' | 'attest', signerName: string): Promise<boolean>;
}

export function createCertificateApproval(
  permission: SignerPermission,
  naming: NamingProfile,
): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    validate: (attributes) =>
      isUpdateOf(attributes, naming, 'approval') ? assertMay(permission, attributes, 'approve') : undefined,
  };
}

export function createCertificateSigning(
  permission: SignerPermission,
  naming: NamingProfile,
): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    validate: (attributes) =>
      isUpdateOf(attributes, naming, 'status') && changesOutcome(attributes)
        ? assertMay(permission, attributes, 'sign')
        : undefined,
  };
}

/** What a cluster trusts of a signer is said by who has the verb `attest` on it. */
export function createClusterTrustBundleAttest(
  permission: SignerPermission,
  { apiDomain }: NamingProfile,
): AdmissionPlugin {
  return {
    name: 'ClusterTrustBundleAttest',
    validate: async (attributes) => {
      const { operation, object, oldObject, scope, name } = attributes;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return;
      if (!isAboutGroup(attributes, `certificates.${apiDomain}`, 'clustertrustbundles', '')) return;
      const { signerName = '' } = (object as Bundle).spec ?? {};
      if (signerName === '') return;
      const isSame =
        operation === 'UPDATE' && isDeepStrictEqual((object as Bundle).spec, (oldObject as Bundle).spec);
      if (isSame || (await mayUse(permission, scope.user, 'attest', signerName))) return;
      const problem = `user not permitted to attest for signerName ${quoted(signerName)}`;
      throw forbidden(scope.resource.gvr, name, problem);
    },
  };
}

export function createCertificateSubjectRestriction(naming: NamingProfile): AdmissionPlugin {
  const signerName = `${naming.labelDomain}/kube-apiserver-client`;
  return {
    name: 'CertificateSubjectRestriction',
    validate(attributes): void {
      const { operation, object, scope, name } = attributes;
      if (operation !== 'CREATE' || !isRequest(attributes, naming, '')) return;
      const { spec } = object as Request;
      if (spec?.signerName !== signerName) return;
      const organizations = organizationsOf(spec);
      if (organizations?.includes(groupMasters) === false) return;
      const problem = organizations
        ? `use of ${signerName} signer with ${groupMasters} group is not allowed`
        : 'failed to parse CSR';
      throw forbidden(scope.resource.gvr, name, problem);
    },
  };
}

/** undefined: there is no request in it, several, or one that cannot be read, which others may yet read. */
function organizationsOf(spec: NonNullable<Request['spec']>): readonly string[] | undefined {
  return requestOf(spec.request ?? '')?.organizations;
}

function isRequest(
  attributes: AdmissionAttributes,
  { apiDomain }: NamingProfile,
  subresource: string,
): boolean {
  return isAboutGroup(attributes, `certificates.${apiDomain}`, 'certificatesigningrequests', subresource);
}

function isUpdateOf(attributes: AdmissionAttributes, naming: NamingProfile, subresource: string): boolean {
  return attributes.operation === 'UPDATE' && isRequest(attributes, naming, subresource);
}

/** A status without a changed certificate needs no permission to sign. */
function changesOutcome({ object, oldObject }: AdmissionAttributes): boolean {
  const [next, before] = [(object as Request).status, (oldObject as Request).status];
  const isSame = next?.certificate === before?.certificate;
  return !isSame || !isDeepStrictEqual(next?.conditions ?? [], before?.conditions ?? []);
}

/** The signer is that of the stored request: the write may name another. @throws StatusError 403 */
async function assertMay(
  permission: SignerPermission,
  { scope, name, oldObject }: AdmissionAttributes,
  verb: 'approve' | 'sign',
): Promise<void> {
  const signerName = (oldObject as Request).spec?.signerName ?? '';
  if (await mayUse(permission, scope.user, verb, signerName)) return;
  const problem = `user not permitted to ${verb} requests with signerName ${quoted(signerName)}`;
  throw forbidden(scope.resource.gvr, name, problem);
}

/** Permission for one signer, or for all of its domain. */
async function mayUse(
  permission: SignerPermission,
  user: UserInfo,
  verb: 'approve' | 'sign' | 'attest',
  signerName: string,
): Promise<boolean> {
  const ofDomain = `${signerName.split('/', 1)[0] ?? ''}/*`;
  for (const signer of [signerName, ofDomain]) if (await permission.maySign(user, verb, signer)) return true;
  return false;
}
