/** VolumeAttachment: a volume is, or is to be, attached to a node. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { validateVolumeSpec } from '../core/volume-spec.ts';
import { csiDriverName } from '../core/volume-sources.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepAllButStatus, keepStatus, statusSubresource } from '../define.ts';
import type { ApiContext } from '../types.ts';
import { dns1123Subdomain, nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { given, need, obeys, unchanged } from '../validation/rules.ts';
import type {
  VolumeAttachment as VolumeAttachmentFields,
  VolumeAttachmentSource,
  VolumeError,
} from './v1.types.ts';

type VolumeAttachment = Stored<VolumeAttachmentFields>;

const path = FieldPath.of('spec');
const metadataMaxBytes = 256 * 1024;
const messageMaxBytes = 1024;
const exactlyOne = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

/** Inline volumes exist only for the migration of in-tree volumes. */
function dropDisabled({ spec }: VolumeAttachment, context: ApiContext): void {
  if (spec?.source && !context.isFeatureEnabled('CSIMigration')) delete spec.source.inlineVolumeSpec;
}

function validate({ spec }: VolumeAttachment, context: ApiContext): FieldError[] {
  return [
    ...need(spec?.attacher, path.child('attacher'), csiDriverName),
    ...need(spec?.nodeName, path.child('nodeName'), obeys(dns1123Subdomain)),
    ...validateSource(spec?.source ?? {}, path.child('source'), context),
  ];
}

function validateSource(source: VolumeAttachmentSource, at: FieldPath, context: ApiContext): FieldError[] {
  const name = source.persistentVolumeName;
  const inline = source.inlineVolumeSpec;
  const namePath = at.child('persistentVolumeName');
  if (name == null && inline == null) return [required(at, exactlyOne)];
  if (name != null && inline != null) return [forbidden(at, exactlyOne)];
  if (name === '') return [required(namePath, 'must specify non empty persistentVolumeName')];
  return [
    ...given(name, namePath, obeys(dns1123Subdomain)),
    ...given(inline, at.child('inlineVolumeSpec'), (spec, p) =>
      validateVolumeSpec(spec, p, context, { isInline: true }),
    ),
  ];
}

function validateStatus({ status }: VolumeAttachment): FieldError[] {
  const at = FieldPath.of('status');
  const bytes = Object.entries(status?.attachmentMetadata ?? {}).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return [
    ...(bytes > metadataMaxBytes
      ? [
          invalid(
            at.child('attachmentMetadata'),
            `${String(bytes)} bytes`,
            `size cannot be larger than ${String(metadataMaxBytes)} bytes`,
          ),
        ]
      : []),
    ...given(status?.attachError, at.child('attachError'), validateError),
    ...given(status?.detachError, at.child('detachError'), validateError),
  ];
}

function validateError(error: VolumeError, at: FieldPath): FieldError[] {
  const bytes = Buffer.byteLength(error.message ?? '');
  return bytes > messageMaxBytes
    ? [
        invalid(
          at.child('message'),
          `${String(bytes)} bytes`,
          `size cannot be larger than ${String(messageMaxBytes)} bytes`,
        ),
      ]
    : [];
}

/** Before v1 there was no subresource: the status is written with the object. */
const older = { replacement: 'storage.{api}/v1 VolumeAttachment', subresources: [] };

export const volumeAttachments = defineResource<VolumeAttachment>({
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
  versions: [
    { version: 'v1' },
    { version: 'v1beta1', deprecatedIn: '1.19', removedIn: '1.22', ...older },
    { version: 'v1alpha1', deprecatedIn: '1.21', removedIn: '1.24', ...older },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    unconditionalUpdate: false,
    prepareForCreate: (attachment, context) => {
      if (context.version === 'v1') dropStatus(attachment);
      dropDisabled(attachment, context);
    },
    prepareForUpdate: (next, current, context) => {
      if (context.version === 'v1') keepStatus(next, current);
      if (current.spec?.source?.inlineVolumeSpec == null) dropDisabled(next, context);
    },
    validate: (attachment, context) => [...validate(attachment, context), ...validateStatus(attachment)],
    validateUpdate: (next, current) => unchanged(next.spec, current.spec, path),
    deleteReturns: 'object',
  },
  subresources: [
    statusSubresource<VolumeAttachment>({
      prepareForUpdate: keepAllButStatus,
      validateUpdate: validateStatus,
    }),
  ],
  columns: [
    nameColumn,
    column<VolumeAttachment>('Attacher', ({ spec }) => spec?.attacher, {
      format: 'name',
      description: 'Driver that attaches.',
    }),
    column<VolumeAttachment>('PV', ({ spec }) => spec?.source?.persistentVolumeName, {
      description: 'Volume that is attached.',
    }),
    column<VolumeAttachment>('Node', ({ spec }) => spec?.nodeName, {
      description: 'Node it is attached to.',
    }),
    column<VolumeAttachment>('Attached', ({ status }) => status?.attached, {
      type: 'boolean',
      description: 'Whether it is attached.',
    }),
    ageColumn,
  ],
});
