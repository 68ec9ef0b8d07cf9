/** The default signer of v1beta1: the signers of kubelets for requests of kubelets, else the one of old. */
import type { ApiObject } from '../../meta/object.ts';
import { expandNames } from '../../meta/naming.ts';
import type { ApiContext } from '../types.ts';
import { pemBlocks } from './pem.ts';
import type { CertificateRequest } from './pkcs10.ts';
import { parseCertificateRequest } from './pkcs10.ts';

const nodesGroup = 'system:nodes';
const nodePrefix = 'system:node:';
const mail = 1;
const uri = 6;

type WithSpec = ApiObject & {
  spec?: { request?: string; signerName?: string | null; usages?: string[] | null } | undefined;
};

/** The one request of a text in PEM; undefined when it is something else. */
export function requestOf(base64: string): CertificateRequest | undefined {
  const [first, ...more] = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  return first?.type === 'CERTIFICATE REQUEST' && more.length === 0
    ? parseCertificateRequest(first.bytes)
    : undefined;
}

export function applySignerDefault(object: ApiObject, context: ApiContext): void {
  const { spec } = object as WithSpec;
  if (!spec) return;
  spec.signerName ??= expandNames(
    `{label}/${signerOf(requestOf(spec.request ?? ''), spec.usages ?? [])}`,
    context.naming,
  );
}

function signerOf(request: CertificateRequest | undefined, usages: readonly string[]): string {
  if (request && isOfNode(request)) {
    const { nameKinds } = request;
    if (nameKinds.length === 0 && isUsed(usages, 'client auth')) return 'kube-apiserver-client-kubelet';
    const isServing = nameKinds.length > 0 && !nameKinds.includes(mail) && !nameKinds.includes(uri);
    if (isServing && isUsed(usages, 'server auth')) return 'kubelet-serving';
  }
  return 'legacy-unknown';
}

function isOfNode({ commonName, organizations }: CertificateRequest): boolean {
  return commonName.startsWith(nodePrefix) && organizations.length === 1 && organizations[0] === nodesGroup;
}

/** Exactly the usages that a kubelet requests; the encipherment of keys may be left out. */
function isUsed(usages: readonly string[], purpose: string): boolean {
  const needed = ['digital signature', purpose];
  const allowed = [...needed, 'key encipherment'];
  return needed.every((usage) => usages.includes(usage)) && usages.every((usage) => allowed.includes(usage));
}
