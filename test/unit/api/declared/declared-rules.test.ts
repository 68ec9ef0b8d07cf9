/**
 * The rules that the newest release declares beside its fields (facts of that release): each is broken in a valid object,
 * and must give an error at its field, with its cause. Versions that are not stored are judged as the stored one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../src/base/json.ts';
import type { FieldError } from '../../../../src/meta/field-error.ts';
import { newestRelease } from '../../../../src/observe/release.ts';
import { contextWith, Kind } from '../../../support/kind.ts';
import { broken, findType, unversioned, type Breach, type DeclaredRule } from './broken.ts';
import { samples, type Sample } from './samples.ts';

/** Types of versions that the stored one has under another name. */
const storedTypes: Readonly<Record<string, string>> = {
  'extensions/v1beta1.IPBlock': 'networking/v1.IPBlock',
  'node/v1alpha1.RuntimeClassSpec': 'node/v1.RuntimeClass',
  'resource/v1beta1.BasicDevice': 'resource/v1.Device',
  'resource/v1beta1.DeviceRequest.count': 'resource/v1.ExactDeviceRequest',
  'resource/v1beta1.DeviceRequest.selectors': 'resource/v1.ExactDeviceRequest',
};

function asStored(rule: DeclaredRule): DeclaredRule {
  const type = storedTypes[rule.type] ?? storedTypes[`${rule.type}.${rule.field}`] ?? rule.type;
  const field = rule.field === 'runtimeHandler' ? 'handler' : rule.field;
  return { ...rule, type, field };
}

const rules = readFileSync(join(__dirname, 'rules.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line): DeclaredRule => {
    const [type = '', field = '', rule = '', value = ''] = line.split('\t');
    return asStored({ type, field, rule, value });
  });

/** Why a rule is not broken here, by the beginning of `type field rule value` without the version. */
const exceptions: readonly (readonly [rule: string, why: string])[] = [
  ['apps.ScaleSpec', 'a subresource of others: `integration/writes/subresources`'],
  ['autoscaling.ScaleSpec', 'a subresource of others: `integration/writes/subresources`'],
  ['extensions.ScaleSpec', 'a subresource of others: `integration/writes/subresources`'],
  ['certificates.CertificateSigningRequestStatus', '`unit/api/certificates`'],
  ['resource.Device basic', 'the stored version has no such struct'],
  ['resource.DeviceConfiguration opaque', 'embedded: `opaque` of the structs that have it is required'],
  [
    'resource.DeviceRequest deviceClassName',
    'what the stored version has is `exactly`, a member of that union',
  ],
  ['autoscaling.HorizontalPodAutoscalerSpec minReplicas ifDisabled', 'the gate is on here'],
  ['autoscaling.HorizontalPodAutoscalerSpec maxReplicas required', 'not enforced yet; a zero is invalid'],
  ['storage.StorageClass parameters immutable', 'not enforced yet; a change is forbidden'],
  ['storage.StorageClass provisioner immutable', 'not enforced yet; a change is forbidden'],
  ['storage.StorageClass reclaimPolicy immutable', 'not enforced yet; a change is forbidden'],
];

function exceptionOf(rule: DeclaredRule): string | undefined {
  const name = nameOf(rule);
  if (rule.rule === 'discriminator') return 'says how others are read';
  if (rule.value === '+optional') return 'allows everything';
  if (rule.value.startsWith('+forbidden') && rule.rule.startsWith('ifDisabled'))
    return rule.rule.includes('Preemption')
      ? 'no stage of the gate is known: it counts as on'
      : 'what the gate switches off is left out before';
  if (rule.value === '+minimum=-2147483648') return 'no 32-bit integer is less';
  return exceptions.find(([beginning]) => name.startsWith(beginning))?.[1];
}

function nameOf({ type, field, rule, value }: DeclaredRule): string {
  return `${unversioned(type).replace('/', '.')} ${field} ${rule} ${value}`;
}

interface Judged {
  readonly sample: Sample;
  readonly kind: Kind;
}

const kinds = samples.map((sample): Judged => {
  const context = contextWith({ release: newestRelease, subresource: sample.subresource ?? '' });
  return { sample, kind: new Kind(sample.kind, { ...context, isFeatureEnabled: () => true }, newestRelease) };
});

function errorsOf({ sample, kind }: Judged, object: JsonObject, isUpdate: boolean): FieldError[] {
  const subresource: string = sample.subresource ?? '';
  if (!isUpdate && subresource === '') return kind.createErrors(object);
  const stored = kind.created(sample.object);
  const before = isUpdate && subresource !== '' ? kind.updated(stored, sample.object, subresource) : stored;
  return kind.updateErrors(before, object, subresource);
}

/** Where the rule can be broken. */
function breachOf(rule: DeclaredRule): { readonly judged: Judged; readonly breach: Breach } | undefined {
  for (const judged of kinds) {
    const { sample, kind } = judged;
    const place = findType(kind.schema, sample.object, unversioned(rule.type));
    if (!place || (sample.subresource !== undefined && !place.path.startsWith('status'))) continue;
    const breach = broken(sample.object, place, rule);
    if (breach) return { judged, breach };
  }
  return undefined;
}

test.each(kinds.map((judged) => ({ name: judged.sample.kind, judged })))('$name is valid', ({ judged }) => {
  expect(errorsOf(judged, judged.sample.object, false)).toEqual([]);
});

const checked = rules.filter((rule) => exceptionOf(rule) === undefined);

test('nearly all rules are checked, and no exception is for nothing', () => {
  expect(rules).toHaveLength(485);
  expect(checked.length).toBeGreaterThan(420);
  for (const [beginning] of exceptions)
    expect(rules.some((rule) => nameOf(rule).startsWith(beginning))).toBe(true);
});

const distinct = [...new Map(checked.map((rule) => [nameOf(rule), rule]))];

test.each(distinct)('%s', (_name, rule) => {
  const found = breachOf(rule);
  if (!found) throw new Error('no sample has it');
  const { at, object, reason, isUpdate } = found.breach;
  const errors = errorsOf(found.judged, object, isUpdate);
  const others = errors.map(({ field, reason: other }) => `${other} ${field}`);
  // The whole of what is fixed may be named instead of a part.
  const isMeant = (error: FieldError): boolean =>
    error.reason === reason && (error.field.startsWith(at) || (isUpdate && at.startsWith(error.field)));
  expect({ others, isMeant: errors.some(isMeant) }).toMatchObject({ isMeant: true });
});
