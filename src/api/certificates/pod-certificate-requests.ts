/** PodCertificateRequest: a pod asks for a certificate. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { column, nameColumn } from '../columns/columns.ts';
import {
  defineResource,
  dropStatus,
  keepMetadata,
  keepSpec,
  keepStatus,
  statusSubresource,
  type Stored,
} from '../define.ts';
import { dns1123Subdomain, nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { need, obeys, same, unchanged } from '../validation/rules.ts';
import type { PodCertificateRequest as RequestFields } from './v1beta1.types.ts';

type PodCertificateRequest = Stored<RequestFields>;

const path = FieldPath.of('spec');
const hour = 3600;
const maxSeconds = 91 * 24 * hour;
const outcomes = ['Issued', 'Denied', 'Failed'];

function validate({ spec = {} }: PodCertificateRequest): FieldError[] {
  const seconds = spec.maxExpirationSeconds ?? 0;
  const names = ['podName', 'serviceAccountName', 'nodeName'] as const;
  const uids = ['podUID', 'serviceAccountUID', 'nodeUID', 'signerName'] as const;
  return [
    ...names.flatMap((name) => need(spec[name], path.child(name), obeys(dns1123Subdomain))),
    ...uids.flatMap((name) => need(spec[name], path.child(name))),
    ...(seconds < hour || seconds > maxSeconds
      ? [
          invalid(
            path.child('maxExpirationSeconds'),
            seconds,
            `must be in the range [${String(hour)}, ${String(maxSeconds)}]`,
          ),
        ]
      : []),
  ];
}

/** One outcome at most, and what was issued stays. */
function validateStatus(next: PodCertificateRequest, current: PodCertificateRequest): FieldError[] {
  const at = FieldPath.of('status');
  const conditions = next.status?.conditions ?? [];
  const known = conditions.filter(({ type }) => outcomes.includes(type ?? ''));
  const once = ['certificateChain', 'notBefore', 'beginRefreshAt', 'notAfter'] as const;
  return [
    ...(known.length !== conditions.length || known.length > 1
      ? [
          invalid(
            at.child('conditions'),
            conditions.length,
            'must be at most one of Issued, Denied and Failed',
          ),
        ]
      : []),
    ...once.flatMap((field) => {
      const before = current.status?.[field];
      return before == null || before === '' || same(before, next.status?.[field])
        ? []
        : unchanged(next.status?.[field], before, at.child(field));
    }),
  ];
}

function stateOf({ status }: PodCertificateRequest): string {
  const last = (status?.conditions ?? []).findLast(({ type }) => outcomes.includes(type ?? ''));
  return last?.type ?? 'Pending';
}

export const podCertificateRequests = defineResource<PodCertificateRequest>({
  kind: 'PodCertificateRequest',
  plural: 'podcertificaterequests',
  namespaced: true,
  versions: [{ version: 'v1beta1', introducedIn: '1.35', deprecatedIn: '1.38', removedIn: '1.41' }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    unconditionalUpdate: false,
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate,
    validateUpdate: (next, current) => unchanged(next.spec, current.spec, path),
  },
  subresources: [
    statusSubresource<PodCertificateRequest>({
      prepareForUpdate: (next, current) => {
        keepSpec(next, current);
        keepMetadata(next, current);
      },
      validateUpdate: validateStatus,
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
