/** PodCertificateRequest: a pod asks for a certificate. */
import type { FieldError } from '../../meta/field-error.ts';
import { errorsOf, invalid, tooLong } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { column, nameColumn } from '../columns/columns.ts';
import {
  defineResource,
  dropStatus,
  keepAllButStatus,
  keepStatus,
  statusSubresource,
  type Stored,
} from '../define.ts';
import type { ApiContext } from '../types.ts';
import { dns1123Subdomain, nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { validateAnnotations } from '../validation/labels.ts';
import { need, obeys, unchanged } from '../validation/rules.ts';
import { outcomes, validateIssue } from './issue.ts';
import { validatePossession } from './possession.ts';
import { isOwnSigner, validateSigner } from './signer-name.ts';
import type {
  PodCertificateRequest as RequestFields,
  PodCertificateRequestSpec as RequestSpec,
} from './v1beta1.types.ts';

type PodCertificateRequest = Stored<RequestFields>;

const path = FieldPath.of('spec');
const hour = 3600;
const day = 24 * hour;
const maxUid = 128;

/** What is asked is judged once: it stays. */
function validateCreate({ spec = {} }: PodCertificateRequest, { naming }: ApiContext): FieldError[] {
  const names = ['podName', 'serviceAccountName', 'nodeName'] as const;
  const uids = ['podUID', 'serviceAccountUID', 'nodeUID'] as const;
  return [
    ...need(spec.signerName, path.child('signerName'), validateSigner),
    ...validateUserAnnotations(spec.unverifiedUserAnnotations),
    ...names.flatMap((name) => need(spec[name], path.child(name), obeys(dns1123Subdomain))),
    ...uids.flatMap((name) => need(spec[name], path.child(name), uidFits)),
    ...validateSeconds(spec, naming.labelDomain),
    ...validatePossession(spec),
  ];
}

function uidFits(uid: string, at: FieldPath): FieldError[] {
  return Buffer.byteLength(uid) > maxUid ? [tooLong(at, maxUid)] : [];
}

/** As annotations of objects, but each key with its domain: signers of anybody read them. */
function validateUserAnnotations(annotations: RequestSpec['unverifiedUserAnnotations']): FieldError[] {
  const at = path.child('unverifiedUserAnnotations');
  const bare = Object.keys(annotations ?? {}).filter((key) => !key.includes('/'));
  return [
    ...validateAnnotations(annotations, at),
    ...errorsOf(bare, (key) => [
      invalid(at, key, 'must be a domain-prefixed key (such as "example.com/name")'),
    ]),
  ];
}

/** The platform's own signers give certificates for a day, others for 91. */
function validateSeconds(
  { signerName = '', maxExpirationSeconds = 0 }: RequestSpec,
  domain: string,
): FieldError[] {
  const most = isOwnSigner(signerName, domain) ? day : 91 * day;
  if (maxExpirationSeconds >= hour && maxExpirationSeconds <= most) return [];
  const detail = `must be in the range [${String(hour)}, ${String(most)}]`;
  return [invalid(path.child('maxExpirationSeconds'), maxExpirationSeconds, detail)];
}

function stateOf({ status }: PodCertificateRequest): string {
  const last = (status?.conditions ?? []).findLast(
    ({ type }) => type !== undefined && outcomes.includes(type),
  );
  return last?.type ?? 'Pending';
}

export const podCertificateRequests = defineResource<PodCertificateRequest>({
  kind: 'PodCertificateRequest',
  plural: 'podcertificaterequests',
  namespaced: true,
  versions: [
    { version: 'v1beta1', introducedIn: '1.35', deprecatedIn: '1.38', removedIn: '1.41' },
    { version: 'v1alpha1', introducedIn: '1.34', deprecatedIn: '1.37', removedIn: '1.35' },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    unconditionalUpdate: false,
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validateCreate,
    validateUpdate: (next, current) => unchanged(next.spec, current.spec, path),
  },
  subresources: [
    statusSubresource<PodCertificateRequest>({
      prepareForUpdate: keepAllButStatus,
      validateUpdate: validateIssue,
    }),
  ],
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
    'spec.podName': ({ spec }) => spec?.podName ?? '',
    'spec.signerName': ({ spec }) => spec?.signerName ?? '',
  },
  columns: [
    nameColumn,
    column<PodCertificateRequest>('PodName', ({ spec }) => spec?.podName, {
      description: 'Name of the pod.',
    }),
    column<PodCertificateRequest>('ServiceAccountName', ({ spec }) => spec?.serviceAccountName, {
      description: 'Service account of the pod.',
    }),
    column<PodCertificateRequest>('NodeName', ({ spec }) => spec?.nodeName, {
      description: 'Node of the pod.',
    }),
    column<PodCertificateRequest>('SignerName', ({ spec }) => spec?.signerName, {
      description: 'Who signs.',
    }),
    column<PodCertificateRequest>('State', stateOf, { description: 'What has become of the request.' }),
  ],
});
