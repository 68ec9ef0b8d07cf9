/** CustomResourceDefinition: a resource that users add to the API. How it is served is the extension room's matter. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { expressionsIn } from '../../cel/schema/rule.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ApiObject } from '../../meta/object.ts';
import { formatSeconds } from '../../meta/time.ts';
import { createdAtColumn, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, keepAllButStatus, keepStatus, statusSubresource } from '../define.ts';
import type { ApiContext } from '../types.ts';
import { dns1123Subdomain, nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { each, need, same, unchanged } from '../validation/rules.ts';
import { validateWebhookClient } from '../validation/validate-webhook-client.ts';
import { cleanupFinalizer, isTrue, withFinding } from './definition-conditions.ts';
import { definitionFromStorage, definitionToStorage, weightOfCopies } from './conversion.ts';
import { laterKeyWarnings } from './later-keys.ts';
import { namesCountErrors, namesErrors } from './names-rules.ts';
import { ruleReleaseOf } from './rule-release.ts';
import { selectsByFields } from './selectable-fields.ts';
import type {
  CustomResourceConversion as Conversion,
  CustomResourceDefinition as CustomResourceDefinitionFields,
  CustomResourceDefinitionSpec as Spec,
} from './v1.types.ts';
import { versionsErrors } from './definition-version-rules.ts';
import { mostPropertiesIn } from './schema-walk.ts';

export type CustomResourceDefinition = Stored<CustomResourceDefinitionFields>;

const path = FieldPath.of('spec');
const knownReviews = ['v1', 'v1beta1'];
/** Weight of copies that takes some 10 ms to be made, judged and stored. */
const fewCopies = 128 * 1024;

/** Names that follow from the kind; conversion is none. */
function applyDefaults(object: ApiObject): void {
  const definition = object as CustomResourceDefinition;
  const spec = (definition.spec ??= {});
  const names = (spec.names ??= {});
  const kind = names.kind ?? '';
  if (kind !== '' && !names.singular) names.singular = kind.toLowerCase();
  if (kind !== '' && !names.listKind) names.listKind = `${kind}List`;
  const conversion = (spec.conversion ??= {});
  conversion.strategy ||= 'None';
}

interface BetaSpec extends Omit<Spec, 'conversion'> {
  version?: string | undefined;
  validation?: unknown;
  subresources?: unknown;
  additionalPrinterColumns?: unknown;
  conversion?: { strategy?: string; conversionReviewVersions?: string[] };
}

/** One version may be named instead of listed, and the reverse. */
function applyBetaDefaults(object: ApiObject, { noteLongWork }: ApiContext): void {
  applyDefaults(object);
  const spec = object['spec'] as BetaSpec;
  const versions = spec.versions ?? [];
  if (spec.version && versions.length === 0)
    spec.versions = [{ name: spec.version, served: true, storage: true }];
  else if (!spec.version && versions[0]?.name) spec.version = versions[0].name;
  const { conversion } = spec;
  if (conversion?.strategy === 'Webhook' && (conversion.conversionReviewVersions ?? []).length === 0)
    conversion.conversionReviewVersions = ['v1beta1'];
  if (noteLongWork && weightOfCopies(spec as JsonObject, spec.versions?.length ?? 0) > fewCopies)
    noteLongWork();
}

/** What is said for all versions is not said for one as well. */
function validateBeta(object: ApiObject): FieldError[] {
  const spec = (object['spec'] ?? {}) as BetaSpec;
  const versions = spec.versions ?? [];
  const first = versions[0]?.name;
  const both = (top: unknown, field: 'schema' | 'subresources' | 'additionalPrinterColumns'): FieldError[] =>
    top !== undefined && versions.some((version) => version[field] !== undefined)
      ? [forbidden(path.child('versions'), `top-level and per-version ${field} are mutually exclusive`)]
      : [];
  return [
    ...(spec.version && first !== undefined && spec.version !== first
      ? [invalid(path.child('version'), spec.version, 'must match the first version in spec.versions')]
      : []),
    ...both(spec.validation, 'schema'),
    ...both(spec.subresources, 'subresources'),
    ...both(spec.additionalPrinterColumns, 'additionalPrinterColumns'),
  ];
}

function prepareForCreate(definition: CustomResourceDefinition): void {
  definition.status = {};
  noteStoredVersion(definition);
}

function prepareForUpdate(next: CustomResourceDefinition, current: CustomResourceDefinition): void {
  keepStatus(next, current);
  noteStoredVersion(next);
}

/** Objects may be stored in every version that ever was the storage version. */
function noteStoredVersion(definition: CustomResourceDefinition): void {
  const name = storageVersionOf(definition);
  const { storedVersions, ...status } = definition.status ?? {};
  const known = storedVersions ?? [];
  if (name === undefined || known.includes(name)) return;
  definition.status = { ...status, storedVersions: [...known, name] };
}

function storageVersionOf({ spec }: CustomResourceDefinition): string | undefined {
  return (spec?.versions ?? []).find(({ storage }) => storage === true)?.name;
}

/** Its objects go first. */
function prepareForDelete(definition: CustomResourceDefinition, { naming, now }: ApiContext): void {
  const finalizer = cleanupFinalizer(naming);
  const finalizers = definition.metadata.finalizers ?? [];
  if (finalizers.includes(finalizer)) return;
  definition.metadata.finalizers = [...finalizers, finalizer];
  const finding = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'The definition is being deleted; its objects are deleted first.',
  } as const;
  const time = formatSeconds(now());
  const { status } = definition;
  definition.status = { ...status, conditions: withFinding(status?.conditions, finding, time) };
}

function validate(definition: CustomResourceDefinition): FieldError[] {
  const spec = definition.spec ?? {};
  const names = spec.names ?? {};
  const expected = `${names.plural ?? ''}.${spec.group ?? ''}`;
  const name = definition.metadata.name ?? '';
  return [
    ...(name === expected
      ? []
      : [invalid('metadata.name', name, `must be spec.names.plural+"."+spec.group`)]),
    ...need(spec.group, path.child('group'), groupErrors),
    ...need(spec.scope, path.child('scope')),
    ...namesErrors(names, path.child('names')),
    ...conversionErrors(spec, path.child('conversion')),
    ...storedErrors(definition),
  ];
}

function groupErrors(group: string, at: FieldPath): FieldError[] {
  const shape = dns1123Subdomain(group).map((message) => invalid(at, group, message));
  const isDomain = group.includes('.');
  return isDomain ? shape : [...shape, invalid(at, group, 'should be a domain with at least one dot')];
}

function conversionErrors({ conversion, preserveUnknownFields }: Spec, at: FieldPath): FieldError[] {
  const { strategy, webhook } = conversion ?? {};
  if (strategy !== 'Webhook') {
    return webhook
      ? [forbidden(at.child('webhook'), 'should not be set when strategy is not set to Webhook')]
      : [];
  }
  return [
    ...(preserveUnknownFields === true
      ? [invalid(at.child('strategy'), strategy, 'must be None if spec.preserveUnknownFields is true')]
      : []),
    ...webhookErrors(webhook, at.child('webhook')),
  ];
}

function webhookErrors(webhook: Conversion['webhook'], at: FieldPath): FieldError[] {
  const config = webhook?.clientConfig;
  const reviews = webhook?.conversionReviewVersions ?? [];
  const reviewPath = at.child('conversionReviewVersions');
  return [
    ...(config
      ? validateWebhookClient(config, at.child('clientConfig'))
      : [required(at.child('clientConfig'), 'required when strategy is set to Webhook')]),
    ...(reviews.length === 0 ? [required(reviewPath)] : []),
    ...(reviews.length > 0 && !reviews.some((review) => knownReviews.includes(review))
      ? [invalid(reviewPath, reviews, `must include at least one of ${knownReviews.join(', ')}`)]
      : []),
  ];
}

/** No version that objects may be stored in can go, and the storage version is one of them. */
function storedErrors(definition: CustomResourceDefinition): FieldError[] {
  const { spec, status } = definition;
  const stored = status?.storedVersions ?? [];
  const names = new Set((spec?.versions ?? []).map(({ name }) => name ?? ''));
  const at = FieldPath.of('status').child('storedVersions');
  const storage = storageVersionOf(definition);
  return [
    ...each(stored, at, (name, p) =>
      names.has(name) ? [] : [invalid(p, name, 'must appear in spec.versions')],
    ),
    ...(storage === undefined || stored.includes(storage)
      ? []
      : [invalid(at, stored, `must have the storage version ${storage}`)]),
  ];
}

function validateCreate(definition: CustomResourceDefinition, context: ApiContext): FieldError[] {
  const { preserveUnknownFields, group = '' } = definition.spec ?? {};
  const isCurrent = context.version === 'v1';
  return [
    ...namesCountErrors(definition, undefined, path.child('names')),
    ...schemasErrors(definition, context, { mayDefault: isCurrent }),
    ...(isCurrent && preserveUnknownFields === true
      ? [
          invalid(
            path.child('preserveUnknownFields'),
            true,
            `cannot set to true, set ${context.naming.extensionPrefix}preserve-unknown-fields to true in spec.versions[*].schema instead`,
          ),
        ]
      : []),
    ...(isCurrent && isProtected(group, context.naming) ? approvalErrors(definition, context.naming) : []),
  ];
}

function schemasErrors(
  { spec }: CustomResourceDefinition,
  context: ApiContext,
  { mayDefault, current }: { readonly mayDefault: boolean; readonly current?: CustomResourceDefinition },
): FieldError[] {
  const { naming, noteLongWork } = context;
  const preserves = spec?.preserveUnknownFields === true;
  const storedVersions = current?.spec?.versions as JsonValue | undefined;
  let mostBefore: number | undefined;
  const rules = {
    ...{ prefix: naming.extensionPrefix, preserves, mayDefault: !preserves && mayDefault },
    versionsBefore: current?.spec?.versions?.length ?? 0,
    columnsBefore: Math.max(
      0,
      ...(current?.spec?.versions ?? []).map((version) => version.additionalPrinterColumns?.length ?? 0),
    ),
    propertiesBefore: () => (mostBefore ??= mostPropertiesIn(storedVersions)),
    ...{ ruleRelease: ruleReleaseOf(context), noteLongWork, selectsByFields: selectsByFields(context) },
    knownExpressions: new Set(expressionsIn(storedVersions, naming.extensionPrefix)),
  };
  return versionsErrors(spec?.versions ?? [], path.child('versions'), rules);
}

/** Groups of the API's own domains are protected (`api-approved` annotation). */
export function isProtected(group: string, { apiDomain, labelDomain }: NamingProfile): boolean {
  return [apiDomain, labelDomain].some((domain) => group === domain || group.endsWith(`.${domain}`));
}

/** What the name of the approval annotation begins with, before the domain. */
export const approvalName = 'api-approved';

/** The annotation by which such a group is approved, or said not to be. */
export function approvalAnnotation({ labelDomain }: NamingProfile): string {
  return `${approvalName}.${labelDomain}`;
}

function approvalErrors({ metadata }: CustomResourceDefinition, naming: NamingProfile): FieldError[] {
  const name = approvalAnnotation(naming);
  const at = FieldPath.of('metadata').child('annotations').key(name);
  const value = metadata.annotations?.[name] ?? '';
  if (value === '')
    return [required(at, `protected groups must have the approval annotation ${JSON.stringify(name)}`)];
  if (value.startsWith('unapproved') || URL.canParse(value)) return [];
  return [invalid(at, value, 'must be a URL, or begin with "unapproved"')];
}

function validateUpdate(
  next: CustomResourceDefinition,
  current: CustomResourceDefinition,
  context: ApiContext,
): FieldError[] {
  const isEstablished = isTrue(current.status?.conditions, 'Established');
  const fixed = [
    ...unchanged(next.spec?.group, current.spec?.group, path.child('group')),
    ...unchanged(next.spec?.names?.plural, current.spec?.names?.plural, path.child('names').child('plural')),
    ...(isEstablished
      ? [
          ...unchanged(next.spec?.scope, current.spec?.scope, path.child('scope')),
          ...unchanged(next.spec?.names?.kind, current.spec?.names?.kind, path.child('names').child('kind')),
        ]
      : []),
  ];
  if (same(next.spec, current.spec)) return fixed;
  return [
    ...fixed,
    ...namesCountErrors(next, current, path.child('names')),
    ...schemasErrors(next, context, { mayDefault: true, current }),
  ];
}

export const customResourceDefinitions = defineResource<CustomResourceDefinition>({
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  versions: [
    { version: 'v1', applyDefaults },
    {
      version: 'v1beta1',
      deprecatedIn: '1.16',
      removedIn: '1.22',
      replacement: 'apiextensions.{api}/v1 CustomResourceDefinition',
      applyDefaults: applyBetaDefaults,
      validate: validateBeta,
      toStorage: definitionToStorage,
      fromStorage: definitionFromStorage,
    },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    unconditionalUpdate: false,
    allowsBareFinalizers: true,
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate,
    prepareForUpdate,
    prepareForDelete,
    validate,
    validateCreate,
    validateUpdate,
    warnings: (definition, context) => laterKeyWarnings(definition, context),
  },
  subresources: [
    statusSubresource<CustomResourceDefinition>({
      prepareForUpdate: keepAllButStatus,
      // Conditions are not looked at: unmodified clients write some without type and status.
      validateUpdate: storedErrors,
    }),
  ],
  columns: [nameColumn, createdAtColumn],
});
