/** CertificateSigningRequest: a client requests a certificate from a signer, an approver approves, the signer signs. */
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, forbidden, invalid, required } from '../../meta/field-error.ts';
import { notSupported } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { humanDuration } from '../columns/human-duration.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepSpec, keepStatus, statusSubresource } from '../define.ts';
import type { ApiContext, SubresourceDefinition } from '../types.ts';
import { nameIsPathSegment } from '../validation/name-rules.ts';
import { each, given, need, repeated } from '../validation/rules.ts';
import { knownUsages } from './usages.ts';
import { outsidePem, pemBlocks } from './pem.ts';
import { stampConditions, validateChange, validateVerdicts } from './request-conditions.ts';
import { applySignerDefault, requestOf } from './signer-default.ts';
import { validateSigner } from './signer-name.ts';
import type { CertificateSigningRequest as RequestFields } from './v1.types.ts';

type Request = Stored<RequestFields>;

const path = FieldPath.of('spec');
const status = FieldPath.of('status');

/** The requester is the user of the request, whatever the object says. */
function prepareForCreate(request: Request, { user }: ApiContext): void {
  dropStatus(request);
  if (!request.spec) return;
  const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...spec } = request.spec;
  const extra = Object.entries(user.extra).map(([key, values]) => [key, [...values]] as const);
  request.spec = {
    ...spec,
    username: user.name,
    ...(user.uid !== '' && { uid: user.uid }),
    ...(user.groups.length > 0 && { groups: [...user.groups] }),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) as NonNullable<typeof request.spec.extra> }),
  };
}

function validate({ spec = {}, status: observed }: Request): FieldError[] {
  return [
    ...need(spec.request, path.child('request'), (text, at) =>
      requestOf(text) ? [] : [invalid(at, text, 'PEM block type must be CERTIFICATE REQUEST, and hold one')],
    ),
    ...need(spec.signerName, path.child('signerName'), validateSigner),
    ...validateVerdicts(observed?.conditions),
  ];
}

/** Requirements of v1 for approvers and signers. */
function v1StatusErrors({ status: observed }: Request, { version }: ApiContext): FieldError[] {
  if (version !== 'v1') return [];
  const conditions = status.child('conditions');
  return [
    ...each(observed?.conditions, conditions, (condition, at) => need(condition.status, at.child('status'))),
    ...repeated(observed?.conditions, conditions, ({ type }) => ({ value: type, at: 'type' })),
    ...given(observed?.certificate || undefined, status.child('certificate'), certificateErrors),
  ];
}

/** Requirements of v1 at creation; afterwards the spec is immutable. */
function v1SpecErrors({ spec = {} }: Request, { naming, version }: ApiContext): FieldError[] {
  if (version !== 'v1') return [];
  const { signerName, usages } = spec;
  const at = path.child('usages');
  const seen = new Set<string>();
  const isOld = signerName === `${naming.labelDomain}/legacy-unknown`;
  return [
    ...(isOld
      ? [
          invalid(
            path.child('signerName'),
            signerName,
            'the legacy signerName is not allowed via this API version',
          ),
        ]
      : []),
    ...((usages ?? []).length === 0 ? [required(at)] : []),
    ...each(usages, at, (usage, p) => {
      if (seen.has(usage)) return [duplicate(p, usage)];
      seen.add(usage);
      return knownUsages.includes(usage) ? [] : [notSupported(p, usage, knownUsages)];
    }),
  ];
}

/** Certificates and nothing else. */
function certificateErrors(base64: string, at: FieldPath): FieldError[] {
  const text = Buffer.from(base64, 'base64').toString('latin1');
  const blocks = pemBlocks(text);
  const isClean =
    blocks.length > 0 && outsidePem(text) === '' && blocks.every(({ type }) => type === 'CERTIFICATE');
  return isClean ? [] : [invalid(at, '<certificate data>', 'must hold only CERTIFICATE blocks in PEM')];
}

/** A certificate that was signed stays. */
function certificateChange(next: Request, current: Request): FieldError[] {
  const before = current.status?.certificate ?? '';
  return before === '' || next.status?.certificate === before
    ? []
    : [forbidden(status.child('certificate'), 'updates may not set or modify existing certificate content')];
}

const statusWriter: SubresourceDefinition<Request> = statusSubresource<Request>({
  prepareForUpdate: (next, current, context) => {
    keepSpec(next, current);
    stampConditions(next.status?.conditions, current.status?.conditions, context.now());
  },
  validateUpdate: (next, current, context) => [
    ...validateVerdicts(next.status?.conditions),
    ...validateChange(next.status?.conditions, current.status?.conditions, false),
    ...certificateChange(next, current),
    ...v1StatusErrors(next, context),
  ],
});

/** Approvals write conditions and nothing else. */
const approval: SubresourceDefinition<Request> = {
  name: 'approval',
  verbs: ['get', 'patch', 'update'],
  type: 'object',
  prepareForUpdate: (next, current, context) => {
    keepSpec(next, current);
    const conditions = next.status?.conditions;
    next.status = { ...current.status, ...(conditions !== undefined && { conditions }) };
    if (conditions === undefined) delete next.status.conditions;
    stampConditions(conditions, current.status?.conditions, context.now());
  },
  validateUpdate: (next, current, context) => [
    ...validateVerdicts(next.status?.conditions),
    ...validateChange(next.status?.conditions, current.status?.conditions, true),
    ...v1StatusErrors(next, context),
  ],
};

function state({ status: observed }: Request): string {
  const has = (type: string): boolean =>
    (observed?.conditions ?? []).some((condition) => condition.type === type);
  const verdict = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${verdict}${has('Failed') ? ',Failed' : ''}${observed?.certificate ? ',Issued' : ''}`;
}

function requestedDuration({ spec }: Request): string {
  const seconds = spec?.expirationSeconds;
  return seconds == null ? '<none>' : humanDuration(seconds * 1000);
}

export const certificateSigningRequests = defineResource<Request>({
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  shortNames: ['csr'],
  namespaced: false,
  versions: [
    { version: 'v1' },
    {
      version: 'v1beta1',
      deprecatedIn: '1.19',
      removedIn: '1.22',
      replacement: 'certificates.{api}/v1 CertificateSigningRequest',
      applyDefaults: applySignerDefault,
    },
  ],
  validateName: nameIsPathSegment,
  strategy: {
    prepareForCreate,
    prepareForUpdate: (next, current) => {
      keepSpec(next, current);
      keepStatus(next, current);
    },
    validateCreate: (request, context) => [...validate(request), ...v1SpecErrors(request, context)],
  },
  subresources: [approval, statusWriter],
  columns: [
    nameColumn,
    ageColumn,
    column<Request>('SignerName', ({ spec }) => spec?.signerName || '<none>', {
      description: 'Who is to sign.',
    }),
    column<Request>('Requestor', ({ spec }) => spec?.username, { description: 'Who asks.' }),
    column<Request>('RequestedDuration', requestedDuration, {
      description: 'How long the certificate is to be valid.',
      since: '1.22',
    }),
    column<Request>('Condition', state, { description: 'What was decided and done.' }),
  ],
  selectableFields: { 'spec.signerName': ({ spec }) => spec?.signerName ?? '' },
});
