/** Certificates that a node asks for: of itself, and of pods that it runs (KEP-4317). */
import type { CertificateSigningRequest as SigningFields } from '../../api/certificates/v1.types.ts';
import type { PodCertificateRequest as RequestFields } from '../../api/certificates/v1beta1.types.ts';
import { requestOf } from '../../api/certificates/signer-default.ts';
import type { Node as NodeFields, Pod as PodFields, ServiceAccount } from '../../api/core/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import { quoted } from '../../base/short-text.ts';
import { find } from '../object-reader.ts';
import { forbiddenRequest, podOf, type NodeRequest } from './node-request.ts';

type Pod = Stored<PodFields>;
type Spec = NonNullable<RequestFields['spec']>;

/** The subject of a certificate of a node is the node that asks. @throws StatusError 403 */
export function restrictCertificate({ attributes, naming: { labelDomain } }: NodeRequest): void {
  const { operation, scope, object } = attributes;
  if (operation !== 'CREATE' || scope.subresource !== '') return;
  const { spec } = object as Stored<SigningFields>;
  const ofNodes = [`${labelDomain}/kubelet-serving`, `${labelDomain}/kube-apiserver-client-kubelet`];
  if (!ofNodes.includes(spec?.signerName ?? '')) return;
  const request = requestOf(spec?.request ?? '');
  if (!request) throw forbiddenRequest(attributes, 'unable to parse csr');
  if (request.commonName !== scope.user.name)
    throw forbiddenRequest(attributes, `can only create a node CSR with CN=${scope.user.name}`);
}

/** @throws StatusError 403, 404 */
export async function restrictPodCertificate(request: NodeRequest): Promise<void> {
  const { attributes, node } = request;
  const { operation, scope, object } = attributes;
  if (operation !== 'CREATE' || scope.subresource !== '') return;
  const { spec = {} } = object as Stored<RequestFields>;
  if (spec.nodeName !== node)
    throw forbiddenRequest(
      attributes,
      `PodCertificateRequest.Spec.NodeName=${quoted(spec.nodeName ?? '')}, which is not the requesting node ${quoted(node)}`,
    );
  const pod = (await podOf(request, spec.podName ?? '')) as Pod;
  const problem = problemOfPod(request, spec, pod) ?? (await problemOfUids(request, spec));
  if (problem !== undefined) throw forbiddenRequest(attributes, problem);
}

/** What is wrong with the request for this pod. */
function problemOfPod({ node, naming }: NodeRequest, spec: Spec, pod: Pod): string | undefined {
  const name = quoted(spec.podName ?? '');
  if (pod.metadata.uid !== spec.podUID)
    return `PodCertificateRequest for pod ${name} contains another UID than the pod has`;
  if (pod.spec?.nodeName !== node) return `pod ${name} is not running on node ${quoted(node)}`;
  // A node makes these itself.
  if (Object.hasOwn(pod.metadata.annotations ?? {}, `${naming.labelDomain}/config.mirror`))
    return `pod ${name} is a mirror pod`;
  if ((pod.spec.serviceAccountName ?? '') !== spec.serviceAccountName)
    return `pod ${name} has another service account than ${quoted(spec.serviceAccountName ?? '')}`;
  const isAsked = (pod.spec.volumes ?? [])
    .flatMap(({ projected }) => projected?.sources ?? [])
    .some(({ podCertificate }) => podCertificate?.signerName === spec.signerName);
  return isAsked
    ? undefined
    : `pod ${name} asks for no certificate of signer ${quoted(spec.signerName ?? '')}`;
}

/** Names may be those of earlier objects. */
async function problemOfUids(
  { reader, attributes, node }: NodeRequest,
  spec: Spec,
): Promise<string | undefined> {
  const { namespace, signal } = attributes.scope;
  const key = `${namespace}/${spec.serviceAccountName ?? ''}`;
  const account = await find(reader, 'core/serviceaccounts', key, signal);
  if ((account as Stored<ServiceAccount> | undefined)?.metadata.uid !== spec.serviceAccountUID)
    return `PodCertificateRequest contains another UID than service account ${quoted(key)} has`;
  const known = await find(reader, 'core/nodes', node, signal);
  if ((known as Stored<NodeFields> | undefined)?.metadata.uid !== spec.nodeUID)
    return `PodCertificateRequest contains another UID than node ${quoted(node)} has`;
  return undefined;
}
